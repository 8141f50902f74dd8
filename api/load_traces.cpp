// Reads the traces of runs: recordings, devices, execution traces, and captures of graphs.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "api/inputs.h"
#include "api/trace_files.h"
#include "replay/timeline/recordings.h"
#include "replay/timeline/time_limits.h"
#include "runs/captures/attach.h"
#include "runs/execution_trace/reader.h"
#include "runs/trace/reader.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::api {
namespace {

/// What the files of some options hold.
struct LoadedFiles {
  /// One run, or one for each device; none if all files are of captures.
  std::vector<Timeline> runs;
  /// Of graphs, in the order of the files.
  std::vector<Timeline> captures;
};

/// Takes the traces of captures away from the files of a run. They are read as a whole, whatever the selection. Whether
/// a file alone is of a capture can be told without this, if nothing is selected. `whole` is set to the only file that
/// is left, if it was read and nothing is selected: it need not be read again.
std::optional<std::vector<Timeline>> takeCaptures(std::vector<std::string>& paths, const Request& request,
                                                  trace::TraceReadOptions options, std::optional<Timeline>& whole,
                                                  DiagnosticEngine& diagnostics) {
  std::vector<Timeline> captures;
  const bool isAlone = paths.size() < 2, isSelected = request.selection != TraceSelection();
  if (isAlone && (request.traces.size() < 2 || !isSelected)) return captures;
  options.selection = {};
  std::vector<std::string> others;
  for (const std::string& path : paths) {
    if (!trace::mayHoldCapture(path)) {
      others.push_back(path);
      continue;
    }
    auto timeline = trace::readTrace({path}, options, diagnostics);
    if (!timeline) return std::nullopt;
    if (isAlone ? captures::isOfLittleElse(*timeline) : captures::isOfCaptures(*timeline)) {
      captures.push_back(std::move(*timeline));
      continue;
    }
    others.push_back(path);
    if (!isSelected) whole = std::move(timeline);
  }
  paths = std::move(others);
  if (paths.size() != 1) whole.reset();
  return captures;
}

using Progress = std::function<void(std::string_view what, double fraction)>;

std::optional<LoadedFiles> loadTrace(const TraceArgument& argument, const Request& request,
                                     DiagnosticEngine& diagnostics, const Progress& progress) {
  LoadedFiles loaded;
  std::vector<std::string> paths = argument.paths;
  trace::TraceReadOptions options{argument.label, request.selection};
  if (progress)
    options.progress = [&](const std::string& file, double part) {
      progress(fmt::format("read {}", printable(file)), part);
    };
  std::optional<Timeline> first;
  auto captures = takeCaptures(paths, request, options, first, diagnostics);
  if (!captures) return std::nullopt;
  loaded.captures = std::move(*captures);
  if (paths.empty()) return loaded;
  if (!first) first = trace::readTrace(paths, options, diagnostics);
  if (!first) return std::nullopt;
  if (captures::isOfLittleElse(*first)) {
    loaded.captures.push_back(std::move(*first));
    return loaded;
  }
  if (!trace::hasWork(*first, paths.front(), diagnostics)) return std::nullopt;
  std::vector<Timeline>& timelines = loaded.runs;
  if (!request.allDevices || first->devices.empty()) {
    timelines.push_back(std::move(*first));
    return loaded;
  }
  if (paths.front() == "-") {
    diagnostics.error(DiagId::OptionConflict, argument.range,
                      "`-device=all` reads a trace once for each of its devices, and stdin can be read once only");
    return std::nullopt;
  }
  if (static_cast<int64_t>(first->devices.size()) > limits::kDevicesOfAll) {
    diagnostics.error(DiagId::OptionConflict, argument.range,
                      fmt::format("the trace has {} devices; `-device=all` makes a run of each, of {} at most",
                                  first->devices.size(), limits::kDevicesOfAll));
    return std::nullopt;
  }
  for (const std::string& device : first->devices) {
    options.label = fmt::format("{}.dev{}", argument.label, printable(device));
    std::ranges::replace(options.label, '/', '_');
    options.selection.device = device;
    auto timeline = trace::readTrace(paths, options, diagnostics);
    if (!timeline || !trace::hasWork(*timeline, paths.front(), diagnostics)) return std::nullopt;
    timelines.push_back(std::move(*timeline));
  }
  return loaded;
}

/// The same of all traces with the label of the first one: each is a recording of the runs.
std::optional<LoadedFiles> loadRecordings(std::span<const TraceArgument> traces, const Request& request,
                                          DiagnosticEngine& diagnostics, const Progress& progress) {
  const TraceArgument& first = traces.front();
  std::vector<RecordingJoiner> joiners;
  LoadedFiles all;
  for (const TraceArgument& argument : traces) {
    if (argument.label != first.label) continue;
    const FileLocation file{inputName(argument.paths.front())};
    auto loaded = withinMemory(diagnostics, file, "the trace was read",
                               [&] { return loadTrace(argument, request, diagnostics, progress); });
    if (!loaded) return std::nullopt;
    std::ranges::move(loaded->captures, std::back_inserter(all.captures));
    std::vector<Timeline>* const timelines = &loaded->runs;
    if (timelines->empty()) continue;
    const auto join = [&]() -> std::optional<std::string> {
      if (joiners.empty()) {
        for (Timeline& timeline : *timelines) joiners.emplace_back(std::move(timeline));
        return "";
      }
      if (timelines->size() != joiners.size())
        return fmt::format("one has work of {}, the other of {}", plural(joiners.size(), "device"),
                           plural(timelines->size(), "device"));
      for (size_t i = 0; i < joiners.size(); ++i)
        if (std::string why = joiners[i].add(std::move((*timelines)[i])); !why.empty()) return why;
      return "";
    };
    const auto why = withinMemory(diagnostics, file, "the recordings became one run", join);
    if (!why) return std::nullopt;
    if (why->empty()) continue;
    diagnostics
        .error(DiagId::TraceLabel, argument.range,
               fmt::format("this is no other recording of the run `{}`: {}", first.label, *why))
        .secondary(first.range, "the first recording");
    return std::nullopt;
  }
  for (RecordingJoiner& joiner : joiners) all.runs.push_back(std::move(joiner).finish());
  return all;
}

/// Moves the execution traces among the files of runs to a table by label. Reports runs that have several, or nothing
/// else, and returns false.
bool findExecutionTraces(std::vector<TraceArgument>& traces, std::map<std::string, std::string>& byLabel,
                         DiagnosticEngine& diagnostics) {
  std::map<std::string_view, size_t> recordings;
  for (TraceArgument& argument : traces) ++recordings[argument.label];
  for (TraceArgument& argument : traces) {
    // One file alone is a trace, or no input of this kind.
    const std::vector<std::string> found = takeExecutionTraces(argument.paths);
    if (found.empty()) continue;
    const std::string_view fault = argument.paths.empty()           ? "a run has a trace with times beside it"
                                   : found.size() > 1               ? "a run has one of them"
                                   : recordings[argument.label] > 1 ? "it is of one recording, and the run has several"
                                                                    : "";
    if (!fault.empty()) {
      diagnostics.error(DiagId::TraceUnknownFormat, FileLocation{inputName(found.back())},
                        fmt::format("the execution trace is of no use here: {}", fault));
      return false;
    }
    byLabel.emplace(argument.label, found.front());
  }
  return true;
}

/// Captures that were given in one option, and the runs, by place, that were given in it, too.
struct GivenCaptures {
  std::vector<Timeline> captures;
  size_t firstRun, lastRun;
  SourceRange range;
};

/// Tells the runs what the kernels of their graphs are. Captures without a run beside them are of the only run.
bool giveCaptures(std::vector<GivenCaptures>& given, std::vector<LoadedTrace>& runs, size_t labels,
                  DiagnosticEngine& diagnostics) {
  const auto isAlone = [](const GivenCaptures& one) { return one.firstRun == one.lastRun; };
  const size_t labelsOfRuns = labels - static_cast<size_t>(std::ranges::count_if(given, isAlone));
  // By the first run of an option.
  std::map<size_t, std::pair<size_t, std::vector<Timeline>>> capturesOf;
  for (GivenCaptures& one : given) {
    const std::string file = printable(one.captures.front().file);
    if (isAlone(one) && labelsOfRuns > 1) {
      diagnostics.error(DiagId::OptionConflict, one.range,
                        fmt::format("`{}` is of captures of graphs; give it with the trace of its run, as in "
                                    "`-trace=run.json,{}`",
                                    file, file));
      return false;
    }
    if (runs.empty()) {
      diagnostics.error(
          DiagId::TraceUnknownFormat, FileLocation{one.captures.front().file},
          fmt::format("the trace has {} and no run of their graphs; give it with the trace of a run that launches "
                      "them, as in `-trace=run.json,{}`",
                      captures::describeCaptures(one.captures.front()), file));
      return false;
    }
    auto& [last, captures] = capturesOf[isAlone(one) ? 0 : one.firstRun];
    last = isAlone(one) ? runs.size() : one.lastRun;
    // Several recordings may be given with the same capture.
    for (Timeline& capture : one.captures)
      if (std::ranges::find(captures, capture.contentHash, &Timeline::contentHash) == captures.end())
        captures.push_back(std::move(capture));
  }
  for (const auto& [first, of] : capturesOf)
    for (size_t run = first; run < of.first; ++run)
      if (!captures::attachCaptures(runs[run].timeline, of.second, diagnostics)) return false;
  return true;
}

}  // namespace

