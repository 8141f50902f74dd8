#include "api/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "api/shipped_files.h"
#include "api/trace_files.h"
#include "grammar/rule_loader.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/text.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/guessed_iterations.h"
#include "replay/timeline/recordings.h"
#include "replay/timeline/time_limits.h"
#include "report/comparison/report_reader.h"
#include "runs/execution_trace/reader.h"
#include "runs/trace/reader.h"
#include "support/byte_source.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::api {
namespace {

namespace fs = std::filesystem;

enum class ModelKind : uint8_t { Onnx, OnnxText, IrText, Unknown };

/// The text after blanks and comments (`//` or `#`) at the start.
std::string_view withoutComments(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c != '#' && text.substr(at, 2) != "//") return text.substr(at);
    at = text.find('\n', at);
    if (at == std::string_view::npos) return {};
  }
  return {};
}

/// The kind of the content: protobuf begins with the tag of `ir_version`, ONNX text with `<`, IR text with its name.
ModelKind sniff(std::string_view bytes) {
  if (bytes.starts_with('\x08') || bytes.substr(0, 256).find('\0') != std::string_view::npos) return ModelKind::Onnx;
  const std::string_view text = withoutComments(bytes.substr(0, 65536));
  if (text.starts_with('<')) return ModelKind::OnnxText;
  if (text.starts_with("amdahlc.ir")) return ModelKind::IrText;
  return ModelKind::Unknown;
}

ModelKind kindOf(const std::string& path, std::string_view bytes) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".onnx") return ModelKind::Onnx;
  if (extension == ".onnxtxt") return ModelKind::OnnxText;
  if (extension == ".air") return ModelKind::IrText;
  return sniff(bytes);
}

/// A runtime's name comes from IR text or a trace. It is used as the name of a library only if it cannot be a path.
bool canNameLibrary(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                              std::string_view::npos;
}

/// The path of the shipped library with the name of the runtime, or that of the fallback. A path, because a bare name
/// could also be a file or folder here.
std::string defaultLibrary(const std::string& runtime, const std::vector<fs::path>& folders) {
  std::string fallback(kFallbackRuntime);
  for (const std::string& name : {runtime, fallback}) {
    if (!canNameLibrary(name)) continue;
    std::error_code error;
    for (const fs::path& folder : folders)
      if (const fs::path file = folder / (name + ".akp"); fs::is_regular_file(file, error)) return file.string();
  }
  return fallback;
}

/// Those of the runtimes of the module and its runs, the module's first.
std::vector<std::string> defaultLibraries(const ir::Module* module, const std::vector<fs::path>& folders) {
  std::vector<std::string> libraries{defaultLibrary(module ? module->target.runtime : std::string(), folders)};
  if (module == nullptr) return libraries;
  for (const Timeline& timeline : module->timelines) {
    std::string library = defaultLibrary(timeline.target.runtime, folders);
    if (std::ranges::find(libraries, library) == libraries.end()) libraries.push_back(std::move(library));
  }
  return libraries;
}

std::optional<ir::Module> readModel(const Request& request, SourceManager& sources, DiagnosticEngine& diagnostics) {
  const ModelArgument& input = *request.model;
  auto bytes = input.bytes ? input.bytes : readFile(input.path, limits::kModelBytes, diagnostics);
  if (!bytes) return std::nullopt;
  const std::string name = inputName(input.path);
  ir::OnnxImportOptions options;
  for (const DimArgument& dim : request.dims) options.dims.emplace(dim.name, dim.size);
  switch (kindOf(input.path, *bytes)) {
    case ModelKind::Onnx:
      return ir::importOnnx(*bytes, name, options, diagnostics);
    case ModelKind::OnnxText:
      return ir::importOnnxText(sources.add(name, std::move(*bytes)), sources, options, diagnostics);
    case ModelKind::IrText:
      if (!request.dims.empty()) {
        diagnostics.error(DiagId::OptionConflict, FileLocation{name},
                          "`-dim` fixes dimensions of ONNX models; this is IR text, whose shapes are fixed");
        return std::nullopt;
      }
      return ir::parse(sources.add(name, std::move(*bytes)), sources, grammar::ruleReader(sources), diagnostics);
    case ModelKind::Unknown:
      break;
  }
  const std::string_view text = withoutComments(*bytes);
  const bool trace = compressionOf(*bytes) != Compression::None || text.starts_with('{') || text.starts_with('[');
  diagnostics.error(DiagId::InputKind, FileLocation{name},
                    trace ? fmt::format("this looks like a trace, not a model; give it as `-trace={}`", input.path)
                    : bytes->empty() ? "the file is empty; a model is ONNX, ONNX text or IR text"
                                     : "this is not a model; it is neither ONNX nor ONNX text nor IR text");
  return std::nullopt;
}

