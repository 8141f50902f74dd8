#include "runs/trace/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "replay/timeline/time_limits.h"
#include "runs/builder/builder.h"
#include "runs/files/trace_file.h"
#include "runs/trace/format.h"
#include "support/file.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::trace {
namespace {

/// The formats that can be read, the most specific first.
constexpr const Format* kFormats[] = {&kOnnxRuntimeFormat, &kKinetoFormat, &kNsysFormat, &kTensorRtFormat};

/// The format that a file begins with; null if it is unknown.
const Format* formatOf(const Beginning& beginning) {
  const auto found = std::ranges::find_if(kFormats, [&](const Format* f) { return f->recognises(beginning); });
  return found == std::end(kFormats) ? nullptr : *found;
}

std::string describe(const JsonSketch& sketch) {
  std::string out = sketch.isArray ? "an array" : "an object";
  if (sketch.keys.empty()) return out + " without keys";
  out += (sketch.isArray ? " whose first element has " : " with ") + firstNames(sketch.keys);
  if (!sketch.firstCategory.empty()) out += fmt::format(" and the category `{}`", sketch.firstCategory);
  return out;
}

/// What a file without a known format is.
std::string whatIsIt(const Beginning& beginning) {
  const std::string_view text = beginning.bytes;
  const size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == std::string_view::npos)
    return text.size() < TraceFile::kBeginningBytes ? "the file is empty" : "the file begins with blanks only";
  // The first field of a model is its `ir_version`.
  if (text[start] == '\x08' || text.substr(start).starts_with("<ir_version"))
    return "the file seems to be a model, which is given without `-trace=`";
  if (!beginning.json) return "the file is not JSON: it begins with neither `{` nor `[`";
  return fmt::format("the JSON is not a known trace; it is {}", describe(*beginning.json));
}

std::string knownFormats() {
  std::string out = "traces that can be read: ";
  for (const Format* const format : kFormats) out += fmt::format("{}, ", format->description);
  return out + "plain or compressed with gzip or zstd";
}

/// The format that all files of a run have. Reports a file of no known format, and files that are not of one run.
const Format* commonFormat(TraceFiles files, DiagnosticEngine& diagnostics) {
  const Format* common = nullptr;
  for (const auto& file : files) {
    const Beginning beginning = look(file->beginning());
    const Format* format = formatOf(beginning);
    // The beginning is neither a known format nor JSON that is just another document.
    if (format == nullptr && beginning.invalidAt) {
      if (*beginning.invalidAt == beginning.bytes.size())
        file->reportJsonEnd(*beginning.invalidAt);
      else
        file->reportJsonDamage(*beginning.invalidAt, {}, 0);
      return nullptr;
    }
    if (format == nullptr) {
      auto error = diagnostics.error(DiagId::TraceUnknownFormat, FileLocation{file->name()}, whatIsIt(beginning));
      error.note(knownFormats());
      for (const Format* const other : kFormats)
        for (const std::string_view ending : other->endingsOfOthers)
          if (!ending.empty() && file->name().ends_with(ending)) error.note(std::string(other->advice));
      return nullptr;
    }
    if (common != nullptr && common != format) {
      diagnostics.error(DiagId::TraceUnknownFormat, FileLocation{file->name()},
                        fmt::format("`{}` and `{}` cannot be files of one run: one is {}, the other {}",
                                    files.front()->name(), file->name(), common->description, format->description));
      return nullptr;
    }
    common = format;
  }
  if (files.size() > common->maxFiles) {
    diagnostics.error(
        DiagId::TraceUnknownFormat, FileLocation{files[common->maxFiles]->name()},
        fmt::format("a run recorded as {} has {} file{}, but {} are given; give each run a `-trace=` of its own",
                    common->description, common->maxFiles, common->maxFiles == 1 ? "" : "s", files.size()));
    return nullptr;
  }
  return common;
}

