// Before: the graph as an exporter wrote it.        After: operators that a device may have run.
//
//   two  = Constant()                                 y = MatMul(x, w)   absorbed: same, drop
//   dims = Shape(x)                                   z = Reshape(y, first)
//   n    = Gather(dims, two)
//   first= Concat(n, minus_one)
//   same = Cast<to = float16>(x)     x is float16
//   y    = MatMul(same, w)
//   drop = Dropout(y)                in inference
//   z    = Reshape(drop, first)
//
// An operator whose result equals one of its operands is absorbed into its first user that stays, or into the producer
// of the operand. Constants, shape arithmetic and dead operators are folded. A scalar or a vector of integers that is
// computed from shapes and constants alone is on the host in every framework. A tensor that a framework fills (`Range`,
// `ConstantOfShape`) is a host value only if all its uses are shapes.
//
// It keeps casts to another type, transposes and reshapes that change something (they may run a kernel; rules say which
// do), dropout in training mode or with a used mask, and arithmetic on results of the device.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <memory>

#include "passes/manager/pass.h"
#include "passes/simplify/simplify_plan.h"

namespace amdahlc {

namespace {

using ir::kNone;
using ir::OpId;
using ir::OpState;
using simplify::Reason;

/// Texts about a reason, in the order of the reasons.
struct ReasonText {
  /// The statistic of operators that it removes.
  const char *statistic, *counted;
  /// For remarks.
  std::string_view remark;
};
constexpr ReasonText kReasons[] = {
    {nullptr, nullptr, ""},
    {"constants", "`Constant` operators", "a constant"},
    {"shape-arithmetic", "operators that computed shapes, or scalars from shapes", "shape arithmetic"},
    {"identities", "`Identity` operators", "an identity"},
    {"no-op-casts", "casts to the type that their operand has", "a cast to the type that its operand has"},
    {"no-op-transposes", "transposes without effect, or reversed by another one",
     "a transpose without effect, or one that another transpose reverses"},
    {"dropouts", "`Dropout` operators in inference", "dropout in inference"},
    {"hidden", "operators that the rules hide", "hidden by the rules"},
    {"dead", "operators with unused results", "its results are not used"},
};
static_assert(std::size(kReasons) == static_cast<size_t>(Reason::Dead) + 1);

/// Refines `type` by another type of the same value. The type of a declared output is often more precise than the
/// inferred one.
bool refine(ir::Type& type, const ir::Type& known) {
  if (type.element != known.element || type.kind != known.kind || !known.ranked) return false;
  if (!type.ranked) {
    type = known;
    return true;
  }
  bool refined = false;
  for (size_t i = 0; i < type.dims.size() && type.dims.size() == known.dims.size(); ++i) {
    if (type.dims[i].isNumber() || !known.dims[i].isNumber()) continue;
    type.dims[i] = known.dims[i];
    refined = true;
  }
  return refined;
}

/// Stores the elements if all of them are known and the type can represent them.
void keepElements(ir::TensorConstant& constant, const ir::HostValue& value) {
  if (!value.elements || constant.type.elementCount() != static_cast<int64_t>(value.elements->size())) return;
  const bool isInteger = ir::isInteger(constant.type.element);
  std::vector<int64_t> ints;
  std::vector<double> floats;
  for (const ir::HostElement& element : *value.elements) {
    if (!element || !std::isfinite(*element)) return;
    const auto integer = ir::asInteger(*element);
    if (isInteger && !integer) return;
    ints.push_back(integer.value_or(0));
    floats.push_back(static_cast<double>(*element));
  }
  if (isInteger) constant.ints = std::move(ints);
  if (ir::isFloatingPoint(constant.type.element)) constant.floats = std::move(floats);
}

}  // namespace

class SimplifyPass : public Pass {
 public:
  SimplifyPass() {
    runsByDefault();
    needsInput(PassInput::Rules);
    establishesFacet(ir::Facet::Simplified);
    for (size_t reason = 1; reason < std::size(kReasons); ++reason)
      removed_[reason] = &statistic(kReasons[reason].statistic, kReasons[reason].counted);
  }

  PassResult run(ir::Module& module, PassContext& context) override {
    // Candidates and covers refer to operators, and events are bound to them. Once operators are grouped, none may be
    // removed.
    if (module.has(ir::Facet::Fused)) return PassResult::unchanged();
    bool changed = false;
    // Every call of a recorded run ran, and has a time of its own.
    bool more = !module.isRecorded();
    // A second round only if a type became more precise, because then more operators may have no effect.
    std::optional<ir::OperatorGraph> changedGraph;
    while (more) {
      if (changed) changedGraph.emplace(module);
      const auto& graph = changed ? *changedGraph : context.analyses.get<ir::OperatorGraph>();
      const simplify::SimplifyPlan plan(module, graph);
      more = removeOperators(module, plan);
      if (!more) break;
      changed = true;
      reconnect(module, plan);
      explain(module, plan, context);
      more = refineTypes(module, plan);
    }
    const bool isFirst = !module.has(ir::Facet::Simplified);
    module.establish(ir::Facet::Simplified);
    if (changed) return PassResult::changed();
    return isFirst ? PassResult::changed(PreservedAnalyses::all()) : PassResult::unchanged();
  }

