#include "api/trace_files.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "api/option_values.h"
#include "ir/cover.h"
#include "replay/timeline/timeline.h"
#include "runs/execution_trace/reader.h"
#include "runs/files/trace_file.h"
#include "runs/ranks/numbering.h"
#include "runs/trace/reader.h"
#include "support/byte_source.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::api {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLabelOfRanks = "ranks";
constexpr std::string_view kPatternCharacters = "*?[";
constexpr size_t kSniffedBytes = 4096;
struct TracesOfRanks {
  /// In order of name.
  std::vector<std::string> files;
  /// The names of other files in the folder.
  std::vector<std::string> others;
};

/// The names of traces of Kineto and ONNX Runtime, and of Nsight Systems, end so.
bool isNameOfTrace(std::string_view name) {
  if (name.starts_with('.')) return false;
  for (const std::string_view compression : {".gz", ".zst"}) {
    if (!name.ends_with(compression)) continue;
    name.remove_suffix(compression.size());
    break;
  }
  return name.ends_with(".json") || name.ends_with(".sqlite");
}

TracesOfRanks tracesIn(const fs::path& folder) {
  TracesOfRanks found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    std::error_code unknown;
    if (isNameOfTrace(name) && entry.is_regular_file(unknown))
      found.files.push_back(entry.path().string());
    else if (!name.starts_with('.'))
      found.others.push_back(name);
  }
  std::ranges::sort(found.files);
  std::ranges::sort(found.others);
  return found;
}

TracesOfRanks tracesThatMatch(const std::string& pattern) {
  TracesOfRanks found;
  glob_t matches{};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> owner(&matches, ::globfree);
  if (::glob(pattern.c_str(), 0, nullptr, &matches) == 0)
    found.files.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  std::ranges::sort(found.files);
  return found;
}

/// nullopt if `path` is neither a folder nor a pattern, or names a file as it is.
std::optional<TracesOfRanks> tracesOfRanks(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return tracesIn(path);
  if (fs::exists(path, error) || path.find_first_of(kPatternCharacters) == std::string::npos) return std::nullopt;
  return tracesThatMatch(path);
}

/// The label of the run whose ranks are in a folder or match a pattern: the name of the folder.
std::string labelOfRanks(const std::string& path) {
  std::error_code error;
  fs::path folder = path;
  if (!fs::is_directory(folder, error)) folder = folder.parent_path();
  while (folder.filename().empty() && folder.has_relative_path()) folder = folder.parent_path();
  const std::string name = folder.filename().string();
  const bool isName = name != "." && name != ".." && name.find_first_of(kPatternCharacters) == std::string::npos;
  return isName && isRunLabel(name) ? name : std::string(kLabelOfRanks);
}

/// Why the traces that `path` names cannot be added as ranks; empty if they can.
std::string obstacleToRanks(const Request& request, const std::string& path, const TracesOfRanks& found) {
  if (request.ranks) return "several folders or patterns of traces are given; one run of several ranks is read";
  if (!found.files.empty()) return "";
  std::error_code error;
  return fs::is_directory(path, error)
             ? fmt::format("the folder `{}` has no file whose name ends as that of a trace, such as `.json.gz`", path)
             : fmt::format("no file matches `{}`", path);
}

