/// The graph in the order in which it is expected to run: units on a line of positions, with the jumps that control
/// flow allows. The aligner moves along it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/module.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/evidence.h"

namespace amdahlc::binding {

inline constexpr Score kImpossible = -1'000'000'000;

/// How much it tells of the fit of a run that a unit ran or not: one with parameters, or that reduces or contracts its
/// operands, and any other.
inline constexpr Score kHeavyWeight = 500, kLightWeight = 80;

using UnitId = uint32_t;
inline constexpr UnitId kNoUnit = 0xffffffffu;

/// Operators that one framework call of the trace may run: those that the exporter made from one call, or one operator.
/// Where the trace states nodes, each operator is a unit.
struct Unit {
  /// Ascending.
  std::vector<ir::OpId> ops;
  ir::ScopeId scope = ir::kRootScope;
  /// The bare framework operator that it was exported from, `addmm`; empty if unknown.
  std::string source;
  /// Alternatives whose anchor is in the unit, ascending.
  std::vector<AlternativeId> alternatives;
  /// What it costs that no call runs the unit.
  evidence::Row skip = evidence::Row::SkipView;
  /// Whether it must launch something: its skip is evidence against the model, of this weight.
  bool mustRun = false;
  Score weight = 0;
  /// Some operator multiplies by parameters and sums: it is a call even where a compiler generates code for others.
  bool multiplies = false;
  /// Nothing but views, copies and casts.
  bool movesData = false;
};

class Program {
 public:
  /// From `from` to `to`, at `cost`; without a launch.
  struct Edge {
    uint32_t from = 0, to = 0;
    Score cost = 0;
  };
  static constexpr size_t kNoLoop = static_cast<size_t>(-1);
  /// The body of a loop: from its end back to its begin.
  struct Loop {
    uint32_t begin = 0, end = 0;
    ir::OpId op;
    Score cost = 0;
    /// Index of the innermost loop around it; kNoLoop without one.
    size_t around = kNoLoop;
  };

  /// What the trace is, as far as it changes what is expected of a unit.
  struct Run {
    /// The trace states nodes, so that what ran is in it.
    bool statesNodes = false;
    /// A compiler generated code, which may hold all but products with weights.
    bool hasGeneratedCode = false;
  };
  Program(const AlternativeGraph& graph, OrderKind order) : Program(graph, graph.orders().rank(order), {}) {}
  /// `rank` is that of each operator in an order that the graph allows.
  Program(const AlternativeGraph& graph, const IdVector<ir::OpId, uint32_t>& rank, Run run);

  const std::vector<Unit>& units() const { return units_; }
  UnitId unitOf(ir::OpId op) const { return unitOf_[op]; }
  /// Positions are 0 to `end()`. Between position p and p + 1 lies `unitAt(p)`, or nothing.
  uint32_t end() const { return static_cast<uint32_t>(unitAt_.size()); }
  UnitId unitAt(uint32_t position) const { return unitAt_[position]; }
  uint32_t positionOf(UnitId unit) const { return positionOf_[unit]; }
  /// The cost of moving from p to p + 1 without a launch; kImpossible between two branches of an `If`.
  Score walk(uint32_t position) const { return walk_[position]; }
  /// Ascending by `to`; each leads forward.
  const std::vector<Edge>& edges() const { return edges_; }
  /// By `end`, inner loops first.
  const std::vector<Loop>& loops() const { return loops_; }
  /// Index of the innermost loop around what lies between the position and the next; kNoLoop without one.
  size_t loopAt(uint32_t position) const { return loopAt_[position]; }
  /// Where an alternative runs. An anchor outside of the program has none of it.
  struct Place {
    /// From the first unit that it holds to behind the last one. Units between them that it does not hold are skipped.
    /// If one of those is expected to launch, the alternative is interleaved with others: then the step is over its
    /// anchor's unit only, and the cost gives back that its other units are skipped.
    Edge step;
    /// It holds all operators of its anchor's unit that are expected to launch.
    bool worksAlone = false;
    /// It holds operators of other units that are expected to launch.
    bool spansUnits = false;
    /// Its operators are a proper part of a kernel of the default cover.
    bool isPart = false;
  };
  const Place& place(AlternativeId alternative) const { return places_[alternative]; }

 private:
  void addGraph(ir::GraphId graph);
  void addUnit(UnitId unit);
  void nestLoops();
  void describe(Unit& unit);
  void addSkips();

  const AlternativeGraph& graph_;
  const ir::Module& module_;
  IdVector<ir::OpId, uint32_t> rank_;
  Run run_;
  std::vector<Unit> units_;
  IdVector<ir::OpId, UnitId> unitOf_;
  std::vector<UnitId> unitAt_;
  std::vector<uint32_t> positionOf_;
  std::vector<Score> walk_;
  std::vector<Edge> edges_;
  std::vector<Loop> loops_;
  std::vector<size_t> loopAt_;
  Edge stepOf(AlternativeId alternative) const;
  /// By alternative.
  std::vector<Place> places_;
};

/// An alternative as the kernel of a call.
struct Option {
  UnitId unit = kNoUnit;
  AlternativeId alternative = kNoAlternative;
  /// The step along the program (Program::step).
  uint32_t from = 0, to = 0;
  /// The evidence, the cost of the step, and what decides between alternatives that agree equally.
  Score score = 0;
  Score evidence = 0;
  /// Number of calls that it takes.
  uint32_t calls = 1;
  ir::EvidenceSet kinds = 0;
  /// What `evidence` is the sum of.
  evidence::Rows rows = 0;
  /// The weight with which a binding votes that the module instance of its call is the scope of the unit.
  Score vote() const { return std::max<Score>(evidence, 10); }
};

}  // namespace amdahlc::binding
