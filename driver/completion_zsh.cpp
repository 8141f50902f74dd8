#include <fmt/format.h>

#include "driver/completion.h"
#include "driver/completion_scripts.h"
#include "driver/help.h"

namespace amdahlc::driver {
namespace {

constexpr std::string_view kZshBegin = R"(#compdef amdahlc
# Completion of amdahlc in zsh; printed by `amdahlc -help=completion-zsh`.

_amdahlc_files() {
  compset -P '*[=,]'
  _files
}
)";

constexpr std::string_view kZshEnd = R"(
# The file may be a function of zsh's search path, or be read by a script of the user.
if [[ $funcstack[1] == _amdahlc ]]; then
  _amdahlc "$@"
else
  compdef _amdahlc amdahlc
fi
)";

/// Text inside of single quotes, where `special` characters of zsh's own syntax have a backslash.
std::string zshQuoted(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\'";
    else if (special.find(c) != std::string_view::npos)
      result += '\\';
    result += c;
  }
  return result;
}

std::string functionOf(const OptionRow& row) { return fmt::format("_amdahlc_{}", row.name); }

/// A function that offers the words of an option.
std::string wordsFunction(const OptionRow& row, const CompletionValues& values) {
  std::string words;
  for (const CompletionWord& word : values.words) {
    words += fmt::format(" \\\n    '{}", word.text);
    if (!word.summary.empty()) words += fmt::format("[{}]", zshQuoted(word.summary, "[]\\"));
    words += values.fileAfterWord ? "::file:_files'" : "'";
  }
  return fmt::format("\n{}() {{\n{}  _values {}{}{}\n}}\n", functionOf(row), values.files ? "  _amdahlc_files\n" : "",
                     values.list ? "-s , " : "", row.name, words);
}

}  // namespace

std::string zshCompletion(const PassRegistry& registry) {
  std::string text(kZshBegin), specs;
  for (const OptionRow& row : optionTable()) {
    if (row.topic == Topic::Hidden) continue;
    const CompletionValues values = completionValues(row, registry);
    std::string spelled, others;
    for (const std::string_view name : namesOf(row)) {
      spelled += fmt::format("{}-{},--{}", spelled.empty() ? "" : ",", name, name);
      others += fmt::format("{}-{} --{}", others.empty() ? "" : " ", name, name);
    }
    specs += fmt::format(" \\\n    '{}'{{{}}}'", row.arity == Arity::Many ? "*" : "(" + others + ")", spelled);
    if (row.arity == Arity::Optional) specs += "=-";
    if (row.arity == Arity::Once || row.arity == Arity::Many) specs += '=';
    specs += fmt::format("[{}]", zshQuoted(row.summary, "[]\\"));
    if (row.arity != Arity::Flag) {
      specs += fmt::format("{}{}:", row.arity == Arity::Optional ? "::" : ":", zshQuoted(row.argument, ":\\"));
      if (!values.words.empty())
        specs += functionOf(row);
      else if (values.files)
        specs += "_amdahlc_files";
    }
    specs += '\'';
    if (!values.words.empty()) text += wordsFunction(row, values);
  }
  return text + fmt::format("\n_amdahlc() {{\n  _arguments{} \\\n    '*:model:_files'\n}}\n", specs) +
         std::string(kZshEnd);
}

}  // namespace amdahlc::driver
