#include "ir/onnx_import/steps.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <onnx/defs/parser.h>

#include "ir/onnx_import/wording.h"
#include "support/limits.h"

namespace amdahlc::ir::onnx_import {

namespace {

/// Offset of the bracket that is too deep.
std::optional<size_t> findDeepNesting(std::string_view text) {
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i)
          if (text[i] == '\\') ++i;
        break;
      case '#':
        while (i < text.size() && text[i] != '\n') ++i;
        break;
      case '(':
      case '{':
      case '[':
      case '<':
        if (++open > limits::kTextBrackets) return i;
        break;
      case ')':
      case '}':
      case ']':
      case '>':
        if (open > 0) --open;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

uint32_t numberAfter(std::string_view text, std::string_view key) {
  uint32_t number = 0;
  if (const size_t at = text.find(key); at != std::string_view::npos)
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), number);
  return number;
}

SourceRange rangeAt(BufferId buffer, std::string_view text, uint32_t line, uint32_t column) {
  size_t offset = 0;
  for (uint32_t l = 1; l < line; ++l) {
    const size_t end = text.find('\n', offset);
    if (end == std::string_view::npos) break;
    offset = end + 1;
  }
  offset = std::min(text.size(), offset + (column > 0 ? column - 1 : 0));
  const auto begin = static_cast<uint32_t>(offset);
  return {buffer, begin, std::min(begin + 1, static_cast<uint32_t>(text.size()))};
}

/// `[ParseError at position (line: 3 column: 5)]`, a line of context, then the reason; nested reports add such blocks
/// before it.
void report(BufferId buffer, std::string_view text, std::string_view message, DiagnosticEngine& diagnostics) {
  const size_t block = message.rfind("[ParseError at position ");
  SourceRange range = rangeAt(buffer, text, 1, 1);
  if (block != std::string_view::npos) {
    message.remove_prefix(block);
    range = rangeAt(buffer, text, numberAfter(message, "line: "), numberAfter(message, "column: "));
    constexpr std::string_view kContext = "\nError context: ";
    if (const size_t context = message.find(kContext); context != std::string_view::npos) {
      const size_t end = message.find('\n', context + kContext.size());
      message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    }
  }
  // Two of its messages carry unexpanded printf directives.
  message = message.substr(0, message.find(": %d"));
  std::string what = libraryMessage(message);
  // The library's name for a token that begins no attribute value.
  if (what == "internal error") what = "no attribute value starts here";
  diagnostics.error(DiagId::OnnxParse, range, what).label("here");
}

}  // namespace

bool parseText(BufferId buffer, const SourceManager& sources, onnx::ModelProto& model, DiagnosticEngine& diagnostics) {
  const std::string_view text = sources.text(buffer);
  if (const auto deep = findDeepNesting(text)) {
    const auto at = static_cast<uint32_t>(*deep);
    diagnostics.error(DiagId::OnnxParse, SourceRange{buffer, at, at + 1},
                      fmt::format("more than {} brackets are open", limits::kTextBrackets));
    return false;
  }
  const auto fail = [&](std::string_view message) {
    report(buffer, text, message, diagnostics);
    return false;
  };
  const auto read = [&] {
    onnx::OnnxParser parser(text);
    const auto status = parser.Parse(model);
    if (!status.IsOK()) return fail(status.ErrorMessage());
    return parser.EndOfInput() || fail(parser.ParseError("Text follows the model").ErrorMessage());
  };
  return callLibrary(read, fail);
}

}  // namespace amdahlc::ir::onnx_import
