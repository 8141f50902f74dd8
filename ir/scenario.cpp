#include "ir/scenario.h"

#include <algorithm>

namespace amdahlc::ir {
namespace {

constexpr ChangeRow kChangeRows[] = {
#define AMDAHLC_CHANGE(KIND, NAME, FORM, OPERANDS, IS_REPLAY_ONLY, WHAT, ASSUMPTION) \
  {ChangeKind::KIND, NAME, FORM, ChangeOperands::OPERANDS, IS_REPLAY_ONLY, WHAT, ASSUMPTION},
#include "ir/changes.def"
};

}  // namespace

std::span<const ChangeRow> changeTable() { return kChangeRows; }

const ChangeRow& info(ChangeKind kind) { return kChangeRows[static_cast<size_t>(kind)]; }

std::optional<ChangeKind> changeKindFromName(std::string_view name) {
  for (const ChangeRow& row : kChangeRows)
    if (row.name == name) return row.kind;
  return std::nullopt;
}

std::string describe(const Change& change) {
  std::string operands;
  for (const Selector& selector : change.selectors)
    operands += (operands.empty() ? "" : ", ") + describe(selector.kind, selector.text);
  if (change.kind == ChangeKind::NewTime) return operands;
  if (change.stream) operands += ", stream=" + std::to_string(*change.stream);
  if (change.factor) operands = change.factor->describe() + "x";
  const std::string name(info(change.kind).name);
  return operands.empty() ? name : name + "(" + operands + ")";
}

bool isReplayOnly(const Change& change) {
  if (change.kind != ChangeKind::NewTime) return info(change.kind).isReplayOnly;
  const SelectorKind kind = change.selectors.front().kind;
  return kind == SelectorKind::Host || kind == SelectorKind::Launches || kind == SelectorKind::HostOperator;
}

bool isReplayOnly(const Scenario& scenario) {
  return std::ranges::any_of(scenario.changes, [](const Change& change) { return isReplayOnly(change); });
}

}  // namespace amdahlc::ir
