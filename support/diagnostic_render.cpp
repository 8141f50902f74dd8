// Diagnostics as text:
//
//   rules.akp:3:8: error[akp-unknown-operator]: unknown operator `MatMull`; did you mean `MatMul`?
//       3 |   root MatMull(x, w)
//         |        ^~~~~~~ not in domain `ai.onnx`
//         |        MatMul
//   rules.akp:1:6: note: the rule begins here
//       1 | rule gemm {
//         |      ^~~~
//   note: 212 operators are known
//
// A source line may be a whole file (IR text from a generator): only the part around the caret is shown.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/decimal_time.h"
#include "support/diagnostic.h"
#include "support/limits.h"
#include "support/utf8.h"

namespace amdahlc {
namespace {

constexpr size_t kTabStop = 4;
// Of source text; longer lines are cropped.
constexpr size_t kMaxColumns = 120;
// Kept before the caret where a line is cropped.
constexpr size_t kContextColumns = 40;

struct Palette {
  std::string_view bold, error, warning, remark, note, caret, fix, off;
};
constexpr Palette kColors{"\033[1m",    "\033[1;31m", "\033[1;35m", "\033[1;34m",
                          "\033[1;36m", "\033[1;32m", "\033[32m",   "\033[0m"};
constexpr Palette kPlain{"", "", "", "", "", "", "", ""};

struct SeverityLook {
  std::string_view name;
  std::string_view Palette::* color;
};
/// In the order of `Severity`.
constexpr SeverityLook kSeverities[] = {
    {"error", &Palette::error}, {"warning", &Palette::warning}, {"remark", &Palette::remark}, {"note", &Palette::note}};

/// Source text made printable, with the display column of every byte.
struct Rendered {
  /// One per display column.
  std::vector<std::string> cells;
  /// One more than there are bytes.
  std::vector<size_t> columnOfByte;
};

Rendered renderCells(std::string_view text) {
  Rendered out;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const size_t column = out.cells.size();
    const size_t control = utf8::controlLength(text.substr(i));
    size_t length = utf8::sequenceLength(text.substr(i));
    if (byte == '\t') {
      out.cells.resize((column / kTabStop + 1) * kTabStop, " ");
    } else if (length == 0 || control != 0) {
      length = std::max<size_t>(control, 1);
      for (const char shown : text.substr(i, length))
        for (const char c : fmt::format("<{:02X}>", static_cast<unsigned char>(shown))) out.cells.emplace_back(1, c);
    } else {
      out.cells.emplace_back(text.substr(i, length));
    }
    out.columnOfByte.insert(out.columnOfByte.end(), length, column);
    i += length;
  }
  out.columnOfByte.push_back(out.cells.size());
  return out;
}

/// A message or a name on one line, without control bytes, which could forge lines or colours.
std::string sanitized(std::string_view text) {
  std::string out;
  const bool cut = text.size() > limits::kShownNameBytes;
  for (const std::string& cell : renderCells(text.substr(0, limits::kShownNameBytes)).cells) out += cell;
  if (cut) out += "...";
  return out;
}

/// Messages may have several lines; each is made printable by itself.
std::string sanitizedLines(std::string_view text) {
  std::string out;
  for (size_t begin = 0;;) {
    const size_t end = text.find('\n', begin);
    out += sanitized(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return out;
    out += '\n';
    begin = end + 1;
  }
}

std::string renderLocation(const Location& location, const SourceManager& sources) {
  if (const auto* range = std::get_if<SourceRange>(&location)) {
    const LineColumn at = sources.lineColumn(range->buffer, range->begin);
    return fmt::format("{}:{}:{}", sanitized(sources.name(range->buffer)), at.line, at.column);
  }
  if (const auto* file = std::get_if<FileLocation>(&location)) return sanitized(file->file);
  std::string file;
  std::vector<std::string> parts;
  if (const auto* onnx = std::get_if<OnnxLocation>(&location)) {
    file = sanitized(onnx->file);
    for (const auto& [what, name] : {std::pair("graph", &onnx->graph), {"node", &onnx->node}, {"value", &onnx->value}})
      if (!name->empty()) parts.push_back(fmt::format("{} `{}`", what, sanitized(*name)));
  } else if (const auto* trace = std::get_if<TraceLocation>(&location)) {
    file = sanitized(trace->file);
    if (trace->byteOffset) parts.push_back(fmt::format("byte {}", *trace->byteOffset));
    if (trace->timestampNs) parts.push_back(fmt::format("at {} us", formatUs(*trace->timestampNs)));
  } else {
    return "amdahlc";
  }
  return fmt::format("{}{}{}", file, file.empty() || parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

/// The source line, the underline with its words, and the replacement where one is given.
std::string renderSnippet(SourceRange range, std::string_view words, const FixIt* fix, const SourceManager& sources,
                          const Palette& palette) {
  const LineColumn at = sources.lineColumn(range.buffer, range.begin);
  const std::string_view whole = sources.line(range.buffer, at.line);
  const size_t caretByte = std::min<size_t>(at.column - 1, whole.size());
  const size_t length = range.end > range.begin ? range.end - range.begin : 1;

  // Crop by bytes first, so that the cost does not depend on the length of the line, then by columns.
  size_t cropBegin = caretByte > 4 * kMaxColumns ? caretByte - 4 * kMaxColumns : 0;
  while (cropBegin > 0 && cropBegin < caretByte && !utf8::startsSequence(whole[cropBegin])) ++cropBegin;
  const std::string_view text = whole.substr(cropBegin, 8 * kMaxColumns);
  const Rendered rendered = renderCells(text);
  const auto columnOf = [&](size_t byte) {
    return rendered.columnOfByte[std::min(byte < cropBegin ? 0 : byte - cropBegin, text.size())];
  };
  const size_t caret = columnOf(caretByte);
  const size_t underlineEnd = std::max(columnOf(std::min(caretByte + length, whole.size())), caret + 1);

  size_t first = 0;
  size_t last = rendered.cells.size();
  const bool tooLong = cropBegin > 0 || text.size() < whole.size() - cropBegin || last > kMaxColumns;
  if (tooLong && caret > kContextColumns) first = caret - kContextColumns;
  last = std::min(last, first + kMaxColumns);
  const bool cutLeft = first > 0 || cropBegin > 0;
  const bool cutRight = last < rendered.cells.size() || cropBegin + text.size() < whole.size();

  std::string source = cutLeft ? "..." : "";
  for (size_t i = first; i < last; ++i) source += rendered.cells[i];
  if (cutRight) source += "...";
  const std::string indent(caret - first + (cutLeft ? 3 : 0), ' ');
  std::string underline = "^" + std::string(std::min(underlineEnd, std::max(last, caret + 1)) - caret - 1, '~');
  const std::string line = fmt::format("{:>5}", at.line);
  const std::string gutter(line.size(), ' ');

  std::string out =
      fmt::format("{} | {}\n{} | {}{}{}{}", line, source, gutter, indent, palette.caret, underline, palette.off);
  if (!words.empty()) out += " " + sanitized(words);
  out += '\n';
  if (fix && fix->range.buffer == range.buffer && sources.lineColumn(range.buffer, fix->range.begin).line == at.line) {
    const size_t fixColumn =
        columnOf(std::min<size_t>(sources.lineColumn(range.buffer, fix->range.begin).column - 1, whole.size()));
    if (fixColumn >= first && fixColumn <= last)
      out += fmt::format("{} | {}{}{}{}\n", gutter, std::string(fixColumn - first + (cutLeft ? 3 : 0), ' '),
                         palette.fix, sanitized(fix->shown()), palette.off);
  }
  return out;
}

std::string renderNote(const Label& label, const SourceManager& sources, const Palette& palette) {
  std::string out = std::holds_alternative<std::monostate>(label.location)
                        ? std::string()
                        : fmt::format("{}{}:{} ", palette.bold, renderLocation(label.location, sources), palette.off);
  out += fmt::format("{}note:{} {}\n", palette.note, palette.off, sanitizedLines(label.text));
  if (const auto* range = std::get_if<SourceRange>(&label.location))
    out += renderSnippet(*range, {}, nullptr, sources, palette);
  return out;
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceManager& sources, bool color) {
  const Palette& palette = color ? kColors : kPlain;
  const SeverityLook& severity = kSeverities[static_cast<size_t>(diagnostic.severity)];
  std::string out =
      fmt::format("{}{}:{} {}{}[{}]:{} {}{}{}\n", palette.bold, renderLocation(diagnostic.primary.location, sources),
                  palette.off, palette.*severity.color, severity.name, name(diagnostic.id), palette.off, palette.bold,
                  sanitizedLines(diagnostic.message), palette.off);
  const FixIt* fix = diagnostic.fix ? &*diagnostic.fix : nullptr;
  if (const auto* range = std::get_if<SourceRange>(&diagnostic.primary.location)) {
    out += renderSnippet(*range, diagnostic.primary.text, fix, sources, palette);
  } else if (!diagnostic.primary.text.empty()) {
    out += fmt::format("{}note:{} {}\n", palette.note, palette.off, sanitizedLines(diagnostic.primary.text));
  }
  for (const Label& label : diagnostic.secondary) out += renderNote(label, sources, palette);
  for (const std::string& note : diagnostic.notes) out += renderNote({{}, note}, sources, palette);
  return out;
}

}  // namespace amdahlc
