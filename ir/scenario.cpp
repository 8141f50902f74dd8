#include "ir/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <unordered_map>

#include "support/printable.h"

namespace amdahlc::ir {
namespace {

constexpr ChangeRow kChangeRows[] = {
#define AMDAHLC_CHANGE(KIND, NAME, FORM, OPERANDS, IS_REPLAY_ONLY, WHAT, ASSUMPTION) \
  {ChangeKind::KIND, NAME, FORM, ChangeOperands::OPERANDS, IS_REPLAY_ONLY, WHAT, ASSUMPTION},
#include "ir/changes.def"
};

/// What is wrong with a change by itself, at its place.
struct Defect {
  SourceRange range;
  std::string what;
};

std::optional<Defect> defectOf(const Selector& selector) {
  const SelectorSubject subject = subjectOf(selector.kind);
  if (subject == SelectorSubject::Whole) {
    if (selector.text.empty()) return std::nullopt;
    return Defect{selector.range,
                  fmt::format("`{}` takes no name such as `{}`", name(selector.kind), printable(selector.text))};
  }
  if (selector.text.empty())
    return Defect{selector.range, fmt::format("the selector is empty; name {}",
                                              subject == SelectorSubject::HostEvents ? "an operator of the host"
                                              : subject == SelectorSubject::Phases   ? "a phase of the run"
                                              : subject == SelectorSubject::Forwards
                                                  ? "a group of forwards"
                                                  : "a kernel, node, rule, category, operator type or scope")};
  if (selector.kind != SelectorKind::Regex) return std::nullopt;
  const RE2 pattern(selector.text, RE2::Quiet);
  if (pattern.ok()) return std::nullopt;
  return Defect{selector.range, "invalid regular expression: " + printable(pattern.error())};
}

/// The first one.
std::optional<Defect> defectOf(const Change& change) {
  const ChangeRow& row = info(change.kind);
  const auto defect = [&](std::string_view what) {
    return Defect{change.range, fmt::format("`{}` {}", printable(describe(change)), what)};
  };
  const bool isTime = change.kind == ChangeKind::NewTime;
  const bool isRatio = row.operands == ChangeOperands::Ratio;
  if (isTime && change.factor && change.fixedNs) return defect("has both a factor and a new time");
  if (isTime && !change.factor && !change.fixedNs) return defect("has neither a factor nor a new time");
  if (isRatio && !change.factor) return defect(fmt::format("says no ratio; write {}", row.form));
  if (!isTime && !isRatio && change.factor) return defect("takes no factor");
  if (!isTime && change.fixedNs) return defect("takes no new time");
  if (isRatio && change.factor->isZero()) return defect("takes a ratio above 0, such as `2x` or `1/2x`");
  if (change.fixedNs.value_or(0) < 0) return defect("has a new time below 0");
  const size_t selectors = change.selectors.size();
  if (isTime && selectors != 1) return defect("takes one selector");
  if ((isRatio || row.operands == ChangeOperands::None) && selectors > 0) return defect("takes no selectors");
  const bool needsKernels = row.operands == ChangeOperands::Kernels || row.operands == ChangeOperands::KernelsAndStream;
  if (needsKernels && selectors == 0) return defect(fmt::format("names no kernels; write {}", row.form));
  if (change.stream && row.operands != ChangeOperands::KernelsAndStream) return defect("takes no stream");
  if (change.stream.value_or(0) < 0) return defect("has a stream below 0");
  for (const Selector& selector : change.selectors) {
    if (auto inside = defectOf(selector)) return inside;
    if (subjectOf(selector.kind) == SelectorSubject::Kernels) continue;
    if (!isTime)
      return Defect{selector.range, fmt::format("`{}` is about kernels, and `{}` names none", row.name,
                                                printable(describe(selector.kind, selector.text)))};
    if (selector.kind == SelectorKind::Wait && !(change.factor && change.factor->isZero()))
      return defect("takes `0` alone: a call waits, or it does not");
    if (change.fixedNs) return defect("takes a factor such as `2x`, or `0`, and no time");
  }
  return std::nullopt;
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
  std::vector<std::string> operands;
  for (const Selector& selector : change.selectors) operands.push_back(describe(selector.kind, selector.text));
  if (change.kind == ChangeKind::NewTime && !operands.empty()) return fmt::format("{}", fmt::join(operands, ", "));
  if (change.stream) operands.push_back("stream=" + std::to_string(*change.stream));
  if (change.factor) operands.push_back(change.factor->describe() + "x");
  const std::string_view name = info(change.kind).name;
  return operands.empty() ? std::string(name) : fmt::format("{}({})", name, fmt::join(operands, ", "));
}

bool isReplayOnly(const Change& change) {
  if (change.kind != ChangeKind::NewTime) return info(change.kind).isReplayOnly;
  const SelectorKind kind = change.selectors.front().kind;
  return kind == SelectorKind::Host || kind == SelectorKind::Launches || kind == SelectorKind::HostOperator ||
         kind == SelectorKind::Wait;
}

bool isReplayOnly(const Scenario& scenario) {
  return std::ranges::any_of(scenario.changes, [](const Change& change) { return isReplayOnly(change); });
}

bool checkScenario(const Scenario& scenario, DiagId id, DiagnosticEngine& diagnostics, std::string_view prefix) {
  const size_t errorsBefore = diagnostics.errorCount();
  const auto fault = [&](SourceRange range, std::string_view what) {
    return diagnostics.error(id, range, fmt::format("{}{}", prefix, what));
  };
  if (scenario.changes.empty()) fault(scenario.range, "the scenario has no changes");
  std::unordered_map<std::string, SourceRange> places;
  for (const Change& change : scenario.changes) {
    if (const auto defect = defectOf(change)) {
      fault(defect->range, defect->what);
      continue;
    }
    if (scenario.keepsIdle && isReplayOnly(change))
      fault(change.range, fmt::format("`{}` cannot be predicted by `{}`: only a replay tells what it changes",
                                      printable(describe(change)), kIdleConstant));
    if (change.kind == ChangeKind::Batch) continue;  // all of them together are one factor
    const auto [first, isNew] = places.emplace(keyOf(change), change.range);
    if (isNew) continue;
    const char* what = change.kind == ChangeKind::NewTime ? "has a new time" : "is given";
    fault(change.range, fmt::format("`{}` {} twice in one scenario; keep one", printable(describe(change)), what))
        .secondary(first->second, "first given here");
  }
  return diagnostics.errorCount() == errorsBefore;
}

}  // namespace amdahlc::ir
