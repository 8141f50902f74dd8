#include "trace/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/file.h"
#include "timeline/builder.h"
#include "timeline/time_limits.h"
#include "trace/kineto.h"
#include "trace/trace_input.h"

namespace amdahlc::trace {
namespace {

/// simdjson counts bytes in 32 bits.
constexpr uint64_t kMaxTextBytes = (uint64_t{4} << 30) - 4096;
constexpr size_t kMaxKeysShown = 8;

/// The formats that can be read, the most specific first.
struct Format {
  std::string_view name;
  /// For messages that list the formats.
  std::string_view description;
  bool (*looksLike)(const TraceInput&);
  bool (*read)(const TraceInput&, TimelineBuilder&, DiagnosticEngine&);
};
constexpr Format kFormats[] = {
    {"kineto", "PyTorch profiler (Kineto) JSON", looksLikeKineto, readKineto},
};

std::string lastComponent(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string describe(const JsonSketch& sketch) {
  std::string out = sketch.isArray ? "an array" : "an object";
  if (sketch.keys.empty()) return out + " without keys";
  out += sketch.isArray ? " whose first element has " : " with ";
  for (size_t i = 0; i < std::min(sketch.keys.size(), kMaxKeysShown); ++i)
    out += fmt::format("{}`{}`", i == 0 ? "" : ", ", sketch.keys[i]);
  if (sketch.keys.size() > kMaxKeysShown) out += ", ...";
  if (!sketch.firstCategory.empty()) out += fmt::format(" and the category `{}`", sketch.firstCategory);
  return out;
}

/// The kind of a text that is not JSON, if its beginning shows it.
std::optional<std::string> otherThanJson(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == std::string_view::npos) return "the file is empty";
  if (text.starts_with("SQLite format 3")) return "the file is an SQLite database, not JSON";
  if (text[start] != '{' && text[start] != '[') return "the file is not JSON: it begins with neither `{` nor `[`";
  return std::nullopt;
}

std::string knownFormats() {
  std::string out = "traces that can be read: ";
  for (const Format& format : kFormats) out += fmt::format("{}, ", format.description);
  return out + "plain or gzipped";
}

}  // namespace

std::string labelOf(const std::string& file) {
  const std::string name = lastComponent(file);
  const std::string label = name.substr(0, name.find('.', 1));
  return label.empty() || label == kStdinName ? "trace" : label;
}

std::optional<Timeline> readTrace(std::string_view bytes, const std::string& file, const TraceReadOptions& options,
                                  DiagnosticEngine& diagnostics) {
  std::string text;
  if (looksGzipped(bytes)) {
    auto inflated = inflate(bytes, kMaxTextBytes, file, diagnostics);
    if (!inflated) return std::nullopt;
    text = std::move(*inflated);
  } else if (bytes.size() > kMaxTextBytes) {
    diagnostics.error(DiagId::FileTooLarge, FileLocation{file},
                      fmt::format("the trace has {} bytes, more than the limit of {}", bytes.size(), kMaxTextBytes));
    return std::nullopt;
  } else {
    text = bytes;
  }

  TraceInput input = TraceInput::padded(std::move(text), file);
  const auto notJson = otherThanJson(input.text);
  if (!notJson) {
    input.json = sketchJson(input, diagnostics);
    if (!input.json) return std::nullopt;
  }
  const auto format =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& f) { return f.looksLike(input); });
  if (format == std::end(kFormats)) {
    diagnostics
        .error(DiagId::TraceUnknownFormat, FileLocation{file},
               notJson ? *notJson : fmt::format("the JSON is not a known trace; it is {}", describe(*input.json)))
        .note(knownFormats());
    return std::nullopt;
  }

  TimelineBuilder builder;
  Timeline& facts = builder.facts();
  facts.file = lastComponent(file);
  facts.label = options.label.empty() ? labelOf(file) : options.label;
  facts.format = format->name;
  facts.contentHash = contentHash(bytes);
  if (!format->read(input, builder, diagnostics)) return std::nullopt;
  Timeline timeline = builder.finish(options.steps);
  if (const std::string defect = timeDefect(timeline); !defect.empty()) {
    diagnostics.error(DiagId::TraceInvalid, FileLocation{file}, defect);
    return std::nullopt;
  }
  if (timeline.size() == 0) {
    diagnostics.warning(DiagId::TraceEmpty, FileLocation{file},
                        fmt::format("none of {} events is a kernel, copy or set, or a CPU operator with a duration",
                                    timeline.host->size()));
  }
  return timeline;
}

}  // namespace amdahlc::trace
