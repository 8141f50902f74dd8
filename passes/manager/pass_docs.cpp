#include "passes/manager/pass_docs.h"

#include <fmt/format.h>

namespace amdahlc {
namespace {

std::string valueForm(const PassOption& option) {
  if (option.kind == PassOption::Kind::Flag) return option.defaultValue == "true" ? "no-" + option.name : option.name;
  std::string value;
  if (option.kind == PassOption::Kind::Integer) {
    value = option.maximum == INT64_MAX ? fmt::format("{}..", option.minimum)
                                        : fmt::format("{}..{}", option.minimum, option.maximum);
  } else if (option.choices.empty()) {
    value = "text";
  } else {
    for (const std::string& choice : option.choices) value += (value.empty() ? "" : "|") + choice;
  }
  return option.name + "=" + (option.choices.empty() ? "<" + value + ">" : value);
}

std::string facetNames(const std::vector<ir::Facet>& facets) {
  std::string text;
  for (const ir::Facet facet : facets) text += (text.empty() ? "" : ", ") + std::string(ir::name(facet));
  return text;
}

/// `default 8`, `repeatable`, or nothing.
std::string defaultNote(const PassOption& option) {
  if (option.kind == PassOption::Kind::List) return "repeatable";
  if (option.kind == PassOption::Kind::Flag || option.defaultValue.empty()) return "";
  return "default " + option.defaultValue;
}

std::string tableCell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

}  // namespace

std::string describePasses(const PassRegistry& registry) {
  std::string text;
  for (const PassInfo& info : registry.passes()) {
    const auto pass = info.create();
    text += fmt::format("{}\n    {}\n", info.name, info.summary);
    if (!pass->requiredFacets().empty()) text += "    requires: " + facetNames(pass->requiredFacets()) + "\n";
    if (!pass->establishes().empty()) text += "    establishes: " + facetNames(pass->establishes()) + "\n";
    for (const PassOption& option : pass->options()) {
      const std::string note = defaultNote(option);
      text += fmt::format("    {}\n        {}{}\n", valueForm(option), option.description,
                          note.empty() ? "" : " (" + note + ")");
    }
  }
  return text;
}

std::string passDocumentation(const PassInfo& info) {
  const auto pass = info.create();
  std::string text = fmt::format("`{}`: {}\n\n", info.name, info.summary);
  const std::string required = facetNames(pass->requiredFacets());
  const std::string established = facetNames(pass->establishes());
  text += fmt::format("Requires: {}. Establishes: {}.\n", required.empty() ? "nothing" : required,
                      established.empty() ? "nothing" : established);
  if (!pass->options().empty()) {
    text += "\n| option | default | meaning |\n|--|--|--|\n";
    for (const PassOption& option : pass->options())
      text += fmt::format("| `{}` | {} | {} |\n", tableCell(valueForm(option)),
                          option.kind == PassOption::Kind::List   ? "repeatable"
                          : option.kind == PassOption::Kind::Flag ? (option.defaultValue == "true" ? "on" : "off")
                                                                  : tableCell(option.defaultValue),
                          tableCell(option.description));
  }
  if (!pass->statistics().empty()) {
    text += "\n| statistic | meaning |\n|--|--|\n";
    for (const auto& statistic : pass->statistics())
      text += fmt::format("| `{}` | {} |\n", statistic->name, tableCell(statistic->description));
  }
  return text;
}

}  // namespace amdahlc
