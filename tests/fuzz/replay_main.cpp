/// Runs a fuzz target without libFuzzer: the given inputs, then mutations of them, always the same.
///
///   fuzz TARGET FILE-or-FOLDER...
///
/// Of a folder every Nth file is run, and as many mutations are tried as the target says. A missing folder has no
/// inputs. If a property fails, the input is kept as `finding-TARGET` in the current folder.
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz.h"

namespace {

namespace fs = std::filesystem;
using amdahlc::fuzz::Random;
using amdahlc::fuzz::Target;

Random byteRandom(1);
/// What is running, for the handlers of a failure.
std::string current;
std::string findingPath;

/// Only calls that are safe in a handler of a signal.
void keepCurrent() {
  const int file = open(findingPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  const bool kept = write(file, current.data(), current.size()) == static_cast<ssize_t>(current.size());
  close(file);
  constexpr std::string_view kNote = "the input is kept as ";
  for (const std::string_view part : {kNote, std::string_view(findingPath), std::string_view("\n")})
    if (kept && write(STDERR_FILENO, part.data(), part.size()) < 0) return;
}

void onAbort(int) {
  keepCurrent();
  std::_Exit(1);
}

void runOne(const Target& target, std::string input) {
  current = std::move(input);
  // A copy of the exact size, so that a read beyond its end is noticed.
  const std::vector<char> bytes(current.begin(), current.end());
  amdahlc::fuzz::fuzzWithChecks(target, {bytes.data(), bytes.size()}, true);
}

std::vector<std::string> readInputs(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (fs::is_directory(path)) {
      for (const auto& entry : fs::directory_iterator(path))
        if (entry.is_regular_file()) files.push_back(entry.path());
    } else if (fs::is_regular_file(path)) {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

std::string mutated(const Target& target, const std::string& input, unsigned seed) {
  constexpr size_t kRoom = 4096;
  std::vector<uint8_t> bytes(input.begin(), input.end());
  bytes.resize(input.size() + kRoom);
  const size_t size = target.mutate != nullptr ? target.mutate(bytes.data(), input.size(), bytes.size(), seed)
                                               : LLVMFuzzerMutate(bytes.data(), input.size(), bytes.size());
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace

/// A few changed bytes, a part left out or repeated.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize) {
  if (size == 0) {
    *data = static_cast<uint8_t>(byteRandom.below(256));
    return std::min<size_t>(1, maxSize);
  }
  const size_t at = byteRandom.below(size);
  const size_t length = 1 + byteRandom.below(std::min<size_t>(size - at, 16));
  switch (byteRandom.below(4)) {
    case 0:
      std::copy(data + at + length, data + size, data + at);
      return size - length;
    case 1:
      if (size + length > maxSize) return size;
      std::copy_backward(data + at, data + size, data + size + length);
      return size + length;
    case 2:
      data[at] = static_cast<uint8_t>(data[at] ^ 1u << byteRandom.below(8));
      return size;
    default:
      data[at] = static_cast<uint8_t>(byteRandom.below(256));
      return size;
  }
}

int main(int argc, char** argv) {
  const Target* target = argc > 1 ? amdahlc::fuzz::findTarget(argv[1]) : nullptr;
  if (target == nullptr) {
    std::fprintf(stderr, "error: the first argument must be the name of a target\n");
    return 2;
  }
  const std::vector<fs::path> paths(argv + 2, argv + argc);
  findingPath = "finding-" + std::string(target->name);
  std::signal(SIGABRT, onAbort);
  __sanitizer_set_death_callback(keepCurrent);
  const std::vector<std::string> inputs = readInputs(paths);
  if (inputs.empty()) {
    std::fprintf(stderr, "no inputs\n");
    return 1;
  }
  size_t replayed = 0;
  for (size_t i = 0; i < inputs.size(); i += target->everySeed, ++replayed) runOne(*target, inputs[i]);
  // Mutations of mutations reach further; every chain begins at an input again.
  constexpr size_t kChain = 5;
  std::string input;
  for (size_t i = 0; i < target->mutations; ++i) {
    if (i % kChain == 0) input = inputs[i / kChain % inputs.size()];
    input = mutated(*target, input, static_cast<unsigned>(i));
    runOne(*target, input);
  }
  std::printf("%zu inputs of %zu, and %zu mutations of them\n", replayed, inputs.size(), target->mutations);
  return 0;
}
