/// TensorRT's profiles, of up to three files: the parts of the input between bytes of zero.
#include "runs/trace/reader.h"
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

void fuzzTraceTensorrt(std::string_view input, Run& run) {
  // One more than a run may have.
  constexpr size_t kMaxParts = 4;
  std::vector<std::string> paths;
  for (std::string_view rest = input;;) {
    const size_t end = paths.size() + 1 == kMaxParts ? std::string_view::npos : rest.find('\0');
    paths.push_back(memoryFile(rest.substr(0, end), paths.size()));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const auto timeline = trace::readTrace(paths, {"run", selectionFor(input)}, run.diagnostics);
  if (timeline) reportTimeline(*timeline, run);
}

const Registration kTraceTensorrt(
    {.name = "trace_tensorrt", .fuzzOne = fuzzTraceTensorrt, .mutate = mutateJson, .mutations = 2000});

}  // namespace
}  // namespace amdahlc::fuzz