 private:
  void makeConstants(ir::Module& module, OpId op, const simplify::SimplifyPlan& plan) const {
    const std::optional<ir::TensorConstant> written = ir::constantOperatorTensor(module, module.ops[op]);
    for (const ir::ValueId output : module.ops[op].outputs) {
      if (output == kNone) continue;
      ir::Value& value = module.values[output];
      if (written && value.type.kind == ir::Type::Kind::Unknown) value.type = written->type;
      value.kind = ir::Value::Kind::Constant;
      if (written) {
        value.constant = *written;
      } else {
        value.constant = ir::TensorConstant{value.type, std::nullopt, std::nullopt};
        keepElements(*value.constant, plan.hostValues().of(output));
      }
      value.byteSize = value.constant->type.byteSize();
    }
  }

  /// Refines types of values that replace others. True if one became more precise.
  bool refineTypes(ir::Module& module, const simplify::SimplifyPlan& plan) const {
    bool refined = false;
    for (const OpId id : module.ops.ids()) {
      const Reason reason = plan.reason(id);
      if (reason != Reason::Identity && reason != Reason::Cast && reason != Reason::Dropout) continue;
      const ir::ValueId result = module.ops[id].outputs.front();
      if (result == kNone) continue;
      ir::Value& source = module.values[plan.replacement(result)];
      if (!refine(source.type, module.values[result].type)) continue;
      refined = true;
      if (!source.byteSize) source.byteSize = source.type.byteSize();
    }
    return refined;
  }

  bool removeOperators(ir::Module& module, const simplify::SimplifyPlan& plan) {
    bool changed = false;
    for (const OpId id : module.ops.ids()) {
      ir::Op& op = module.ops[id];
      const Reason reason = plan.reason(id);
      if (op.state != OpState::Live || reason == Reason::Kept) continue;
      changed = true;
      op.state = plan.absorber(id) == kNone ? OpState::Folded : OpState::Absorbed;
      op.absorbedInto = plan.absorber(id);
      ++(op.state == OpState::Absorbed ? absorbed_ : folded_);
      ++*removed_[static_cast<size_t>(reason)];
      if (plan.makesConstants(id)) makeConstants(module, id, plan);
    }
    if (!changed) return false;

    // Operators that an earlier run absorbed into a removed operator follow it.
    for (ir::Op& op : module.ops) op.absorbed.clear();
    for (const OpId id : module.ops.ids()) {
      ir::Op& op = module.ops[id];
      if (op.state != OpState::Absorbed) continue;
      if (const ir::Op& absorber = module.ops[op.absorbedInto]; absorber.state != OpState::Live) {
        op.absorbedInto = absorber.state == OpState::Absorbed ? absorber.absorbedInto : OpId(kNone);
        if (op.absorbedInto == kNone) op.state = OpState::Folded;
      }
      if (op.state == OpState::Absorbed) module.ops[op.absorbedInto].absorbed.push_back(id);
    }
    return true;
  }

  void reconnect(ir::Module& module, const simplify::SimplifyPlan& plan) const {
    for (ir::Graph& graph : module.graphs) {
      std::erase_if(graph.order, [&](OpId op) { return module.ops[op].state != OpState::Live; });
      for (ir::ValueId& output : graph.outputs) output = plan.replacement(output);
    }
    for (ir::Op& op : module.ops) {
      if (op.state != OpState::Live) continue;
      for (ir::ValueId& input : op.inputs)
        if (input != kNone) input = plan.replacement(input);
    }
  }

  void explain(const ir::Module& module, const simplify::SimplifyPlan& plan, PassContext& context) const {
    if (!context.wants(RemarkKind::Passed)) return;
    for (const OpId id : module.ops.ids()) {
      if (plan.reason(id) == Reason::Kept) continue;
      const ir::Op& op = module.ops[id];
      const OnnxLocation location{module.modelName, std::string(module.text(module.graphs[op.graph].name)),
                                  module.displayName(id), ""};
      const std::string where = op.state == OpState::Absorbed
                                    ? fmt::format("absorbed into `{}`", module.displayName(op.absorbedInto))
                                    : "folded";
      context.remark(RemarkKind::Passed, location,
                     fmt::format("`{}` {}: {}", module.text(op.type), where,
                                 kReasons[static_cast<size_t>(plan.reason(id))].remark));
    }
  }

  /// By reason; null for `Kept`.
  std::array<int64_t*, std::size(kReasons)> removed_{};
  int64_t& absorbed_ = statistic("absorbed", "operators merged into another one");
  int64_t& folded_ = statistic("folded", "operators removed: constants, shape arithmetic, dead operators");
};

std::unique_ptr<Pass> makeSimplifyPass() { return std::make_unique<SimplifyPass>(); }

}  // namespace amdahlc
