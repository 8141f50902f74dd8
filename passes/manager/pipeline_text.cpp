// The syntax of pipeline text: parses and prints it. pipeline.cpp resolves the names.
#include <fmt/format.h>

#include <string_view>

#include "passes/manager/pipeline.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

/// A byte in printable form.
std::string quoted(char c) {
  return c >= 0x20 && c < 0x7f ? fmt::format("`{}`", c) : fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

class PipelineParser {
 public:
  /// `where` is the place of the text, which may be in quotes or have escapes there.
  PipelineParser(std::string_view text, SourceRange where, DiagnosticEngine& diagnostics)
      : where_(where), text_(text), diagnostics_(diagnostics) {}

  /// `name<parameters>` with `=value` or without it.
  std::optional<ValuedElement> parseValued(const ValuedElement::Names& names) {
    auto element = parseElement(names.element, names.anElement);
    if (!element) return std::nullopt;
    ValuedElement valued{std::move(*element), std::nullopt};
    if (atEnd()) return valued;
    if (text_[at_] != '=')
      return fail(at_, at_ + 1,
                  fmt::format("{} after the options of {} `{}`; `=` and {} may follow", quoted(text_[at_]),
                              names.element, valued.element.name, names.aValue));
    valued.value = text_.substr(at_ + 1);
    return valued;
  }

  std::optional<std::vector<PipelineElement>> parse() {
    std::vector<PipelineElement> elements;
    skipBlanks();
    if (atEnd()) return elements;
    for (;;) {
      skipBlanks();
      auto element = parseElement();
      if (!element) return std::nullopt;
      elements.push_back(std::move(*element));
      skipBlanks();
      if (atEnd()) return elements;
      if (text_[at_] != ',')
        return fail(
            at_, at_ + 1,
            fmt::format("{} after pass `{}`; passes are separated by `,`", quoted(text_[at_]), elements.back().name));
      ++at_;
    }
  }

 private:
  bool atEnd() const { return at_ >= text_.size(); }
  void skipBlanks() {
    while (!atEnd() && isBlank(text_[at_])) ++at_;
  }
  SourceRange range(size_t begin, size_t end) const { return placeOf(text_.substr(begin, end - begin), text_, where_); }
  std::nullopt_t fail(size_t begin, size_t end, std::string message) {
    diagnostics_.error(DiagId::PipelineSyntax, range(begin, std::min(end, text_.size())), std::move(message));
    return std::nullopt;
  }

  std::optional<std::string_view> parseName(std::string_view what) {
    const size_t begin = at_;
    while (!atEnd() && isNameChar(text_[at_])) ++at_;
    if (at_ > begin) return text_.substr(begin, at_ - begin);
    if (atEnd()) return fail(begin, begin, fmt::format("expected {}, but the text ends", what));
    return fail(begin, begin + 1, fmt::format("expected {}, but got {}", what, quoted(text_[begin])));
  }

  std::optional<PipelineElement> parseElement(std::string_view kind = "pass", std::string_view what = "a pass name") {
    PipelineElement element;
    const size_t begin = at_;
    auto name = parseName(what);
    if (!name) return std::nullopt;
    element.name = *name;
    element.range = range(begin, at_);
    skipBlanks();
    if (atEnd() || text_[at_] != '<') return element;
    const size_t open = at_++;
    skipBlanks();
    if (!atEnd() && text_[at_] == '>') {
      ++at_;
      return element;
    }
    for (;;) {
      skipBlanks();
      if (atEnd()) return fail(open, open + 1, "this `<` is never closed");
      auto parameter = parseParameter();
      if (!parameter) return std::nullopt;
      element.parameters.push_back(std::move(*parameter));
      skipBlanks();
      if (atEnd()) return fail(open, open + 1, "this `<` is never closed");
      const char separator = text_[at_++];
      if (separator == '>') return element;
      if (separator != ';')
        return fail(at_ - 1, at_,
                    fmt::format("{} in the options of {} `{}`; options are separated by `;` and closed by `>`",
                                quoted(separator), kind, element.name));
    }
  }

  std::optional<PipelineParameter> parseParameter() {
    PipelineParameter parameter;
    const size_t begin = at_;
    auto name = parseName("an option name");
    if (!name) return std::nullopt;
    parameter.name = *name;
    parameter.nameRange = parameter.valueRange = range(begin, at_);
    skipBlanks();
    if (atEnd() || text_[at_] != '=') return parameter;
    ++at_;
    skipBlanks();
    const size_t valueBegin = at_;
    if (!atEnd() && text_[at_] == '"') {
      if (!parseQuoted(parameter)) return std::nullopt;
    } else {
      while (!atEnd() && text_[at_] != ';' && text_[at_] != '>' && text_[at_] != '<' && text_[at_] != '"') ++at_;
      if (!atEnd() && (text_[at_] == '<' || text_[at_] == '"'))
        return fail(at_, at_ + 1, fmt::format("{} inside a value; put the value in double quotes", quoted(text_[at_])));
      size_t valueEnd = at_;
      while (valueEnd > valueBegin && isBlank(text_[valueEnd - 1])) --valueEnd;
      parameter.value = std::string(text_.substr(valueBegin, valueEnd - valueBegin));
      parameter.valueRange = range(valueBegin, valueEnd);
    }
    // A value becomes part of the text of the pipeline and of paths, which are printed.
    if (printable(*parameter.value) == *parameter.value) return parameter;
    diagnostics_.error(DiagId::PipelineSyntax, parameter.valueRange,
                       fmt::format("the value of `{}` has a control character, or is not UTF-8", parameter.name));
    return std::nullopt;
  }

  bool parseQuoted(PipelineParameter& parameter) {
    const size_t begin = at_++;
    std::string value;
    while (!atEnd() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_++];
    }
    if (atEnd()) {
      fail(begin, begin + 1, "this quote is never closed");
      return false;
    }
    ++at_;
    parameter.value = std::move(value);
    parameter.valueRange = range(begin, at_);
    return true;
  }

  SourceRange where_;
  std::string_view text_;
  DiagnosticEngine& diagnostics_;
  size_t at_ = 0;
};

