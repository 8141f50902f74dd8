// The functions of the WebAssembly module. It holds one run at a time, imports nothing, and stops where memory ends.
//
// A caller fills columns, loads the run, and then chooses changes and predicts, as often as it wants. Numbers of more
// than 53 bits are passed as integers of 64 bits, and read from `results`.

#include <__verbose_abort>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "replay/module/run_columns.h"

using namespace amdahlc;

namespace {

struct State {
  std::array<std::vector<double>, kRunColumnCount> columns;
  std::unique_ptr<ReadRun> run;
  std::vector<ChosenChange> chosen;
  /// The model of wall time, busy time, wall time, window, caution; -1 for none.
  int64_t results[5] = {};
};
State* state;

State& theState() {
  if (state == nullptr) state = new State();
  return *state;
}

void show(const schedule::PredictedTimes& times) {
  int64_t* results = theState().results;
  results[0] = static_cast<int64_t>(times.model);
  results[1] = times.busyNs;
  results[2] = times.wallNs.value_or(-1);
  results[3] = times.windowNs.value_or(-1);
  results[4] = static_cast<int64_t>(times.caution);
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
  all.run.reset();
  all.chosen.clear();
  RunColumns columns;
  for (size_t i = 0; i < kRunColumnCount; ++i) {
    std::ranges::transform(all.columns[i], std::back_inserter(columns.columns[i]), integerOf);
    std::vector<double>().swap(all.columns[i]);
  }
  all.run = ReadRun::read(columns);
  return all.run != nullptr;
}
/// How many changes the run offers.
EXPORT("changes") uint32_t changeCount() {
  return theState().run ? static_cast<uint32_t>(theState().run->offer().changes.size()) : 0;
}
EXPORT("clear") void clear() { theState().chosen.clear(); }
/// Adds a change with its place in `ChangeOrder`, and new time / old time. Whether there is such a change, and the factor
/// is one.
EXPORT("choose")
uint32_t choose(uint32_t change, uint32_t order, int64_t numerator, int64_t denominator) {
  if (change >= changeCount() || order > static_cast<uint32_t>(ChangeOrder::Graph) || numerator < 0 || denominator <= 0)
    return 0;
  const auto how = static_cast<ChangeOrder>(order);
  if (!takes(theState().run->offer().changes[change].subject, how)) return 0;
  theState().chosen.push_back({change, how, Rational::of(numerator, denominator)});
  return 1;
}
/// Predicts the run with the chosen changes. Returns a `Conflict`; without one the times are in `results`.
EXPORT("predict") uint32_t predictChosen() {
  State& all = theState();
  if (!all.run) return static_cast<uint32_t>(Conflict::TooLong);
  Conflict conflict = Conflict::None;
  if (const auto times = all.run->predict(all.chosen, conflict)) show(*times);
  return static_cast<uint32_t>(conflict);
}
/// Puts what predictions start from into `results`.
EXPORT("base") void base() {
  if (theState().run) show(theState().run->base());
}
EXPORT("results") int64_t* results() { return theState().results; }

// What the library would say and write to a file ends the module: the page tells what happened.
void std::__libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }
extern "C" void abort() { __builtin_trap(); }
void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) __builtin_trap();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// The library of 128-bit integers was compiled with a guard of the stack.
extern "C" {
extern const uintptr_t __stack_chk_guard;
const uintptr_t __stack_chk_guard = 0x5bd1e995;
void __stack_chk_fail() { __builtin_trap(); }
}
