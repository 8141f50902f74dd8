#include "replay/timeline/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "support/case_folding.h"
#include "support/decimal_time.h"
#include "support/edit_distance.h"
#include "support/name_list.h"

namespace amdahlc {
namespace {

/// An architecture and its generation in its vendor's line. Code for one generation runs as intended on later
/// generations of the line. Architectures of one generation have the same number, and none is above another.
struct Architecture {
  std::string_view name;
  std::string_view line;
  int generation;
};

constexpr std::string_view kNvidiaLine = "nvidia";
// AMD's lines diverge: an architecture of one line is never above one of another line. From the table of AMDGPU
// processors in LLVM's documentation, without the generic ones, which are no devices. gfx940 and gfx941 are gfx942
// before its release.
constexpr std::string_view kGcnLine = "amd gcn", kCdnaLine = "amd cdna", kRdnaLine = "amd rdna",
                           kGfx125Line = "amd gfx12.5";

/// The number in `sm_90`, 10 * major + minor of the compute capability, is its generation. From the tables of compute
/// capabilities in the CUDA C++ programming guide, 8 to 13, and of LLVM's NVPTX processors.
constexpr Architecture kArchitectures[] = {
    {"sm_20", kNvidiaLine, 20},   {"sm_21", kNvidiaLine, 21},   {"sm_30", kNvidiaLine, 30},
    {"sm_32", kNvidiaLine, 32},   {"sm_35", kNvidiaLine, 35},   {"sm_37", kNvidiaLine, 37},
    {"sm_50", kNvidiaLine, 50},   {"sm_52", kNvidiaLine, 52},   {"sm_53", kNvidiaLine, 53},
    {"sm_60", kNvidiaLine, 60},   {"sm_61", kNvidiaLine, 61},   {"sm_62", kNvidiaLine, 62},
    {"sm_70", kNvidiaLine, 70},   {"sm_72", kNvidiaLine, 72},   {"sm_75", kNvidiaLine, 75},
    {"sm_80", kNvidiaLine, 80},   {"sm_86", kNvidiaLine, 86},   {"sm_87", kNvidiaLine, 87},
    {"sm_88", kNvidiaLine, 88},   {"sm_89", kNvidiaLine, 89},   {"sm_90", kNvidiaLine, 90},
    {"sm_100", kNvidiaLine, 100}, {"sm_101", kNvidiaLine, 101}, {"sm_103", kNvidiaLine, 103},
    {"sm_110", kNvidiaLine, 110}, {"sm_120", kNvidiaLine, 120}, {"sm_121", kNvidiaLine, 121},

    {"gfx600", kGcnLine, 1},      {"gfx601", kGcnLine, 1},      {"gfx602", kGcnLine, 1},
    {"gfx700", kGcnLine, 2},      {"gfx701", kGcnLine, 2},      {"gfx702", kGcnLine, 2},
    {"gfx703", kGcnLine, 2},      {"gfx704", kGcnLine, 2},      {"gfx705", kGcnLine, 2},
    {"gfx801", kGcnLine, 3},      {"gfx802", kGcnLine, 3},      {"gfx803", kGcnLine, 3},
    {"gfx805", kGcnLine, 3},      {"gfx810", kGcnLine, 3},      {"gfx900", kGcnLine, 5},
    {"gfx902", kGcnLine, 5},      {"gfx904", kGcnLine, 5},      {"gfx909", kGcnLine, 5},
    {"gfx90c", kGcnLine, 5},      {"gfx906", kGcnLine, 6},

    {"gfx908", kCdnaLine, 1},     {"gfx90a", kCdnaLine, 2},     {"gfx940", kCdnaLine, 3},
    {"gfx941", kCdnaLine, 3},     {"gfx942", kCdnaLine, 3},     {"gfx950", kCdnaLine, 4},

    {"gfx1010", kRdnaLine, 10},   {"gfx1011", kRdnaLine, 10},   {"gfx1012", kRdnaLine, 10},
    {"gfx1013", kRdnaLine, 10},   {"gfx1030", kRdnaLine, 20},   {"gfx1031", kRdnaLine, 20},
    {"gfx1032", kRdnaLine, 20},   {"gfx1033", kRdnaLine, 20},   {"gfx1034", kRdnaLine, 20},
    {"gfx1035", kRdnaLine, 20},   {"gfx1036", kRdnaLine, 20},   {"gfx1100", kRdnaLine, 30},
    {"gfx1101", kRdnaLine, 30},   {"gfx1102", kRdnaLine, 30},   {"gfx1103", kRdnaLine, 30},
    {"gfx1150", kRdnaLine, 35},   {"gfx1151", kRdnaLine, 35},   {"gfx1152", kRdnaLine, 35},
    {"gfx1153", kRdnaLine, 35},   {"gfx1200", kRdnaLine, 40},   {"gfx1201", kRdnaLine, 40},

    {"gfx1250", kGfx125Line, 1},  {"gfx1251", kGfx125Line, 1},
};

/// The compute capability in `sm_90`, 10 * major + minor; nullopt for a name of another form.
std::optional<int> computeCapability(std::string_view arch) {
  constexpr std::string_view kPrefix = "sm_";
  if (arch.size() < kPrefix.size() || !equalIgnoringCase(arch.substr(0, kPrefix.size()), kPrefix)) return std::nullopt;
  const std::string_view digits = arch.substr(kPrefix.size());
  if (digits.size() < 2 || digits.size() > 3 || digits.front() == '0' || !isDigits(digits)) return std::nullopt;
  return static_cast<int>(*parseWhole(digits));
}

/// `sm_90a` and `sm_100f` are `sm_90` and `sm_100` with features that later ones lack; traces state the capability
/// only.
std::string_view withoutFeatureSuffix(std::string_view arch) {
  if (arch.size() < 2) return arch;
  const std::string_view stem = arch.substr(0, arch.size() - 1);
  const char last = toLower(arch.back());
  return (last == 'a' || last == 'f') && computeCapability(stem).value_or(0) >= 90 ? stem : arch;
}

const Architecture* findKnown(std::string_view arch) {
  const auto found = std::ranges::find_if(
      kArchitectures, [&](const Architecture& known) { return equalIgnoringCase(known.name, arch); });
  return found == std::end(kArchitectures) ? nullptr : found;
}

/// The table lacks newer devices. NVIDIA's names still give the generation.
std::optional<Architecture> place(std::string_view arch) {
  if (const Architecture* known = findKnown(arch)) return *known;
  if (const auto capability = computeCapability(arch)) return Architecture{arch, kNvidiaLine, *capability};
  return std::nullopt;
}

/// `sm_30` .. `sm_121`, ...: the ends of each line.
std::string knownLines() {
  std::string out;
  for (const Architecture* at = std::begin(kArchitectures); at != std::end(kArchitectures); ++at) {
    if (at == std::begin(kArchitectures) || at->line != (at - 1)->line)
      out += fmt::format("{}`{}` .. ", out.empty() ? "" : ", ", at->name);
    if (at + 1 == std::end(kArchitectures) || at->line != (at + 1)->line) out += fmt::format("`{}`", at->name);
  }
  return out;
}

}  // namespace

Target merged(Target preferred, const Target& fallback) {
  for (std::string Target::* member : {&Target::runtime, &Target::vendor, &Target::arch, &Target::device})
    if ((preferred.*member).empty()) preferred.*member = fallback.*member;
  return preferred;
}

const std::vector<std::string>& knownVendors() {
  static const std::vector<std::string> kNames{"amd", "apple", "cpu", "intel", "nvidia"};
  return kNames;
}

std::string_view vendorOfArchitecture(std::string_view arch) {
  const Architecture* known = findKnown(withoutFeatureSuffix(arch));
  return known == nullptr ? std::string_view() : known->line.substr(0, known->line.find(' '));
}

bool accepts(std::string_view pattern, std::string_view arch) {
  const bool orLater = pattern.ends_with('+');
  if (orLater) pattern.remove_suffix(1);
  pattern = withoutFeatureSuffix(pattern);
  arch = withoutFeatureSuffix(arch);
  if (equalIgnoringCase(pattern, arch)) return true;
  if (!orLater) return false;
  const auto from = place(pattern);
  const auto at = place(arch);
  return from && at && from->line == at->line && at->generation >= from->generation;
}

std::string nearestArchitectures(std::string_view arch) {
  // `80` or `sm80`, as other tools write it.
  std::string_view digits = arch;
  for (const std::string_view prefix : {"sm", "compute_", "SM", "cc"})
    if (digits.starts_with(prefix)) digits.remove_prefix(prefix.size());
  if (const std::string name = fmt::format("sm_{}", digits); findKnown(name) != nullptr)
    return fmt::format("; did you mean `{}`?", name);
  // Compare numbers, not spellings: `sm_35` is spelled like `sm_85`, but is not near it.
  if (const auto capability = computeCapability(arch)) {
    std::string below, above;
    for (const Architecture& known : kArchitectures) {
      if (known.line != kNvidiaLine) continue;
      if (known.generation < *capability) below = known.name;
      if (known.generation > *capability && above.empty()) above = known.name;
    }
    if (below.empty() || above.empty()) return fmt::format("; did you mean `{}`?", below.empty() ? above : below);
    return fmt::format("; did you mean `{}` or `{}`?", below, above);
  }
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Architecture& known : kArchitectures) names.emplace_back(known.name);
    return names;
  }();
  const std::string hint = didYouMean(arch, kNames);
  return hint.empty() ? "; known: " + knownLines() : hint;
}

}  // namespace amdahlc
