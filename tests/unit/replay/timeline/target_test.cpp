#include "replay/timeline/target.h"

#include <doctest/doctest.h>

using namespace amdahlc;

TEST_CASE("a plus admits later architectures of the same line") {
  CHECK(accepts("sm_80+", "sm_80"));
  CHECK(accepts("sm_80+", "SM_86"));
  CHECK(accepts("sm_90+", "sm_100"));
  CHECK_FALSE(accepts("sm_80+", "sm_75"));
  CHECK(accepts("gfx90a+", "gfx90a"));
  CHECK(accepts("gfx90a+", "gfx942"));
  CHECK(accepts("gfx908+", "gfx90a"));
  CHECK(accepts("gfx942+", "gfx950"));
  CHECK(accepts("gfx1030+", "gfx1100"));
  CHECK_FALSE(accepts("gfx90a+", "gfx908"));
  CHECK_FALSE(accepts("gfx950+", "gfx942"));
  CHECK_FALSE(accepts("gfx1100+", "gfx1036"));
}

TEST_CASE("an architecture of another line is not above") {
  CHECK_FALSE(accepts("gfx90a+", "gfx1030"));
  CHECK_FALSE(accepts("gfx908+", "gfx1200"));
  CHECK_FALSE(accepts("gfx1010+", "gfx942"));
  CHECK_FALSE(accepts("gfx906+", "gfx908"));
  CHECK_FALSE(accepts("gfx908+", "sm_90"));
  CHECK_FALSE(accepts("sm_80+", "gfx942"));
}

TEST_CASE("architectures of one generation admit each other with a plus only") {
  CHECK(accepts("gfx942+", "gfx940"));
  CHECK_FALSE(accepts("gfx942", "gfx940"));
}

TEST_CASE("an unknown name is neither above nor below another") {
  CHECK_FALSE(accepts("sm80+", "sm_90"));
  CHECK_FALSE(accepts("gfx9999+", "gfx10000"));
  CHECK_FALSE(accepts("gfx90a+", "gfx9999"));
  CHECK(accepts("gfx9999+", "GFX9999"));
}

TEST_CASE("a device of NVIDIA that is newer than the table is ordered by its number") {
  CHECK(accepts("sm_80+", "sm_130"));
  CHECK_FALSE(accepts("sm_130+", "sm_90"));
}

TEST_CASE("features of one architecture are not part of its name in a trace") {
  CHECK(accepts("sm_90a", "sm_90"));
  CHECK(accepts("sm_100f+", "sm_103"));
  CHECK_FALSE(accepts("sm_80a", "sm_80"));
  CHECK(vendorOfArchitecture("sm_90a") == "nvidia");
  CHECK(vendorOfArchitecture("sm_80a").empty());
}

TEST_CASE("the table has the vendor, and the nearest name for an unknown one") {
  CHECK(vendorOfArchitecture("gfx90A") == "amd");
  CHECK(vendorOfArchitecture("sm80").empty());
  CHECK(vendorOfArchitecture("").empty());
  CHECK(nearestArchitectures("sm80") == "; did you mean `sm_80`?");
  CHECK(nearestArchitectures("sm_85") == "; did you mean `sm_80` or `sm_86`?");
  CHECK(nearestArchitectures("sm_10") == "; did you mean `sm_20`?");
  CHECK(nearestArchitectures("sm_130") == "; did you mean `sm_121`?");
  CHECK(nearestArchitectures("hopper") ==
        "; known: `sm_20` .. `sm_121`, `gfx600` .. `gfx906`, `gfx908` .. `gfx950`, `gfx1010` .. `gfx1201`, "
        "`gfx1250` .. `gfx1251`");
}

TEST_CASE("the first target of two takes precedence, the second fills the rest") {
  const Target option{"", "amd", "", ""};
  const Target trace{"pytorch", "nvidia", "sm_90", "H100"};
  CHECK(merged(option, trace) == Target{"pytorch", "amd", "sm_90", "H100"});
  CHECK(merged({}, trace) == trace);
}

TEST_CASE("AMD's architectures are those of LLVM's table") {
  for (const char* name : {"gfx600", "gfx602", "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705", "gfx801",
                           "gfx802", "gfx805", "gfx810", "gfx909", "gfx90c", "gfx1153", "gfx1250"})
    CHECK_MESSAGE(vendorOfArchitecture(name) == "amd", name);
  CHECK(accepts("gfx700+", "gfx906"));
  CHECK(accepts("gfx900+", "gfx90c"));
  CHECK_FALSE(accepts("gfx906+", "gfx90c"));
  CHECK_FALSE(accepts("gfx1200+", "gfx1250"));
}