std::optional<std::vector<LoadedTrace>> loadTraces(const Request& request, DiagnosticEngine& diagnostics,
                                                   const Progress& progress) {
  std::vector<LoadedTrace> loaded;
  std::vector<TraceArgument> traces = request.traces;
  std::map<std::string, std::string> executionTraces;
  if (!findExecutionTraces(traces, executionTraces, diagnostics)) return std::nullopt;
  std::set<std::string> labels;
  std::vector<GivenCaptures> captures;
  for (size_t i = 0; i < traces.size(); ++i) {
    const TraceArgument& argument = traces[i];
    if (!labels.insert(argument.label).second) continue;
    std::optional<execution_trace::ExecutionTrace> executionTrace;
    if (const auto found = executionTraces.find(argument.label); found != executionTraces.end()) {
      executionTrace = withinMemory(diagnostics, FileLocation{inputName(found->second)}, "the execution trace was read",
                                    [&] { return execution_trace::readExecutionTrace(found->second, diagnostics); });
      if (!executionTrace) return std::nullopt;
    }
    auto files = loadRecordings(std::span(traces).subspan(i), request, diagnostics, progress);
    if (!files) return std::nullopt;
    // With a model, and where no program is made, nothing needs one.
    const bool needsOne =
        !request.model && !isOfTracesAlone(request) && !argument.executionTraces.empty() && !files->runs.empty();
    if (needsOne && !joinExecutionTrace(argument, files->runs.front(), executionTrace, diagnostics))
      return std::nullopt;
    if (!files->captures.empty())
      captures.push_back(
          {std::move(files->captures), loaded.size(), loaded.size() + files->runs.size(), argument.range});
    for (Timeline& timeline : files->runs) {
      for (const LoadedTrace& other : loaded) {
        if (other.timeline.label != timeline.label) continue;
        diagnostics.error(DiagId::TraceLabel, argument.range,
                          fmt::format("two runs are labelled `{}`; name one with `-trace=label=file`", timeline.label));
        return std::nullopt;
      }
      if (const std::string defect = timeDefect(timeline); !timeline.recordings.empty() && !defect.empty()) {
        diagnostics.error(DiagId::TraceInvalid, argument.range,
                          fmt::format("the recordings of `{}` together: {}", timeline.label, defect));
        return std::nullopt;
      }
      loaded.push_back({std::move(timeline), argument.range, std::exchange(executionTrace, std::nullopt)});
    }
  }
  if (!giveCaptures(captures, loaded, labels.size(), diagnostics)) return std::nullopt;
  return loaded;
}

}  // namespace amdahlc::api
