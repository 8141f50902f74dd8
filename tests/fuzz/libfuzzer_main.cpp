/// The functions that libFuzzer calls. The first argument of the program is the name of the target:
///
///   fuzz TARGET [libFuzzer's options and folders]
///
/// A process that libFuzzer starts, as it does to merge, gets the arguments as they are after the initialisation. That
/// puts `--target=TARGET` in place of the name: libFuzzer passes on options with two dashes, and ignores them.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz.h"

namespace {

using namespace amdahlc::fuzz;

constexpr std::string_view kOption = "--target=";
const Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::string_view name = *argc > 1 ? (*argv)[1] : "";
  if (name.starts_with(kOption)) name.remove_prefix(kOption.size());
  target = findTarget(name);
  if (target == nullptr) {
    std::fprintf(stderr, "error: the first argument must be the name of a target\n");
    std::exit(2);
  }
  static std::string option = std::string(kOption).append(name);
  (*argv)[1] = option.data();
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