std::string quotedWhereNeeded(const std::string& value) {
  if (value.find_first_of(";<>\"\\") == std::string::npos && !value.empty() && !isBlank(value.front()) &&
      !isBlank(value.back()))
    return value;
  return '"' + replaced(value, {{'"', "\\\""}, {'\\', "\\\\"}}) + '"';
}

}  // namespace

std::optional<ValuedElement> parseValuedElement(std::string_view text, SourceRange where,
                                                const ValuedElement::Names& names, DiagnosticEngine& diagnostics) {
  const size_t end = text.find_first_of("<=");
  if (end != std::string_view::npos && text[end] == '<')
    return PipelineParser(text, where, diagnostics).parseValued(names);
  // Any text may be a name: whoever looks it up tells which there are.
  ValuedElement valued{{std::string(text.substr(0, end)), where, {}}, std::nullopt};
  if (end != std::string_view::npos) valued.value = text.substr(end + 1);
  return valued;
}

std::optional<std::vector<PipelineElement>> parsePipeline(BufferId buffer, const SourceManager& sources,
                                                          DiagnosticEngine& diagnostics) {
  const std::string_view text = sources.text(buffer);
  return PipelineParser(text, {buffer, 0, static_cast<uint32_t>(text.size())}, diagnostics).parse();
}

std::string printPipeline(const Pipeline& pipeline) {
  std::string text;
  for (const PlannedPass& planned : pipeline) {
    if (!text.empty()) text += ',';
    text += planned.info->name;
    const char* separator = "<";
    for (const PipelineParameter& parameter : planned.parameters) {
      text += separator + parameter.name;
      if (parameter.value) text += '=' + quotedWhereNeeded(*parameter.value);
      separator = ";";
    }
    if (!planned.parameters.empty()) text += '>';
  }
  return text;
}

}  // namespace amdahlc
