/// The module: graphs of operators, rules, measured timelines, and the facts that passes established.
///
/// The operators of a module are exactly the nodes of the ONNX model (functions inlined), in the model's order: `OpId`
/// is the node index. Passes never create operators. `simplify` removes some from their graph's order and records what
/// happened to them. Grouping into kernels is an overlay (covers), because one graph may be bound to several runs.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/cover.h"
#include "ir/facets/facet.h"
#include "ir/hardware.h"
#include "ir/ids.h"
#include "ir/rules.h"
#include "ir/scenario.h"
#include "ir/scope_tree.h"
#include "ir/type.h"
#include "replay/timeline/timeline.h"
#include "support/data_problems.h"
#include "support/limits.h"
#include "support/rational.h"
#include "support/string_pool.h"

namespace amdahlc::ir {

/// A tensor attribute or a constant: type and byte size, and data if it is small (integers and scalars).
struct TensorConstant {
  Type type;
  /// Integers and booleans of at most `kMaxKeptElements` elements, in row-major order.
  std::optional<std::vector<int64_t>> ints;
  /// Floating point of at most `kMaxKeptElements` elements (exact when the source was float32 or narrower).
  std::optional<std::vector<double>> floats;
  static constexpr int64_t kMaxKeptElements = limits::kKeptElements;
  friend bool operator==(const TensorConstant&, const TensorConstant&) = default;
};

/// Attribute values. Strings are bytes. Graph attributes are the op's regions, not attributes. `float` attributes are
/// widened exactly.
using AttributeValue =
    std::variant<int64_t, double, std::string, TensorConstant, Type, std::vector<int64_t>, std::vector<double>,
                 std::vector<std::string>, std::vector<TensorConstant>, std::vector<Type>>;
struct Attribute {
  std::string name;
  AttributeValue value;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// The state of a node of the model. The states in reports are derived from this and from the bindings
/// (docs/report.md).
enum class OpState : uint8_t {
  /// In its graph's order.
  Live,
  /// Simplify merged it into `absorbedInto`: identity, no-op cast or transpose, hidden operator.
  Absorbed,
  /// Simplify removed it: constant, shape arithmetic, dead.
  Folded,
};

struct Region {
  /// Attribute name: `then_branch`, `else_branch`, `body`.
  std::string name;
  GraphId graph;
};

struct Op {
  /// `MatMul`.
  Symbol type;
  /// Empty for `ai.onnx`.
  Symbol domain;
  /// ONNX node name, may be empty or repeated.
  Symbol name;
  /// The module that the exporter took it from; the root when unknown.
  ScopeId scope = kRootScope;
  /// The framework call from which the exporter created this node (the FX node name); equal for nodes of one call;
  /// empty if unknown.
  Symbol sourceCall;
  /// Its target, an operator of the exporting framework; empty when unknown.
  Symbol sourceTarget;
  Symbol docString;
  GraphId graph = kMainGraph;
  OpState state = OpState::Live;
  /// State Absorbed: the live op (never another absorbed one).
  OpId absorbedInto;
  /// `kNone` for an omitted optional input.
  std::vector<ValueId> inputs;
  /// `kNone` for an omitted optional output.
  std::vector<ValueId> outputs;
  /// Operators of its graph that come before it, of which it need not use a result: all that a trace tells of the order
  /// of calls. Ascending, and lower than its own id.
  std::vector<OpId> controlPredecessors;
  /// Sorted by name.
  std::vector<Attribute> attributes;
  std::vector<Region> regions;
  /// Ops absorbed into this one, ascending.
  std::vector<OpId> absorbed;
  /// Further exporter metadata, in file order.
  std::vector<std::pair<Symbol, Symbol>> metadata;

  const Attribute* attribute(std::string_view attributeName) const;
};

/// Memory of a program that its values are in, from when it is allocated until it is free, as execution traces state.
/// When it is allocated again it is another storage.
struct Storage {
  /// From its beginning to the last byte that any call uses; nullopt if it is not known.
  std::optional<int64_t> bytes;
  /// It was there before the calls of the program. Otherwise one of them allocated it.
  bool isBefore = false;
  /// It is there after them: calls of the run use it, or it was there before and nothing tells that it became free.
  bool isAfter = false;
  /// It is no memory of a device.
  bool onHost = false;
  friend bool operator==(const Storage&, const Storage&) = default;
};

struct Value {
  enum class Kind : uint8_t {
    /// Invalid, so that a zeroed value is detected.
    Absent,
    /// Input of its graph (main: what the user feeds; body: loop state, scan slice).
    Input,
    /// Initializer or folded constant; `constant` is set.
    Constant,
    /// Output of `producer`.
    Result,
  };
  /// ONNX value name, unique in its graph and the graphs around it.
  Symbol name;
  Kind kind = Kind::Absent;
  GraphId graph = kMainGraph;
  /// For Result; for a Constant that simplify folded: the op it came from.
  OpId producer;
  /// Which output.
  uint32_t producerIndex = 0;
  Type type;
  /// From the type, or from the model for constants.
  std::optional<int64_t> byteSize;
  std::optional<TensorConstant> constant;
  /// Of a value of a program: the memory that it is in; none if it is not known.
  StorageId storage;
  /// Of a result: its operator wrote the storage. Otherwise it is a view.
  bool isWritten = false;

