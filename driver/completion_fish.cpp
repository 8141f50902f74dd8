#include <fmt/format.h>

#include <algorithm>

#include "driver/completion.h"
#include "driver/completion_scripts.h"
#include "driver/help.h"

namespace amdahlc::driver {
namespace {

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
std::string fishQuoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + '\'';
}

}  // namespace

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

}  // namespace amdahlc::driver