bool haveSameSelection(const Timeline& a, const Timeline& b) {
  return std::equal(a.iterations.begin(), a.iterations.end(), b.iterations.begin(), b.iterations.end(),
                    [](const Iteration& x, const Iteration& y) { return x.selected() == y.selected(); });
}

/// The decompressed text of a file of at most `limits::kReportBytes`.
std::optional<std::string> readReportText(const std::string& path, DiagnosticEngine& diagnostics) {
  auto bytes = readFile(path, limits::kReportBytes, diagnostics);
  if (!bytes) return std::nullopt;
  const Compression compression = compressionOf(*bytes);
  if (compression == Compression::None) return bytes;
  const auto packed = bytesInMemory(*bytes);
  const auto plain = decompress(*packed, compression, inputName(path), diagnostics);
  return readAll(*plain, limits::kReportBytes, inputName(path), diagnostics);
}

}  // namespace

std::optional<ir::Module> loadModel(const Request& request, SourceManager& sources, DiagnosticEngine& diagnostics) {
  return withinMemory(diagnostics, FileLocation{inputName(request.model->path)}, "the model was read",
                      [&] { return readModel(request, sources, diagnostics); });
}

namespace {

/// The runs of one option: one, or one for each device.
std::optional<std::vector<Timeline>> loadTrace(const TraceArgument& argument, const Request& request,
                                               DiagnosticEngine& diagnostics) {
  trace::TraceReadOptions options{argument.label, request.selection};
  auto first = trace::readTrace(argument.paths, options, diagnostics);
  if (!first) return std::nullopt;
  std::vector<Timeline> timelines;
  if (!request.allDevices || first->devices.empty()) {
    timelines.push_back(std::move(*first));
    return timelines;
  }
  if (argument.paths.front() == "-") {
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
    auto timeline = trace::readTrace(argument.paths, options, diagnostics);
    if (!timeline) return std::nullopt;
    timelines.push_back(std::move(*timeline));
  }
  return timelines;
}

/// The same of all traces with the label of the first one: each is a recording of the runs.
std::optional<std::vector<Timeline>> loadRecordings(std::span<const TraceArgument> traces, const Request& request,
                                                    DiagnosticEngine& diagnostics) {
  const TraceArgument& first = traces.front();
  std::vector<RecordingJoiner> joiners;
  for (const TraceArgument& argument : traces) {
    if (argument.label != first.label) continue;
    const FileLocation file{inputName(argument.paths.front())};
    auto timelines = withinMemory(diagnostics, file, "the trace was read",
                                  [&] { return loadTrace(argument, request, diagnostics); });
    if (!timelines) return std::nullopt;
    const auto join = [&]() -> std::optional<std::string> {
      if (&argument == &first) {
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
  std::vector<Timeline> runs;
  for (RecordingJoiner& joiner : joiners) runs.push_back(std::move(joiner).finish());
  return runs;
}

}  // namespace

namespace {

/// Moves the execution traces among the files of runs to a table by label. Reports runs that have several, or nothing
/// else, and returns false.
bool takeExecutionTraces(std::vector<TraceArgument>& traces, std::map<std::string, std::string>& byLabel,
                         DiagnosticEngine& diagnostics) {
  std::map<std::string_view, size_t> recordings;
  for (TraceArgument& argument : traces) ++recordings[argument.label];
  for (TraceArgument& argument : traces) {
    // One file alone is a trace, or no input of this kind.
    if (argument.paths.size() < 2) continue;
    const auto others = std::ranges::stable_partition(argument.paths, std::not_fn(isExecutionTrace));
    const std::vector<std::string> found(others.begin(), others.end());
    if (found.empty()) continue;
    argument.paths.erase(others.begin(), others.end());
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

}  // namespace

std::optional<std::vector<LoadedTrace>> loadTraces(const Request& request, DiagnosticEngine& diagnostics) {
  std::vector<LoadedTrace> loaded;
  std::vector<TraceArgument> traces = request.traces;
  std::map<std::string, std::string> executionTraces;
  if (!takeExecutionTraces(traces, executionTraces, diagnostics)) return std::nullopt;
  std::set<std::string> labels;
  for (size_t i = 0; i < traces.size(); ++i) {
    const TraceArgument& argument = traces[i];
    if (!labels.insert(argument.label).second) continue;
    std::optional<execution_trace::ExecutionTrace> executionTrace;
    if (const auto found = executionTraces.find(argument.label); found != executionTraces.end()) {
      executionTrace = withinMemory(diagnostics, FileLocation{inputName(found->second)}, "the execution trace was read",
                                    [&] { return execution_trace::readExecutionTrace(found->second, diagnostics); });
      if (!executionTrace) return std::nullopt;
    }
    auto timelines = loadRecordings(std::span(traces).subspan(i), request, diagnostics);
    if (!timelines) return std::nullopt;
    for (Timeline& timeline : *timelines) {
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
  return loaded;
}

bool haveRulesForRuns(const ir::Module& module, DiagnosticEngine& diagnostics) {
  for (const Timeline& timeline : module.timelines) {
    const ir::Applicability own{{timeline.target.runtime}, {}, {}};
    const auto mayApply = [&](const ir::Rule& rule) { return ir::admitCommonTarget(rule.where, own); };
    if (timeline.target.runtime.empty() || module.coverOfRun(timeline.label) || module.rules.rules.empty() ||
        std::ranges::any_of(module.rules.rules, mayApply))
      continue;
    diagnostics.error(DiagId::TraceLabel, FileLocation{timeline.file},
                      fmt::format("the rules in the IR text are not for `{}`, on which run `{}` ran; give `-rules=` to "
                                  "group it again",
                                  printable(timeline.target.runtime), timeline.label));
    return false;
  }
  return true;
}

std::optional<ir::RuleSet> loadRuleSet(const Request& request, const ir::Module* module, SourceManager& sources,
                                       DiagnosticEngine& diagnostics, std::set<BufferId>* shipped) {
  grammar::RuleLoadOptions options;
  options.shipped = shipped;
  const auto folder = folderOf(kShippedRules, request.shippedFolder);
  if (folder) options.libraryFolders.push_back(*folder);
  options.disabled = request.disabledRules;
  std::vector<grammar::RequestedName> names = request.rules;
  // Shipped rules are for all opsets. An operator that this model cannot have gets a warning only if all rules are a
  // user's own, or if the rules are checked, which sums up what is about shipped rules.
  const bool own = !names.empty() && std::ranges::all_of(names, [](const grammar::RequestedName& name) {
    return name.text.find('/') != std::string::npos || name.text.ends_with(".akp");
  });
  if (module && (own || request.checkRules)) options.opsets.assign(module->opsets.begin(), module->opsets.end());
  if (names.empty() && !folder) {
    diagnostics.error(DiagId::AkpMissingFile, {},
                      fmt::format("no rules are named, and none are shipped: {}; give rules with `-rules=`",
                                  describe(*folder.absence())));
    return std::nullopt;
  }
  if (names.empty())
    for (const std::string& library : defaultLibraries(module, options.libraryFolders)) {
      names.push_back({library, {}});
      // What only calls of a program need.
      fs::path ofPrograms = library;
      ofPrograms.replace_filename(ofPrograms.stem().string() + "_programs.akp");
      std::error_code error;
      if (!request.model && !request.traces.empty() && !request.checkRules && fs::is_regular_file(ofPrograms, error))
        names.push_back({ofPrograms.string(), {}});
    }
  return withinMemory(diagnostics, FileLocation{names.front().text}, "the rules were read",
                      [&] { return grammar::loadRules(names, options, sources, diagnostics); });
}

bool giveHostEvents(Timeline& held, Timeline read, bool regrouped, SourceRange range, DiagnosticEngine& diagnostics) {
  const auto refuse = [&](const std::string& message) {
    diagnostics.error(DiagId::TraceLabel, range, message);
    return false;
  };
  if (held.contentHash != read.contentHash)
    return refuse(fmt::format(
        "the IR text contains a run labelled `{}` of another trace, `{}` (hash {}, not {}); name this one with "
        "`-trace=label=file`",
        held.label, held.file, held.contentHash, read.contentHash));
  if (held.device != read.device)
    return refuse(
        fmt::format("the run `{}` of the IR text is of device {}, this one of device {}; give the same `-device`, or "
                    "name this one "
                    "with `-trace=label=file`",
                    held.label, held.device, read.device));
  if (!regrouped && read.host && held.size() == read.size()) takeAsBefore(read, held);
  if (!regrouped && !haveSameSelection(held, read))
    return refuse(
        fmt::format("the run `{}` of the IR text has other iterations selected; give the same `-steps`, `-window` "
                    "and `-annotation`, or name this one with `-trace=label=file`",
                    held.label));
  if (held.average != read.average)
    return refuse(
        fmt::format("the run `{}` of the IR text reports {}; give the same `-stat`, or name this one with "
                    "`-trace=label=file`",
                    held.label, held.average == Average::Mean ? "means" : "medians"));
  const std::string difference = regrouped ? std::string() : deviceEventDifference(held, read);
  if (!difference.empty())
    return refuse(fmt::format("the run `{}` of the IR text differs from this trace: {}", held.label, difference));
  read.target = std::move(held.target);
  held = std::move(read);
  return true;
}

std::optional<comparison::Baseline> loadBaseline(const Request& request, DiagnosticEngine& diagnostics) {
  const std::string name = inputName(request.baseline);
  return withinMemory(diagnostics, FileLocation{name}, "the baseline was read", [&] {
    const auto text = readReportText(request.baseline, diagnostics);
    return text ? comparison::readReport(name, *text, diagnostics) : std::nullopt;
  });
}

}  // namespace amdahlc::api
