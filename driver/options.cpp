#include "driver/options.h"

#include <algorithm>
#include <utility>

#include "passes/registry/all_passes.h"

namespace amdahlc::driver {
namespace {

std::vector<OptionRow> allOptions() {
  std::vector<OptionRow> rows = {
#define AMDAHLC_OPTION(ID, NAME, ARGUMENT, ARITY, TOPIC, JOBS, SUMMARY, DETAILS) \
  {OptionId::ID, NAME, ARGUMENT, Arity::ARITY, Topic::TOPIC, JOBS, SUMMARY, DETAILS},
#include "driver/options.def"
  };
  for (const PassInfo& pass : allPasses().passes())
    for (const CommandOption& option : allPasses().declarations(pass).commandOptions())
      rows.push_back({static_cast<OptionId>(rows.size()), option.name, option.argument,
                      option.argument.empty()         ? Arity::Flag
                      : option.maximum || option.once ? Arity::Once
                                                      : Arity::Many,
                      option.isOldSpelling ? Topic::Hidden : Topic::Pipeline, OnAnalysis, option.summary,
                      option.details, &pass, &option});
  return rows;
}

constexpr OptionAlias kAliases[] = {
#define AMDAHLC_OPTION(ID, NAME, ARGUMENT, ARITY, TOPIC, JOBS, SUMMARY, DETAILS)
#define AMDAHLC_OPTION_ALIAS(NAME, ID) {NAME, OptionId::ID},
#define AMDAHLC_OLD_OPTION(NAME, ARITY, ID, VALUE) {NAME, OptionId::ID, Arity::ARITY, VALUE},
#include "driver/options.def"
};

}  // namespace

std::span<const OptionAlias> optionAliases() { return kAliases; }

const OptionAlias* findAlias(std::string_view name) {
  const auto found = std::ranges::find(kAliases, name, &OptionAlias::name);
  return found == std::end(kAliases) ? nullptr : found;
}

std::string_view requestOf(Job job) {
  for (const auto& [known, id] : {std::pair(OnRuleCheck, OptionId::CheckRules),
                                  {OnRulePrint, OptionId::PrintRules},
                                  {OnLanguageServer, OptionId::Lsp}})
    if (job == known) return row(id).name;
  return "";
}

std::span<const OptionRow> optionTable() {
  static const std::vector<OptionRow> rows = allOptions();
  return rows;
}

bool Invocation::has(OptionId id) const { return find(id) != nullptr; }

const Occurrence* Invocation::find(OptionId id) const {
  for (const Occurrence& option : options)
    if (option.id == id) return &option;
  return nullptr;
}

}  // namespace amdahlc::driver