bool gatherRanks(Request& request, DiagnosticEngine& diagnostics) {
  const auto isRank = [](const TraceArgument& trace) { return ranks::rankOfLabel(trace.label).has_value(); };
  std::vector<TraceArgument>& traces = request.traces;
  const auto labelled = std::ranges::count_if(traces, isRank);
  const size_t errorsBefore = diagnostics.errorCount();
  const auto refuse = [&](SourceRange range, const std::string& message) {
    diagnostics.error(DiagId::OptionConflict, range, message);
  };
  if (labelled > 1 || (labelled == 1 && request.ranks)) {
    for (const TraceArgument& trace : traces) {
      if (!isRank(trace)) continue;
      if (request.ranks && !request.ranks->source.empty()) {
        refuse(trace.range,
               "ranks are given by their labels and as a folder or a pattern; one run of several ranks is read");
        return false;
      }
      if (!request.ranks) request.ranks = RankArgument{"", "", {}, trace.range, {}};
      std::vector<std::string> paths = trace.paths;
      std::vector<std::string> executionTraces = takeExecutionTraces(paths);
      if (paths.size() != 1 || executionTraces.size() > 1)
        refuse(trace.range, fmt::format("`{}` has {} files; a rank has one, and one execution trace at most",
                                        trace.label, trace.paths.size()));
      executionTraces.resize(1);
      request.ranks->files.push_back({paths.empty() ? trace.paths.front() : paths.front(),
                                      ranks::rankOfLabel(trace.label), std::move(executionTraces.front())});
    }
    std::erase_if(traces, isRank);
    int64_t chosen = *request.ranks->files.front().number;
    for (const RankArgument::File& file : request.ranks->files) chosen = std::min(chosen, *file.number);
    request.ranks->label = fmt::format("rank{}", request.rank.value_or(chosen));
  }
  if (!request.ranks) {
    if (request.rank) refuse(request.rankRange, fmt::format("`-rank` has no effect without {}", kTracesOfRanks));
    if (request.jobs > 0) refuse(request.jobsRange, fmt::format("`-jobs` has no effect without {}", kTracesOfRanks));
    return diagnostics.errorCount() == errorsBefore;
  }
  if (request.checkRules)
    refuse(request.ranks->range,
           "`-check-rules` compares rules with the launches of single traces; give one of a rank");
  if (request.allDevices)
    refuse(request.ranks->range, "`-device=all` makes a run of each device of a trace; ranks are of one run");
  for (const RankArgument::File& file : request.ranks->files)
    if (file.path == "-")
      refuse(request.ranks->range, "a rank cannot be read from stdin: the trace that is bound is read twice");
  if (static_cast<int64_t>(request.ranks->files.size()) > limits::kRanksOfRun)
    refuse(request.ranks->range, fmt::format("the run has {} ranks; of {} at most can be read together",
                                             request.ranks->files.size(), limits::kRanksOfRun));
  traces.push_back({request.ranks->label, {request.ranks->files.front().path}, request.ranks->range});
  return diagnostics.errorCount() == errorsBefore;
}

/// A run is named after its own trace, also where a capture of its graphs stands before it.
void putCapturesLast(std::vector<std::string>& paths) {
  if (paths.size() < 2) return;
  const auto run = std::ranges::find_if_not(paths, trace::mayHoldCapture);
  if (run != paths.end()) std::rotate(paths.begin(), run, paths.end());
}

bool nameRuns(Request& request, DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  const auto refuse = [&](const TraceArgument& trace, std::string_view fact, std::string_view label) {
    diagnostics.error(DiagId::TraceLabel, trace.range,
                      fmt::format("{} labelled `{}`; name {} with `-trace=label=file`", fact, label,
                                  label == ir::kDefaultCover ? "it" : "one"));
  };
  std::set<std::string, std::less<>> taken{std::string(ir::kDefaultCover)};
  const auto isOfRanks = [&](const TraceArgument& trace) { return request.ranks && &trace == &request.traces.back(); };
  // By label, what is given so far; and whether a file is among it.
  using Files = std::map<std::string, std::vector<std::string>>;
  const auto isRepeated = [](Files& filesOf, const std::string& label, const std::string& file) {
    std::vector<std::string>& files = filesOf[label];
    std::error_code error;
    const bool isIn = std::ranges::any_of(
        files, [&](const std::string& other) { return other == file || fs::equivalent(other, file, error); });
    files.push_back(file);
    return isIn;
  };
  Files recordingsOf, filesOf;
  for (const TraceArgument& trace : request.traces) {
    if (!trace.label.empty() && !isRunLabel(trace.label))
      diagnostics.error(
          DiagId::TraceLabel, trace.range,
          fmt::format("`{}` is no label of a run; it has a slash or control characters", printable(trace.label)));
    else if (trace.label == ir::kDefaultCover)
      refuse(trace, "a run cannot be", trace.label);
    else if (!trace.label.empty() && !taken.insert(trace.label).second && isOfRanks(trace))
      refuse(trace, "two runs are", trace.label);
    else if (!trace.label.empty() && !isOfRanks(trace) && isRepeated(recordingsOf, trace.label, trace.paths.front()))
      diagnostics.error(DiagId::TraceLabel, trace.range,
                        fmt::format("`{}` is given twice as a recording of the run `{}`",
                                    printable(inputName(trace.paths.front())), trace.label));
  }
  for (TraceArgument& trace : request.traces) {
    if (!trace.label.empty()) continue;
    putCapturesLast(trace.paths);
    const std::string& file = isOfRanks(trace) ? request.ranks->source : trace.paths.front();
    const std::string name = isOfRanks(trace) ? labelOfRanks(file) : trace::labelOf(inputName(file));
    if (isRepeated(filesOf, name, file)) refuse(trace, "two runs are", name);
    trace.label = name;
    for (size_t number = 1; !taken.insert(trace.label).second; ++number)
      trace.label = fmt::format("{}_{}", name, number);
    trace.isNamedByFile = true;
  }
  return diagnostics.errorCount() == errorsBefore;
}

}  // namespace

