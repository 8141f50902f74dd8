#include "ir/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "replay/schedule/prediction.h"
#include "support/printable.h"

namespace amdahlc::ir {
namespace {

constexpr ChangeRow kChangeRows[] = {
#define AMDAHLC_CHANGE(KIND, NAME, FORM, OPERANDS, IS_REPLAY_ONLY, WHAT, ASSUMPTION) \
  {ChangeKind::KIND, NAME, FORM, ChangeOperands::OPERANDS, IS_REPLAY_ONLY, WHAT, ASSUMPTION},
#include "ir/changes.def"
};

/// Which part the change lacks, or has though it does not take it; empty if it is as it should be.
std::string_view defectOf(const Change& change) {
  const bool isTime = change.kind == ChangeKind::NewTime;
  const ChangeOperands operands = info(change.kind).operands;
  const bool isRatio = operands == ChangeOperands::Ratio;
  if (isTime && change.factor.has_value() == change.fixedNs.has_value())
    return "a change with both a factor and a time, or neither";
  if (!isTime && isRatio != change.factor.has_value())
    return isRatio ? "a change without its ratio" : "a change of another kind with a factor";
  if (!isTime && change.fixedNs) return "a change of another kind with a new time";
  if (isRatio && change.factor->isZero()) return "a ratio of 0";
  const size_t selectors = change.selectors.size();
  const bool hasItsSelectors = isTime ? selectors == 1
                               : isRatio || operands == ChangeOperands::None
                                   ? selectors == 0
                                   : selectors > 0 || operands == ChangeOperands::KernelsOrAll;
  if (!hasItsSelectors) return "a change with too many selectors, or too few";
  if (change.stream && operands != ChangeOperands::KernelsAndStream)
    return "a change with a stream that it does not take";
  return {};
}

/// Changes with the same key are about the same: one of them has no effect.
std::string keyOf(const Change& change) {
  std::string key(1, static_cast<char>(change.kind));
  if (change.stream) key += std::to_string(*change.stream);
  for (const Selector& selector : change.selectors) {
    key += static_cast<char>(selector.kind);
    key += selector.text;
    key += '\0';
  }
  return key;
}

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

bool checkScenario(const Scenario& scenario, DiagId id, DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  std::unordered_map<std::string, SourceRange> places;
  for (const Change& change : scenario.changes) {
    if (const std::string_view defect = defectOf(change); !defect.empty()) {
      diagnostics.error(id, change.range, std::string(defect));
      continue;
    }
    if (scenario.keepsIdle && isReplayOnly(change))
      diagnostics.error(id, change.range,
                        fmt::format("`{}` cannot be predicted by `{}`: only a replay tells what it changes",
                                    printable(describe(change)), schedule::kIdleConstant));
    if (change.kind == ChangeKind::Batch) continue;  // all of them together are one factor
    const auto [first, isNew] = places.emplace(keyOf(change), change.range);
    if (isNew) continue;
    const char* what = change.kind == ChangeKind::NewTime ? "has a new time" : "is given";
    diagnostics
        .error(id, change.range,
               fmt::format("`{}` {} twice in one scenario; keep one", printable(describe(change)), what))
        .secondary(first->second, "first given here");
  }
  return diagnostics.errorCount() == errorsBefore;
}

}  // namespace amdahlc::ir