  /// As the model states it, else by its type; nullopt if neither tells, or beyond 64 bits.
  std::optional<int64_t> bytes() const { return byteSize ? byteSize : type.byteSize(); }
};

struct Graph {
  Symbol name;
  /// The op whose region this is; kNone for the main graph.
  OpId parent;
  std::vector<ValueId> inputs;
  /// May be results, inputs, constants, or values of an enclosing graph.
  std::vector<ValueId> outputs;
  /// Live ops, a valid topological order; initially the model's.
  std::vector<OpId> order;
};

/// Where the graph of a module is from. It decides what is known of its edges and nothing else.
enum class FrontEnd : uint8_t {
  /// A model: edges are data.
  Onnx,
  /// A recorded run: edges are the order of calls and of device work, or data where the recorder states tensors.
  Trace,
  /// A recorded run with its execution trace: edges are data.
  ExecutionTrace,
};
/// In IR text and reports, in the order of the enumerators.
inline constexpr std::string_view kFrontEnds[] = {"onnx", "trace", "execution-trace"};
constexpr std::string_view name(FrontEnd frontEnd) { return kFrontEnds[static_cast<size_t>(frontEnd)]; }

class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept = default;

  /// The graphs, their scopes and the rules, with the same ids and symbols; without candidates, covers, runs and
  /// scenarios.
  Module copyOfModel() const;

  StringPool strings;
  /// File name of the model without folders, as reports show it.
  std::string modelName;
  FrontEnd frontEnd = FrontEnd::Onnx;
  /// Of the program of a run whose calls state their tensors: pairs of which one reads what the other one wrote. A
  /// use of a value may pass on what a call before wrote, such as a view, so that values have other pairs.
  int64_t dataEdges = 0;
  /// Domain (empty for ai.onnx) to version.
  std::map<std::string, int64_t> opsets;
  Target target;

  IdVector<GraphId, Graph> graphs;
  IdVector<OpId, Op> ops;
  IdVector<ValueId, Value> values;
  IdVector<StorageId, Storage> storages;
  ScopeTree scopes;

  RuleSet rules;
  IdVector<CandidateId, Candidate> candidates;
  /// Number of roots at which enumeration hit a limit.
  int64_t truncatedRoots = 0;
  /// [0] is `default` once `fuse` ran; then at most one per run.
  std::vector<Cover> covers;
  /// By order on the command line; labels are unique.
  std::vector<Timeline> timelines;
  std::vector<Scenario> scenarios;
  /// Of the command, for the passes: not in IR text.
  KnownHardware hardware;
  DataProblems dataProblems;

  /// Whether the facet is established; if its level is `Run`, for every run.
  bool has(Facet facet) const { return facets_.contains(facet); }
  /// Whether operators use the results of others. Otherwise only their order is known.
  bool hasDataEdges() const { return frontEnd != FrontEnd::Trace || dataEdges != 0; }
  /// Whether each operator is a call of a recorded run, and not of a model that a run may execute in another way.
  bool isRecorded() const { return frontEnd != FrontEnd::Onnx; }
  FacetSet facets() const { return facets_; }
  void establish(Facet facet) { facets_.insert(facet); }
  /// Drops the facts of `facet` and of all facets derived from it.
  void retract(Facet facet) { drop(withDerived(facet)); }
  /// Drops the facts of all facets derived from `facet`, but not of `facet` itself.
  void retractDerived(Facet facet);
  /// Forgets the rules, the grouping by them, and all facts derived from it.
  void forgetGrouping();
  /// The established facets that `forgetGrouping` drops.
  FacetSet lostWithGrouping() const { return facets_ & withDerived(Facet::Fused); }
  /// Adds a run. The other runs keep their facts, but no facet about runs is established any more, because the new
  /// run has none.
  void addRun(Timeline timeline);
  /// The established facets that `addRun` drops.
  FacetSet lostWithNewRun() const { return facets_ & FacetStore::kStored; }

  /// `bert.encoder.layer.0.attention.self`; empty for the root.
  std::string scopePath(ScopeId scope) const { return scopes.path(scope, strings); }
  ScopeId addScope(std::string_view path) { return scopes.add(path, strings); }
  ScopeId findScope(std::string_view path) const { return scopes.find(path, strings); }
  std::string_view text(Symbol symbol) const { return strings.text(symbol); }
  /// 0 if the model does not import it.
  int64_t opset(std::string_view domain) const;

  /// The name of a node in reports: its name; if that is empty or repeated in the model, `OpType#index`; inside a body,
  /// `parent/branch/name`. Names are counted once, and again after operators were added or `op` was renamed.
  std::string displayName(OpId op) const;

  const Rule& ruleOf(CandidateId candidate) const { return rules.rules[candidates[candidate].rule]; }
  /// Null for a kernel without a rule.
  const Rule* ruleOf(const Kernel& kernel) const { return kernel.candidate ? &ruleOf(*kernel.candidate) : nullptr; }

  Cover& cover(CoverId id) { return covers[id.index()]; }
  const Cover& cover(CoverId id) const { return covers[id.index()]; }
  IdRange<CoverId> coverIds() const { return {0, covers.size()}; }
  /// The cover of the run with this label; null if the run is not bound.
  const Cover* coverOfRun(std::string_view label) const;
  Timeline* findTimeline(std::string_view label);
  const Timeline* findTimeline(std::string_view label) const;

 private:
  void drop(FacetSet dropped);

  FacetSet facets_;
  /// Names of the ops when they were counted, and the count of each symbol.
  mutable std::vector<Symbol> countedNames_;
  mutable std::vector<uint32_t> nameCounts_;
};

}  // namespace amdahlc::ir