bool isTrace(const std::string& path) {
  std::error_code error;
  // Files of one run with commas between them, as the first screen names them.
  if (const size_t comma = path.find(','); comma != std::string::npos && !fs::exists(path, error))
    return isTrace(path.substr(0, comma));
  if (fs::is_directory(path, error)) return true;
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".onnx" || ending == ".onnxtxt" || ending == ".air") return false;
  if (path == "-" || !fs::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kSniffedBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  if (compressionOf(bytes) != Compression::None || bytes.starts_with("SQLite format 3")) return true;
  const size_t start = bytes.find_first_not_of(" \t\r\n");
  return start != std::string::npos && (bytes[start] == '{' || bytes[start] == '[');
}

bool isExecutionTrace(const std::string& path) {
  std::error_code error;
  if (path == "-" || !fs::is_regular_file(path, error)) return false;
  DiagnosticEngine ignored([](const Diagnostic&) {});
  const auto file = trace::TraceFile::open(path, ignored);
  return file != nullptr && execution_trace::looksLikeExecutionTrace(file->beginning());
}

std::vector<std::string> takeExecutionTraces(std::vector<std::string>& paths) {
  if (paths.size() < 2) return {};
  const auto others = std::ranges::stable_partition(paths, std::not_fn(isExecutionTrace));
  std::vector<std::string> found(others.begin(), others.end());
  paths.erase(others.begin(), others.end());
  return found;
}

void addTrace(Request& request, TraceArgument trace, DiagId fault, DiagnosticEngine& diagnostics) {
  auto ranks = trace.paths.size() == 1 ? tracesOfRanks(trace.paths.front()) : std::nullopt;
  if (!ranks) {
    if (std::ranges::find(trace.paths, "") != trace.paths.end())
      diagnostics.error(fault, trace.range, "`-trace` needs a file");
    request.traces.push_back(std::move(trace));
    return;
  }
  std::string& source = trace.paths.front();
  std::vector<std::string> executionTraces = takeExecutionTraces(ranks->files);
  std::string why = obstacleToRanks(request, source, *ranks);
  if (ranks->files.empty() && !executionTraces.empty())
    why = fmt::format("`{}` has execution traces only; a rank has a trace with times", source);
  if (!why.empty()) {
    diagnostics.error(fault, trace.range, why);
    return;
  }
  request.ranks = RankArgument{std::move(trace.label), std::move(source), {}, trace.range, std::move(ranks->others)};
  for (std::string& file : ranks->files) request.ranks->files.push_back({std::move(file), std::nullopt});
  request.ranks->executionTraces = std::move(executionTraces);
}

void addTrace(Request& request, std::string label, const std::string& files, SourceRange range, DiagId fault,
              DiagnosticEngine& diagnostics) {
  TraceArgument trace{std::move(label), {}, range};
  std::error_code error;
  // The name of a file or a folder may have commas.
  if (fs::exists(files, error) || files.find_first_of(kPatternCharacters) != std::string::npos)
    trace.paths.push_back(files);
  else
    for (const Piece& piece : split(files, range, ',')) trace.paths.push_back(piece.text);
  addTrace(request, std::move(trace), fault, diagnostics);
}

void addRanks(Request& request, std::vector<RankArgument::File> files, DiagId fault, DiagnosticEngine& diagnostics) {
  RankArgument ranks{std::string(kLabelOfRanks), "", {}, {}, {}};
  for (RankArgument::File& file : files) {
    if (files.size() > 1 && isExecutionTrace(file.path))
      ranks.executionTraces.push_back(std::move(file.path));
    else
      ranks.files.push_back(std::move(file));
  }
  if (ranks.files.empty()) {
    diagnostics.error(fault, ranks.range,
                      ranks.executionTraces.empty() ? "no traces of ranks are given"
                                                    : "all files are execution traces; a rank has a trace with times");
    return;
  }
  request.ranks = std::move(ranks);
}

void takeRanksByName(Request& request) {
  std::vector<TraceArgument>& traces = request.traces;
  if (request.ranks || traces.size() < 2) return;
  std::set<std::string> names;
  for (const TraceArgument& trace : traces) {
    const std::string name = trace::labelOf(inputName(trace.paths.front()));
    if (trace.paths.size() != 1 || !ranks::rankOfLabel(name) || !names.insert(name).second) return;
  }
  request.ranks = RankArgument{"", traces.front().paths.front(), {}, traces.front().range, {}};
  for (TraceArgument& trace : traces) request.ranks->files.push_back({std::move(trace.paths.front()), std::nullopt});
  traces.clear();
}

bool completeTraces(Request& request, DiagnosticEngine& diagnostics) {
  return gatherRanks(request, diagnostics) && nameRuns(request, diagnostics);
}

}  // namespace amdahlc::api
