// One function for each kind of evidence. It takes the rows of evidence.def that a pair has, or returns false if the
// call cannot run the alternative. `kJudges` lists them. What module instances tell is asked later, because an
// alignment must have voted: `Instances::judge`.
#include "passes/trace_bind/judges.h"

#include <algorithm>

#include "replay/runtimes/operator_name.h"

namespace amdahlc::binding {

namespace {

using evidence::Row;
using Judge = bool(const Pair& pair, Judgement& judgement);

bool isOfType(const Alternative& alternative, std::string_view name) {
  return alternative.typeNames.size() == 1 && alternative.typeNames[0] == name;
}

bool judgeNode(const Pair& pair, Judgement& judgement) {
  const auto& [module, kinds, call, fit, alternative, unit, source, place] = pair;
  if (call.node == ir::kNone) return true;
  if (!std::ranges::binary_search(alternative.ops, call.node)) return false;
  // What another call states ran there.
  if (fit.calls == 1 && std::ranges::any_of(alternative.ops, [&](ir::OpId op) {
        return op != pair.call.node && pair.kinds.isStated(op);
      }))
    return false;
  judgement.take(Row::SameNode);
  judgement.agree(ir::Evidence::Name);
  if (!call.names.empty() && !fit.knowsCall() && !isOfType(alternative, call.names.front()))
    judgement.take(Row::OtherOperator);
  return true;
}

/// What connects the operators of the call with the one that the exporter names.
std::optional<Row> sourceRow(const Pair& pair) {
  const auto& [module, kinds, call, fit, alternative, unit, source, place] = pair;
  const bool ruleKnowsCall = fit.knowsCall();
  // The exporter names the operator of a part of it.
  if (!ruleKnowsCall && fit.fit != Fit::NameOnly && place.spansUnits) return std::nullopt;
  const auto name = std::ranges::find(call.names, source);
  if (fit.fit == Fit::NameOnly) return Row::RuleTop;
  if (name == call.names.begin()) return Row::SameOperator;
  if (ruleKnowsCall && fit.top && alternative.namesSource) return Row::Synonym;
  if (name != call.names.end() || (ruleKnowsCall && alternative.namesSource)) return Row::InnerOperator;
  if (call.movesData && unit.movesData) return Row::BothMoveData;
  if (ruleKnowsCall && fit.top && place.worksAlone) return Row::RuleTop;
  return std::nullopt;
}

/// The same where the exporter names none.
std::optional<Row> typeRow(const Pair& pair) {
  const auto& names = pair.call.names;
  if (pair.fit.fit == Fit::NameOnly) return Row::RuleTop;
  if (pair.fit.knowsCall()) return pair.fit.top ? Row::RuleTop : Row::RuleInner;
  if (isOfType(pair.alternative, names.front())) return Row::RuleTop;
  if (std::ranges::any_of(names, [&](const std::string& name) { return isOfType(pair.alternative, name); }))
    return Row::RuleInner;
  return std::nullopt;
}

bool judgeOperator(const Pair& pair, Judgement& judgement) {
  const auto& [module, kinds, call, fit, alternative, unit, source, place] = pair;
  if (call.node != ir::kNone) return true;
  if (call.names.empty()) {
    if (fit.fit < Fit::NameOnly) return false;
    judgement.take(alternative.optional || call.movesData ? Row::BothMoveData : Row::RuleTop);
    judgement.agree(ir::Evidence::Name);
    return true;
  }
  // What is inside of it is no other operator of the model.
  if (call.onlyInTraining && source != call.names.front() && !isOfType(alternative, call.names.front())) return false;
  // A call that computes is no copy that a view causes, unless a rule says that it is how such a view runs.
  if (alternative.optional && !call.movesData && !(fit.fit == Fit::Full && fit.top)) return false;
  const auto row = source.empty() ? typeRow(pair) : sourceRow(pair);
  if (!row) return false;
  judgement.take(*row);
  if (fit.fit != Fit::NameOnly) judgement.agree(ir::Evidence::Operator);
  if (fit.fit >= Fit::NameOnly)
    judgement.agree(ir::Evidence::Name);
  else if (alternative.rule != kNoRule)
    judgement.take(Row::KernelDiffers);
  return true;
}

bool judgeView(const Pair& pair, Judgement& judgement) {
  const auto& [module, kinds, call, fit, alternative, unit, source, place] = pair;
  if (!alternative.optional || call.names.empty()) return true;
  if (call.node == ir::kNone && source.empty() && call.isView &&
      comparableName(module.text(module.ops[alternative.anchor].type)) != call.names.front())
    judgement.take(Row::OtherView);
  if (!call.movesData) return true;
  // `contiguous` copies what a transposition left; `reshape` what it reads.
  const bool strided = alternative.readsStrided || (alternative.leavesStrided && !call.isView);
  judgement.take(Row::OnlyAView);
  judgement.take(strided ? Row::AfterStrided : Row::AfterContiguous);
  return true;
}

/// What tells against the alternative whatever the call is.
bool judgeAlternative(const Pair& pair, Judgement& judgement) {
  if (pair.fit.calls > 1) judgement.take(Row::SeveralCalls);
  if (pair.place.isPart) judgement.take(Row::PartOfDefault);
  return true;
}

/// A fused implementation calls the operators of modules inside without calling the modules: a class around the unit is
/// no contradiction.
bool judgeModule(const Pair& pair, Judgement& judgement) {
  const RuntimeAdapter& runtime = pair.kinds.run().launches.runtime();
  const auto classOf = [&](ir::ScopeId scope) {
    return runtime.replacedClass(pair.module.text(pair.module.scopes[scope].moduleClass));
  };
  const std::string_view own = classOf(pair.unit.scope), called = pair.call.moduleClass;
  if (called.empty() || own.empty() || !pair.alternative.isInOneScope) return true;
  if (own == called) {
    judgement.take(Row::SameClass);
    return true;
  }
  for (ir::ScopeId at = pair.unit.scope; at != ir::kRootScope; at = pair.module.scopes[at].parent)
    if (classOf(pair.module.scopes[at].parent) == called) return true;
  judgement.take(Row::OtherClass);
  return true;
}

/// Of two rows, that of what agrees.
bool takeOneOf(Judgement& judgement, bool agrees, Row same, Row other) {
  judgement.take(agrees ? same : other);
  return agrees;
}

bool judgeShapes(const Pair& pair, Judgement& judgement) {
  const auto& [module, kinds, call, fit, alternative, unit, source, place] = pair;
  if (call.dims.empty()) return true;
  const ShapeComparison& compared = kinds.compared();
  const auto count = [&](const std::vector<int64_t>& dims) {
    const auto found = pair.call.dims.find(dims);
    return found == pair.call.dims.end() ? size_t{0} : found->second;
  };
  // An operand that looks like the weight may be the other operand. Its dimensions are those of the model only if
  // sizes are.
  const auto hasWeight = [&](const std::vector<int64_t>& dims) {
    const auto others = std::ranges::count(pair.alternative.likeWeights, dims);
    return count(dims) > (compared.elements ? static_cast<size_t>(others) : 0);
  };
  bool agrees = false, otherWeight = false;
  if (compared.weights && !alternative.weights.empty()) {
    agrees =
        takeOneOf(judgement, std::ranges::any_of(alternative.weights, hasWeight), Row::SameWeight, Row::OtherWeight);
    otherWeight = !agrees && call.hasWeight;
  } else if (compared.weights && !alternative.vectors.empty()) {
    agrees = takeOneOf(judgement, std::ranges::any_of(alternative.vectors, count), Row::SameVector, Row::OtherVector);
  }
  if (compared.weights && alternative.weights.empty() && call.hasWeight) judgement.take(Row::NoWeight);
  if (compared.elements && !alternative.elementCounts.empty()) {
    const bool same = std::ranges::any_of(call.elements, [&](int64_t elements) {
      return std::ranges::binary_search(pair.alternative.elementCounts, elements);
    });
    agrees |= takeOneOf(judgement, same, Row::SameElements, Row::OtherElements) && !otherWeight;
  }
  if (agrees) judgement.agree(ir::Evidence::Shape);
  return true;
}

constexpr Judge* kJudges[] = {judgeNode, judgeOperator, judgeView, judgeAlternative, judgeModule, judgeShapes};

}  // namespace

std::optional<Judgement> judge(const Pair& pair) {
  Judgement judgement;
  for (Judge* judge : kJudges)
    if (!judge(pair, judgement)) return std::nullopt;
  return judgement;
}

}  // namespace amdahlc::binding
