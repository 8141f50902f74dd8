/// Compressed bytes: they are the same in pieces of any size, and a trace in them is read.
#include <algorithm>

#include "support/byte_source.h"
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

// A few kilobytes may stand for gigabytes, which the readers bound.
constexpr size_t kMostBytes = size_t{1} << 22;

/// `step` bytes at once.
std::string decompressed(std::string_view input, size_t step, DiagnosticEngine& diagnostics) {
  const auto compressed = bytesInMemory(input);
  const auto source = decompress(*compressed, compressionOf(input), "trace.json", diagnostics);
  std::string bytes, piece(step, '\0');
  for (size_t count = step; count == step && bytes.size() < kMostBytes;) {
    count = source->read(piece.data(), std::min(step, kMostBytes - bytes.size()));
    bytes.append(piece, 0, count);
  }
  return bytes;
}

void fuzzTraceCompressed(std::string_view input, Run& run) {
  if (compressionOf(input) == Compression::None) return;
  DiagnosticEngine ignored;
  const std::string whole = decompressed(input, kMostBytes, run.diagnostics);
  const std::string pieces = decompressed(input, 1 + hashOf(input) % 5000, ignored);
  // How much of what precedes damage is delivered may depend on it.
  const bool damaged = run.diagnostics.hasErrors();
  require(whole == pieces || (damaged && (whole.starts_with(pieces) || pieces.starts_with(whole))),
          "the decompressed bytes depend on how many are read at once");
  require(damaged == ignored.hasErrors() || whole.size() == kMostBytes, "whether data are damaged depends on the same");
  if (whole.size() < kMostBytes) readAndReport(input, run);
}

const Registration kTraceCompressed(
    {.name = "trace_compressed", .fuzzOne = fuzzTraceCompressed, .mutate = nullptr, .mutations = 500});

}  // namespace
}  // namespace amdahlc::fuzz
