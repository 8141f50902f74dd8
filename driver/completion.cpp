#include "driver/completion.h"

#include <algorithm>
#include <utility>

#include "api/shipped_files.h"
#include "driver/help.h"
#include "driver/version.h"
#include "report/outputs/output.h"

namespace amdahlc::driver {
namespace {

using Words = std::vector<CompletionWord>;

template <typename Things>
Words wordsOf(const Things& things) {
  Words words;
  for (const auto& thing : things) words.push_back({thing.name, thing.summary});
  return words;
}

Words passWords(const PassRegistry& registry) { return wordsOf(registry.passes()); }
Words outputWords(const PassRegistry&) {
  Words words;
  for (const Output* output : allOutputs()) words.push_back({std::string(output->name), std::string(output->summary)});
  return words;
}

Words pipelineWords(const PassRegistry& registry) {
  Words words = passWords(registry);
  words.insert(words.begin(), {"default", "the passes that the given inputs allow"});
  return words;
}

Words topicWords(const PassRegistry& registry) {
  std::vector<HelpText> texts = helpTexts(registry);
  std::erase_if(texts, [](const HelpText& text) { return !text.isListed; });
  return wordsOf(texts);
}

/// What the arguments of options.def and of passes stand for. An argument that is not here, such as `regex`, has no
/// values to offer.
struct Argument {
  std::string_view name;
  Words (*words)(const PassRegistry&);
  bool files = false;
  bool list = false;
};

constexpr Argument kArguments[] = {
    {"file", nullptr, true},
    {"files", nullptr, true, true},
    {"path", nullptr, true},
    {"kind", outputWords},
    {"passes", passWords, false, true},
    {"pipeline", pipelineWords, false, true},
    {"scenario", nullptr, true},
    {"topic", topicWords},
};

bool removePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// In `auto|all|k|a..b` and `TB|LR` the words of letters are typed as they are; `k` and `a..b` are for others.
bool isLiteral(std::string_view alternative) {
  return alternative.size() > 1 &&
         std::ranges::all_of(alternative, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

/// `0..9`
bool isRangeOfDigits(std::string_view alternative) {
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  return alternative.size() == 4 && isDigit(alternative[0]) && alternative.substr(1, 2) == ".." &&
         isDigit(alternative[3]);
}

}  // namespace

CompletionValues completionValues(const OptionRow& row, const PassRegistry& registry) {
  CompletionValues values;
  std::string_view argument = row.argument;
  if (row.id == OptionId::Rules || row.id == OptionId::Hardware) {
    const bool isRules = row.id == OptionId::Rules;
    for (std::string& name : api::namesOf(isRules ? api::kShippedRules : api::kShippedHardware, shippedFolder()))
      values.words.push_back({std::move(name), isRules ? "shipped rules" : "shipped description"});
    values.files = true;
    values.list = isRules;
    return values;
  }
  if (argument.find('|') != std::string_view::npos) {
    for (size_t begin = 0; begin <= argument.size();) {
      const size_t end = std::min(argument.find('|', begin), argument.size());
      const std::string_view one = argument.substr(begin, end - begin);
      if (isLiteral(one)) values.words.push_back({std::string(one), ""});
      if (isRangeOfDigits(one))
        for (char digit = one.front(); digit <= one.back(); ++digit)
          values.words.push_back({std::string(1, digit), ""});
      begin = end + 1;
    }
    return values;
  }
  values.label = removePrefix(argument, "[label=]");
  if (argument.ends_with("[=path]")) {
    argument.remove_suffix(std::string_view("[=path]").size());
    values.fileAfterWord = true;
  }
  for (const Argument& known : kArguments) {
    if (known.name != argument) continue;
    if (known.words) values.words = known.words(registry);
    values.files = known.files;
    values.list = known.list;
  }
  return values;
}

std::vector<std::string_view> namesOf(const OptionRow& row) {
  std::vector<std::string_view> names{row.name};
  for (const OptionAlias& alias : optionAliases())
    if (alias.id == row.id && !alias.oldArity) names.push_back(alias.name);
  return names;
}

}  // namespace amdahlc::driver
