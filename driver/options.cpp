#include "driver/options.h"

#include <algorithm>

#include "passes/registry/all_passes.h"

namespace amdahlc::driver {
namespace {

std::vector<OptionRow> allOptions() {
  std::vector<OptionRow> rows = {
#define AMDAHLC_OPTION(ID, NAME, ARGUMENT, ARITY, TOPIC, JOBS, HELP) \
  {OptionId::ID, NAME, ARGUMENT, Arity::ARITY, Topic::TOPIC, JOBS, HELP},
#include "driver/options.def"
  };
  for (const PassInfo& pass : allPasses().passes())
    for (const CommandOption& option : allPasses().declarations(pass).commandOptions())
      rows.push_back({static_cast<OptionId>(rows.size()), option.name, option.argument,
                      option.argument.empty()         ? Arity::Flag
                      : option.maximum || option.once ? Arity::Once
                                                      : Arity::Many,
                      Topic::Pipeline, OnModel, option.help, &pass, &option});
  return rows;
}

constexpr OptionAlias kAliases[] = {
#define AMDAHLC_OPTION(ID, NAME, ARGUMENT, ARITY, TOPIC, JOBS, HELP)
#define AMDAHLC_OPTION_ALIAS(NAME, ID) {NAME, OptionId::ID},
#include "driver/options.def"
};

}  // namespace

std::span<const OptionAlias> optionAliases() { return kAliases; }

bool isNameOf(const OptionRow& row, std::string_view name) {
  return name == row.name || std::any_of(std::begin(kAliases), std::end(kAliases), [&](const OptionAlias& alias) {
           return alias.id == row.id && alias.name == name;
         });
}

std::string_view requestOf(Job job) {
  switch (job) {
    case OnRuleCheck:
      return row(OptionId::CheckRules).name;
    case OnRulePrint:
      return row(OptionId::PrintRules).name;
    case OnLanguageServer:
      return row(OptionId::Lsp).name;
    default:
      return "";
  }
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

std::vector<const Occurrence*> Invocation::all(OptionId id) const {
  std::vector<const Occurrence*> result;
  for (const Occurrence& option : options)
    if (option.id == id) result.push_back(&option);
  return result;
}

}  // namespace amdahlc::driver
