#include "driver/trace_copies.h"

#include <fmt/format.h>

#include <filesystem>

#include "trace/annotate.h"

namespace amdahlc::driver {

TraceCopies::TraceCopies(const Pipeline& pipeline, const PassRegistry& registry) {
  for (const PlannedPass& pass : pipeline)
    for (const PlannedOutput& output : plannedOutputs(pass))
      if (const OutputKind* kind = findOutputKind(registry.outputKinds(), output.request.kind); kind->annotate)
        planned_.push_back({kind, output.parameter ? output.parameter->valueRange : pass.range});
}

bool TraceCopies::canReadTwice(const Settings& settings, DiagnosticEngine& diagnostics) const {
  if (planned_.empty()) return true;
  for (const TraceArgument& trace : settings.traces) {
    std::error_code error;
    const std::string& path = trace.paths.front();
    // A file that is missing is an error of its own.
    if (path != "-" && (std::filesystem::is_regular_file(path, error) || !std::filesystem::exists(path, error)))
      continue;
    diagnostics.error(DiagId::OptionConflict, trace.range,
                      fmt::format("`{}` is a copy of the trace, which is read a second time for it, and {} can be read "
                                  "once only; give a file",
                                  planned_.front().kind->name, path == "-" ? "stdin" : "a pipe"));
    return false;
  }
  return true;
}

bool TraceCopies::canCopy(const ir::Module& module, DiagnosticEngine& diagnostics) const {
  for (const auto& [kind, range] : planned_)
    for (const Timeline& timeline : module.timelines)
      if (!canWrite(*kind, timeline, diagnostics, range)) return false;
  return true;
}

TraceCopier copierOf(const ir::Module& module, const std::map<std::string, std::string>& files,
                     DiagnosticEngine& diagnostics) {
  return [&](const Artifact& artifact, ByteSink& out) {
    return trace::writeAnnotated(files.at(artifact.run), *module.findTimeline(artifact.run), *artifact.annotations, out,
                                 diagnostics);
  };
}

}  // namespace amdahlc::driver