std::optional<Timeline> readFiles(TraceFiles files, const TraceReadOptions& options, DiagnosticEngine& diagnostics) {
  const Format* format = commonFormat(files, diagnostics);
  if (format == nullptr) return std::nullopt;
  const TraceFile& first = *files.front();
  TimelineBuilder builder;
  Timeline& facts = builder.facts();
  facts.label = options.label.empty() ? labelOf(first.name()) : options.label;
  facts.format = format->name;
  if (!format->read(files, builder, diagnostics)) return std::nullopt;
  for (const auto& file : files) {
    facts.file += (facts.file.empty() ? "" : ",") + file->lastComponent();
    facts.contentHash += (facts.contentHash.empty() ? "" : ",") + file->contentHash();
  }
  Timeline timeline = builder.finish(options.selection);
  if (!builder.fault().empty()) {
    diagnostics.error(DiagId::TraceSelection, FileLocation{first.name()}, builder.fault());
    return std::nullopt;
  }
  if (const std::string defect = timeDefect(timeline); !defect.empty()) {
    diagnostics.error(DiagId::TraceInvalid, FileLocation{first.name()}, defect);
    return std::nullopt;
  }
  return timeline;
}

}  // namespace

std::string labelOf(const std::string& file) {
  const std::string name = file.substr(file.find_last_of('/') + 1);
  const std::string label = printable(name.substr(0, name.find('.', 1)));
  return label.empty() || label == kStdinName ? "trace" : label;
}

bool mayHoldCapture(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return false;
  DiagnosticEngine ignored([](const Diagnostic&) {});
  const auto file = TraceFile::open(path, ignored);
  if (file == nullptr || formatOf(look(file->beginning())) != &kKinetoFormat) return false;
  constexpr std::string_view kName = "StreamBeginCapture";
  std::string text(TraceFile::kBeginningBytes, '\0');
  size_t kept = 0;  // bytes of the text before, which may end inside of the name
  while (const size_t count = file->read(text.data() + kept, text.size() - kept)) {
    const std::string_view read(text.data(), kept + count);
    if (read.find(kName) != std::string_view::npos) return true;
    kept = std::min(read.size(), kName.size() - 1);
    std::memmove(text.data(), read.data() + read.size() - kept, kept);
  }
  return false;
}

std::optional<Timeline> readTrace(const std::vector<std::string>& paths, const TraceReadOptions& options,
                                  DiagnosticEngine& diagnostics) {
  std::vector<std::unique_ptr<TraceFile>> files;
  for (const std::string& path : paths) {
    files.push_back(TraceFile::open(path, diagnostics));
    if (!files.back()) return std::nullopt;
    if (options.progress)
      files.back()->tellReads(
          [&options, name = files.back()->lastComponent()](double part) { options.progress(name, part); });
  }
  return readFiles(files, options, diagnostics);
}

bool hasWork(const Timeline& timeline, const std::string& path, DiagnosticEngine& diagnostics) {
  const FileLocation place{inputName(path)};
  if (timeline.size() == 0) {
    const size_t count = timeline.host ? timeline.host->size() : 0;
    auto error = diagnostics.error(
        DiagId::TraceEmpty, place,
        count == 0
            ? "the trace has no events to analyse"
            : fmt::format("no event is a kernel, copy or set, or a CPU operator with a duration; the trace has {}",
                          plural(count, "event")));
    for (const DataProblem& problem : timeline.problems)
      error.note(fmt::format("{} ({})", problem.what, problem.count));
    error.note(
        "a usable trace has the kernels of a device with their times, or operators of a CPU with theirs; let the "
        "profiler record the device and the host, in PyTorch with `activities=[ProfilerActivity.CPU, "
        "ProfilerActivity.CUDA]`, and run the model while it records");
    return false;
  }
  if (timeline.selectedEvents().empty())
    diagnostics
        .warning(DiagId::TraceEmpty, place,
                 fmt::format("none of {} device events belongs to an iteration that counts", timeline.size()))
        .note("`-steps=all` takes the whole trace as one iteration");
  return true;
}

std::optional<Timeline> readTraceBytes(std::string_view bytes, const std::string& file, const TraceReadOptions& options,
                                       DiagnosticEngine& diagnostics) {
  std::vector<std::unique_ptr<TraceFile>> files;
  files.push_back(TraceFile::inMemory(bytes, file, diagnostics));
  if (!files.back()) return std::nullopt;
  return readFiles(files, options, diagnostics);
}

}  // namespace amdahlc::trace
