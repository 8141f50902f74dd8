// The script depends on nothing but bash. It takes the word from the whole line, because bash itself splits words at
// `=` and at `:`; then it leaves out of its answer what bash has split off.
#include <fmt/format.h>

#include "driver/completion.h"
#include "driver/completion_scripts.h"

namespace amdahlc::driver {
namespace {

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

}  // namespace

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

}  // namespace amdahlc::driver
