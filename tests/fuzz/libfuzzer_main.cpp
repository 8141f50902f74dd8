/// The functions that libFuzzer calls. The first argument of the program is the name of the target:
///
///   fuzz TARGET [libFuzzer's options and folders]
///
/// A process that libFuzzer starts, as it does to merge, gets the other arguments only. It inherits the name by the
/// environment.
#include <cstdio>
#include <cstdlib>

#include "fuzz.h"

namespace {

using namespace amdahlc::fuzz;

constexpr const char* kInherited = "AMDAHLC_FUZZ_TARGET";
const Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (const char* inherited = std::getenv(kInherited)) target = findTarget(inherited);
  if (target != nullptr) return 0;
  if (*argc > 1) target = findTarget((*argv)[1]);
  if (target == nullptr) {
    std::fprintf(stderr, "error: the first argument must be the name of a target\n");
    std::exit(2);
  }
  setenv(kInherited, (*argv)[1], 1);
  // libFuzzer takes the rest.
  (*argv)[1] = (*argv)[0];
  ++*argv;
  --*argc;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // Most inputs run once, because that finds more in the same time.
  fuzzWithChecks(*target, input, hashOf(input) % 8 == 0);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  return target->mutate != nullptr ? target->mutate(data, size, maxSize, seed) : LLVMFuzzerMutate(data, size, maxSize);
}
