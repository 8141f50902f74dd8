// The scripts of completion, one for each shell.
#include <fmt/format.h>

#include <algorithm>

#include "driver/completion.h"
#include "support/printable.h"

namespace amdahlc::driver {
namespace {

// The script depends on nothing but bash. It takes the word from the whole line, because bash itself splits words at
// `=` and at `:`; then it leaves out of its answer what bash has split off.
constexpr std::string_view kBashBegin = R"(# Completion of amdahlc in bash; printed by `amdahlc -help=completion-bash`.

# Sets what can be the value of an option, of the variables of _amdahlc. It fails for an option without a value.
_amdahlc_values() {
  case $1 in
)";

constexpr std::string_view kBashEnd = R"(    *) return 1 ;;
  esac
}

# Adds a candidate for the whole word that is being typed.
_amdahlc_add() {
  [[ $1 != "$word"* ]] || COMPREPLY+=("${1#"$split_off"}")
}

# Adds the values of an option; `before` is the part of the word in front of the value.
_amdahlc_add_values() {
  local before=$1 value=${word#"$1"} candidate
  # What comes before the last comma, and before `=`, stays as it is.
  [[ -z $list || $value != *,* ]] || before+=${value%"${value##*,}"}
  if [[ -n $file_after_word$label && $value == *=* && ${value%%=*} != */* ]]; then
    [[ $before == *"${value%%=*}="* ]] || before+=${value%%=*}=
    [[ -z $file_after_word ]] || { words=() files=yes; }
  fi
  for candidate in "${words[@]}"; do _amdahlc_add "$before$candidate"; done
  [[ -n $files ]] || return 0
  local part=${word#"$before"}
  # Bash quotes names of files and marks folders, if it knows the name alone.
  [[ $before != "$split_off" ]] || compopt -o filenames 2> /dev/null
  while IFS= read -r candidate; do _amdahlc_add "$before$candidate"; done < <(compgen -f -- "$part")
}

_amdahlc() {
  local line=${COMP_LINE:0:COMP_POINT} word previous dashes option
  word=${line##*[[:space:]]}
  previous=${line%"$word"}
  previous=${previous%"${previous##*[![:space:]]}"}
  previous=${previous##*[[:space:]]}
  local split_off=${word%"$2"} words=() files='' list='' file_after_word='' label='' optional=''
  COMPREPLY=()
  if [[ $line == *[[:space:]]--[[:space:]]* ]]; then
    files=yes
    _amdahlc_add_values ''
  elif [[ $previous == -* && $previous != *=* ]] && option=${previous#-} && _amdahlc_values "${option#-}" &&
    [[ -z $optional ]]; then
    _amdahlc_add_values ''
  elif [[ $word == -*=* ]]; then
    option=${word%%=*}
    option=${option#-}
    words=() files='' list='' file_after_word='' label=''
    _amdahlc_values "${option#-}" && _amdahlc_add_values "${word%%=*}="
  elif [[ $word == -* ]]; then
    dashes=-
    [[ $word != --* ]] || dashes=--
    for option in "${_amdahlc_options[@]}"; do _amdahlc_add "$dashes$option"; done
  else
    words=() files=yes list='' file_after_word='' label=''
    _amdahlc_add_values ''
  fi
  # A value, or another part of a list, may follow.
  if [[ ${#COMPREPLY[@]} -eq 1 && (${COMPREPLY[0]} == *= || -n $list) ]]; then compopt -o nospace 2> /dev/null; fi
}

complete -F _amdahlc amdahlc
)";

constexpr std::string_view kFishBegin = R"(# Completion of amdahlc in fish; printed by `amdahlc -help=completion-fish`.

# Prints candidates for the value of an option: words, each followed by its meaning. What comes before the last comma
# stays as it is.
function __amdahlc_words
    set -l value (string replace -r -- '^--?[^=]*=' '' (commandline -ct))
    set -l before (string replace -r -- '[^,]*$' '' "$value")
    for i in (seq 1 2 (count $argv))
        printf '%s%s\t%s\n' "$before" $argv[$i] $argv[(math $i + 1)]
    end
end

# The same with names of files, which a label and `=` may precede.
function __amdahlc_files
    set -l value (string replace -r -- '^--?[^=]*=' '' (commandline -ct))
    set -l before (string replace -r -- '[^,=]*$' '' "$value")
    printf "$before%s\n" (__fish_complete_path (string replace -r -- '^.*[,=]' '' "$value"))
    __amdahlc_words $argv
end

# Words that a file may follow: `word=file`.
function __amdahlc_outputs
    set -l value (string replace -r -- '^--?[^=]*=' '' (commandline -ct))
    if string match -q -- '*=*' "$value"
        set -l word (string replace -r -- '=.*$' '' "$value")
        printf "$word=%s\n" (__fish_complete_path (string replace -r -- '^[^=]*=' '' "$value"))
    else
        __amdahlc_words $argv
    end
end
)";

/// Text inside of single quotes.
std::string fishQuoted(std::string_view text) { return "'" + replaced(text, {{'\'', "\\'"}, {'\\', "\\\\"}}) + "'"; }

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

/// Text inside of single quotes and of brackets.
std::string zshDescription(std::string_view text) {
  return replaced(text, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {'\\', "\\\\"}});
}

std::string functionOf(const OptionRow& row) { return fmt::format("_amdahlc_{}", row.name); }

/// A function that offers the words of an option.
std::string wordsFunction(const OptionRow& row, const CompletionValues& values) {
  std::string words;
  for (const CompletionWord& word : values.words) {
    words += fmt::format(" \\\n    '{}", word.text);
    if (!word.summary.empty()) words += fmt::format("[{}]", zshDescription(word.summary));
    words += values.fileAfterWord ? "::file:_files'" : "'";
  }
  return fmt::format("\n{}() {{\n{}  _values {}{}{}\n}}\n", functionOf(row), values.files ? "  _amdahlc_files\n" : "",
                     values.list ? "-s , " : "", row.name, words);
}

std::string bashCompletion(const PassRegistry& registry) {
  std::string text(kBashBegin), options;
  for (const OptionRow& row : optionTable()) {
    if (row.topic == Topic::Hidden) continue;
    std::string names;
    for (const std::string_view name : namesOf(row)) {
      names += fmt::format("{}{}", names.empty() ? "" : " | ", name);
      if (row.arity == Arity::Flag || row.arity == Arity::Optional) options += fmt::format("  {}\n", name);
      if (row.arity != Arity::Flag) options += fmt::format("  {}=\n", name);
    }
    if (row.arity == Arity::Flag) continue;
    const CompletionValues values = completionValues(row, registry);
    std::string words;
    for (const CompletionWord& word : values.words) words += fmt::format("{}{}", words.empty() ? "" : " ", word.text);
    text += fmt::format("    {})", names);
    if (!words.empty()) text += fmt::format(" words=({})", words);
    for (const auto& [name, set] : {std::pair("files", values.files),
                                    {"list", values.list},
                                    {"label", values.label},
                                    {"file_after_word", values.fileAfterWord},
                                    {"optional", row.arity == Arity::Optional}})
      if (set) text += fmt::format(" {}=yes", name);
    text += " ;;\n";
  }
  return text + std::string(kBashEnd) + fmt::format("\n_amdahlc_options=(\n{})\n", options);
}

std::string fishCompletion(const PassRegistry& registry) {
  std::string text(kFishBegin);
  for (const OptionRow& row : optionTable()) {
    if (row.topic == Topic::Hidden) continue;
    const CompletionValues values = completionValues(row, registry);
    text += "\ncomplete -c amdahlc";
    for (const std::string_view name : namesOf(row)) text += fmt::format(" -o {} -l {}", name, name);
    if (row.arity == Arity::Once || row.arity == Arity::Many) text += values.files ? " -r" : " -x";
    if (row.arity == Arity::Optional && !values.files) text += " -f";
    text += " -d " + fishQuoted(row.summary);
    // fish itself completes the name of one file.
    const bool files = values.files && values.list;
    if (values.files) text += files ? " -f" : " -F";
    if (values.words.empty() && !files) continue;
    std::string call = files ? "__amdahlc_files" : values.fileAfterWord ? "__amdahlc_outputs" : "__amdahlc_words";
    for (const CompletionWord& word : values.words) call += fmt::format(" {} {}", word.text, fishQuoted(word.summary));
    text += fmt::format(" -a {}", fishQuoted("(" + call + ")"));
  }
  return text + '\n';
}

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
    specs += fmt::format("[{}]", zshDescription(row.summary));
    if (row.arity != Arity::Flag) {
      specs += fmt::format("{}{}:", row.arity == Arity::Optional ? "::" : ":",
                           replaced(row.argument, {{'\'', "'\\''"}, {':', "\\:"}, {'\\', "\\\\"}}));
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

constexpr CompletionShell kShells[] = {{"bash", bashCompletion}, {"zsh", zshCompletion}, {"fish", fishCompletion}};

}  // namespace

std::span<const CompletionShell> completionShells() { return kShells; }

}  // namespace amdahlc::driver
