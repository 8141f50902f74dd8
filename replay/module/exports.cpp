// The functions of the WebAssembly module. It holds one run at a time, imports nothing, and stops where memory ends.
//
// A caller fills columns, loads the run, and then chooses changes and predicts, as often as it wants. Numbers of more
// than 53 bits are passed as integers of 64 bits, and read from `results`.

#include <__verbose_abort>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "replay/module/searches.h"

using namespace amdahlc;

namespace {

struct State {
  std::array<std::vector<double>, kRunColumnCount> columns;
  std::unique_ptr<ReadRun> run;
  std::unique_ptr<RunSearches> searches;
  std::vector<ChosenChange> chosen;
  bool keepsIdle = false;
  std::vector<int64_t> results;
};
State* state;

State& theState() {
  if (state == nullptr) state = new State();
  return *state;
}

/// What no column that was written holds becomes a value that no column may hold.
int64_t integerOf(double value) {
  constexpr double kLimit = 0x1p53;
  return value > -kLimit && value < kLimit ? static_cast<int64_t>(value) : INT64_MIN;
}

}  // namespace

#define EXPORT(NAME) extern "C" __attribute__((export_name(NAME)))

/// How many columns a run has.
EXPORT("columns") uint32_t columnCount() { return kRunColumnCount; }
EXPORT("columnName") const char* columnName(uint32_t column) {
  return column < kRunColumnCount ? kRunColumnNames[column].data() : nullptr;
}
/// Where to write so many doubles, the values of a column; null if there is no such column.
EXPORT("column") double* column(uint32_t column, uint32_t length) {
  if (column >= kRunColumnCount) return nullptr;
  theState().columns[column].resize(length);
  return theState().columns[column].data();
}
/// Makes a run of the columns, and forgets them. Whether they are those of a run.
EXPORT("load") uint32_t load() {
  State& all = theState();
  all.searches.reset();
  all.run.reset();
  all.chosen.clear();
  RunColumns columns;
  for (size_t i = 0; i < kRunColumnCount; ++i) {
    std::ranges::transform(all.columns[i], std::back_inserter(columns.columns[i]), integerOf);
    std::vector<double>().swap(all.columns[i]);
  }
  all.run = ReadRun::read(columns);
  if (all.run) all.searches = std::make_unique<RunSearches>(*all.run);
  return all.run != nullptr;
}
/// Forgets what was chosen. Whether idle time is to be kept, by arithmetic.
EXPORT("clear") void clear(uint32_t keepsIdle) {
  theState().chosen.clear();
  theState().keepsIdle = keepsIdle != 0;
}
/// Adds a change with its place in `ChangeOrder`, new time / old time, and the number of a `ChosenChange`; -1 for none.
/// Whether there is such a change, and the factor is one.
EXPORT("choose")
uint32_t choose(uint32_t change, uint32_t order, int64_t numerator, int64_t denominator, int64_t number) {
  State& all = theState();
  if (!all.run || order > static_cast<uint32_t>(ChangeOrder::Graph) || numerator < 0 || denominator <= 0) return 0;
  ChosenChange chosen{change, static_cast<ChangeOrder>(order), Rational::of(numerator, denominator)};
  if (number >= 0) chosen.number = number;
  if (!takes(all.run->offer(), chosen)) return 0;
  all.chosen.push_back(chosen);
  return 1;
}
/// Predicts the run with the chosen changes. Returns a `Conflict`; without one the times are in `results`.
EXPORT("predict") uint32_t predictChosen() {
  State& all = theState();
  all.results.clear();
  if (!all.run) return static_cast<uint32_t>(Conflict::TooLong);
  Conflict conflict = Conflict::None;
  if (const auto times = all.run->predict(all.chosen, conflict, all.keepsIdle)) append(*times, all.results);
  return static_cast<uint32_t>(conflict);
}
/// Puts what predictions start from into `results`.
EXPORT("base") void base() {
  State& all = theState();
  all.results.clear();
  if (all.run) append(all.run->predictor().base(all.keepsIdle), all.results);
}
/// Begins the curve of a change beside those that are chosen. Whether there is one.
EXPORT("beginCurve") uint32_t beginCurve(uint32_t change) {
  State& all = theState();
  return all.run && all.searches->beginCurve(change, all.chosen);
}
// These three look for something by at most so many new predictions. They return 1 if `results` has it, as
// `RunSearches` writes it, and 0 if they are to be called again.
EXPORT("curve") uint32_t curve(uint32_t mostNew) {
  State& all = theState();
  return all.run && all.searches->curve(mostNew, all.results);
}
/// The goal is so many ns, or so many times as fast, where the denominator is not 0.
EXPORT("goal") uint32_t goal(int64_t numerator, int64_t denominator, uint32_t mostNew) {
  State& all = theState();
  return all.run && numerator >= 0 && denominator >= 0 && (numerator > 0 || denominator == 0) &&
         all.searches->goal(numerator, denominator, mostNew, all.results);
}
EXPORT("effects") uint32_t effects(uint32_t mostNew) {
  State& all = theState();
  return all.run && all.searches->effects(mostNew, all.results);
}
EXPORT("results") int64_t* results() { return theState().results.data(); }
EXPORT("resultCount") uint32_t resultCount() { return static_cast<uint32_t>(theState().results.size()); }

// What the library would say and write to a file ends the module: the page tells what happened.
void std::__libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }
extern "C" void abort() { __builtin_trap(); }
// The library of 128-bit integers was compiled with a guard of the stack.
extern "C" {
extern const uintptr_t __stack_chk_guard;
const uintptr_t __stack_chk_guard = 0x5bd1e995;
void __stack_chk_fail() { __builtin_trap(); }
}
