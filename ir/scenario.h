/// Scenarios: named sets of planned changes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/selectors.h"
#include "support/diagnostic.h"
#include "support/rational.h"
#include "support/source.h"

namespace amdahlc::ir {

enum class ChangeKind : uint8_t {
#define AMDAHLC_CHANGE(KIND, ...) KIND,
#include "ir/changes.def"
};

/// What stands in the parentheses of a change.
enum class ChangeOperands : uint8_t { None, Kernels, KernelsOrAll, KernelsAndStream, Ratio };

/// One row of changes.def.
struct ChangeRow {
  ChangeKind kind;
  std::string_view name;
  std::string_view form;
  ChangeOperands operands;
  bool isReplayOnly;
  std::string_view what;
  std::string_view assumption;
};
std::span<const ChangeRow> changeTable();
const ChangeRow& info(ChangeKind kind);
std::optional<ChangeKind> changeKindFromName(std::string_view name);

struct Change {
  ChangeKind kind = ChangeKind::NewTime;
  /// What it is about; of `NewTime` exactly one.
  std::vector<Selector> selectors;
  /// Of `NewTime` one of both. New time / old time: a speed-up of 2x is 1/2. Of `Batch`: new batch / old batch.
  std::optional<Rational> factor;
  /// New time per iteration.
  std::optional<int64_t> fixedNs;
  /// Of `Move`: the number of a stream in the trace; nullopt for a new one.
  std::optional<int64_t> stream;
  /// Where it was written (not part of the IR text).
  SourceRange range;
};

/// As options take it, without the new time: `sdpa`, `fuse(rule:sdpa)`.
std::string describe(const Change& change);

/// How scenarios ask for the arithmetic that keeps idle time, and its name in reports.
inline constexpr std::string_view kIdleConstant = "idle-constant";

/// A named set of changes. Measured facts are never overwritten; predictions are an analysis.
struct Scenario {
  std::string name;
  std::vector<Change> changes;
  /// Whether it is predicted by arithmetic that keeps idle time, in a run that could be replayed as well.
  bool keepsIdle = false;
  /// Where its name was written (not part of the IR text).
  SourceRange range = {};
};

/// Reports at its place each change that lacks a part or has one that it does not take, that the scenario has twice, or
/// that its model of wall time cannot predict, and a scenario without changes. False if there is one. Whoever makes a
/// scenario asks for it: readers of texts and files check their grammar alone. `prefix` begins each message.
bool checkScenario(const Scenario& scenario, DiagId id, DiagnosticEngine& diagnostics, std::string_view prefix = {});

/// Whether only a replay tells what it changes, or a part of that.
bool isReplayOnly(const Change& change);
bool isReplayOnly(const Scenario& scenario);

}  // namespace amdahlc::ir
