#include "passes/trace_bind/evidence.h"

#include <algorithm>
#include <tuple>

#include "replay/runtimes/collectives.h"
#include "replay/runtimes/operator_name.h"

namespace amdahlc::binding {

namespace {

using evidence::Row;

constexpr ir::EvidenceSet bit(ir::Evidence kind) { return static_cast<ir::EvidenceSet>(kind); }

bool includes(const std::vector<int64_t>& sorted, int64_t value) { return std::ranges::binary_search(sorted, value); }

}  // namespace

int64_t elementsOf(const std::vector<int64_t>& dims) {
  int64_t elements = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || (dim > 0 && elements > INT64_MAX / dim)) return -1;
    elements *= dim;
  }
  return elements;
}

std::vector<int64_t> tellingDims(std::vector<int64_t> dims) {
  std::erase(dims, 1);
  std::ranges::sort(dims);
  return dims;
}

Scorer::Scorer(const AlternativeGraph& graph, const Program& program, const Launches& launches, RuleLaunches& rules)
    : graph_(graph),
      program_(program),
      launches_(launches),
      rules_(rules),
      nodes_(graph.module(), launches.timeline()),
      isLeftOut_(graph.alternatives().size(), false) {
  for (UnitId unit = 0; unit < program.units().size(); ++unit) {
    const Unit& at = program.units()[unit];
    sources_.push_back(at.source.empty() ? std::string() : launches.runtime().comparableName(at.source));
    if (!at.source.empty()) bySource_[sources_.back()].push_back(unit);
    if (at.movesData) movingData_.push_back(unit);
  }
  for (AlternativeId id = 0; id < graph.alternatives().size(); ++id)
    for (const std::string& type : graph.alternatives()[id].typeNames) byType_[type].push_back(id);
  for (const ir::OperatorName& view : graph.grouping().views) viewTypes_.insert(comparableName(view.type));
  if (nodes_.any()) {
    holding_.resize(graph.module().ops.size());
    for (AlternativeId id = 0; id < graph.alternatives().size(); ++id)
      for (const ir::OpId op : graph.alternatives()[id].ops) holding_[op].push_back(id);
  }
  findKinds();
  stated_.resize(graph.module().ops.size(), false);
  for (const CallFeatures& call : features_)
    if (call.node != ir::kNone) stated_[call.node] = true;
  compareShapes();
  fitRules();
  options_.resize(features_.size());
  unbound_.resize(features_.size(), evidence::kUnboundUnknown);
  scoreKinds();
}

void Scorer::restrictTo(const ChosenCover& cover) {
  for (AlternativeId id = 0; id < isLeftOut_.size(); ++id) isLeftOut_[id] = !cover.holds(id);
  scoreKinds();
}

void Scorer::scoreKinds() {
  weight_.resize(features_.size());
  for (uint32_t kind = 0; kind < features_.size(); ++kind) {
    scoreKind(kind);
    weight_[kind] = weigh(kind);
  }
}

void Scorer::findKinds() {
  const Timeline& timeline = launches_.timeline();
  std::map<std::vector<int64_t>, uint32_t> known;
  std::map<std::string, int64_t, std::less<>> classes;
  std::map<uint32_t, int64_t> classOf;
  const auto classIndex = [&](Symbol frame) {
    const auto [entry, isNew] = classOf.try_emplace(frame.index, 0);
    if (isNew)
      entry->second = classes
                          .try_emplace(std::string(launches_.runtime().moduleClass(
                                           launches_.runtime().moduleInstance(timeline.text(frame)))),
                                       static_cast<int64_t>(classes.size()))
                          .first->second;
    return entry->second;
  };
  kinds_.resize(launches_.iterations().size());
  for (size_t iteration = 0; iteration < kinds_.size(); ++iteration) {
    const auto calls = launches_.calls(iteration);
    const auto all = launches_.launches(iteration);
    for (size_t i = 0; i < calls.size(); ++i) {
      const Call& call = calls[i];
      std::vector<int64_t> key;
      key.push_back(call.spill);
      if (const ir::OpId node = nodeOf(all.subspan(call.first, call.count)); !node.isNone())
        key.insert(key.end(), {-5, node.index()});
      key.push_back(call.frame.isNone() ? -1 : classIndex(timeline.host->name[call.frame]));
      for (uint32_t at = call.first; at < call.first + call.count; ++at) {
        key.push_back(-2);
        key.push_back(all[at].signature);
        for (const HostEventId op : all[at].calls)
          if (const OperatorFacts* facts = launches_.host().operatorFactsOf(op))
            for (const auto& dims : facts->inputDims) {
              key.push_back(-3);
              key.insert(key.end(), dims.begin(), dims.end());
            }
      }
      // What follows the call matters only to the rules that describe launches of several calls.
      std::set<ir::RuleId> fitted;
      for (uint32_t at = call.first; at < call.first + call.count; ++at)
        for (const ir::RuleId rule : rules_.startable(all[at].signature)) {
          if (!rules_.mayTakeLaterCalls(rule, all[at]) || !fitted.insert(rule).second) continue;
          const RuleFit found = rules_.fit(rule, iteration, i);
          key.insert(key.end(), {-4, rule.index(), static_cast<int64_t>(found.fit), found.top, found.calls});
        }
      const auto [entry, isNew] = known.try_emplace(std::move(key), static_cast<uint32_t>(features_.size()));
      if (isNew) {
        features_.push_back(describe(call, all.subspan(call.first, call.count)));
        example_.emplace_back(iteration, i);
      }
      kinds_[iteration].push_back(entry->second);
    }
  }
}

bool Scorer::isRemoved(ir::OpId node) const {
  return !node.isNone() && graph_.module().ops[node].state != ir::OpState::Live;
}

/// The node that the operators of all launches of a call state.
ir::OpId Scorer::nodeOf(std::span<const Launch> launches) const {
  ir::OpId node;
  for (const Launch& launch : launches) {
    const ir::OpId at = nodes_.of(launch.event);
    if (at == ir::kNone || (!node.isNone() && at != node)) return ir::kNone;
    node = at;
  }
  return node;
}

CallFeatures Scorer::describe(const Call& call, std::span<const Launch> launches) const {
  const Timeline& timeline = launches_.timeline();
  const RuntimeAdapter& runtime = launches_.runtime();
  CallFeatures features;
  const auto addName = [&](Symbol symbol) {
    std::string name = runtime.comparableName(timeline.text(symbol));
    if (std::ranges::find(features.names, name) == features.names.end()) features.names.push_back(std::move(name));
  };
  features.movesData = features.readsScalar = true;
  if (launches.size() == 1) features.operatorList = runtime.operatorList(launches_.kernelName(launches[0]));
  features.node = nodeOf(launches);
  features.convertsLayout = features.node.isNone();
  for (const Launch& launch : launches) {
    const auto& operators = launches_.signature(launch).operators;
    for (auto op = operators.rbegin(); op != operators.rend(); ++op) {
      addName(*op);
      features.movesData &= runtime.role(timeline.text(*op), true) != OperatorRole::Work;
    }
    for (const Symbol op : operators)
      features.readsScalar &= runtime.role(timeline.text(op), false) == OperatorRole::NoWork;
    features.readsScalar &= !operators.empty();
    features.convertsLayout &= !operators.empty() && runtime.isLayoutConversion(timeline.text(operators.front()),
                                                                                timeline.statedNode(launch.event));
    features.createsConstant |= !operators.empty() && runtime.createsConstant(timeline.text(operators.back()));
    features.isBesideModel |= (!operators.empty() && runtime.isBesideModel(timeline.text(operators.back()))) ||
                              isCommunicationKernel(launches_.kernelName(launch));
    features.onlyInTraining |= !operators.empty() && runtime.isIdentityInInference(timeline.text(operators.back()));
    if (operators.empty()) features.movesData &= launches_.signature(launch).kind != EventKind::Kernel;
    for (const HostEventId op : launch.calls) {
      const OperatorFacts* facts = launches_.host().operatorFactsOf(op);
      if (!facts) continue;
      std::map<std::vector<int64_t>, size_t> own;
      for (const auto& dims : facts->inputDims) {
        if (dims.empty()) continue;
        ++own[tellingDims(dims)];
        features.elements.insert(elementsOf(dims));
      }
      for (const auto& [dims, count] : own) features.dims[dims] = std::max(features.dims[dims], count);
    }
  }
  if (!call.frame.isNone())
    features.moduleClass = runtime.replacedClass(
        runtime.moduleClass(runtime.moduleInstance(timeline.text(timeline.host->name[call.frame]))));
  return features;
}

/// A trace may have been recorded with another batch size, length or width than the model was exported for. Dimensions
/// that differ everywhere are no evidence about a single call.
void Scorer::compareShapes() {
  std::set<std::vector<int64_t>> weights, recorded;
  std::set<int64_t> activations;
  for (const Alternative& alternative : graph_.alternatives()) {
    for (const auto& dims : alternative.weights) {
      weights.insert(tellingDims(dims));
      // Generated code does not record what it reads.
      if (alternative.multiplies || !launches_.hasGeneratedCode()) recorded.insert(tellingDims(dims));
    }
    activations.insert(alternative.elementCounts.begin(), alternative.elementCounts.end());
  }
  std::set<std::vector<int64_t>> seen;
  size_t operands = 0, known = 0;
  for (CallFeatures& call : features_) {
    for (const auto& [dims, count] : call.dims)
      if (weights.contains(dims)) {
        if (recorded.contains(dims)) seen.insert(dims);
        call.hasWeight = true;
      }
    if (call.elements.empty()) continue;
    ++operands;
    known += std::ranges::any_of(call.elements,
                                 [&](int64_t elements) { return elements > 1 && activations.contains(elements); });
  }
  if (!recorded.empty() && operands > 0)
    weightsSeen_ = static_cast<double>(seen.size()) / static_cast<double>(recorded.size());
  weightsCompared_ = !recorded.empty() && seen.size() * 2 >= recorded.size();
  elementsCompared_ = operands > 0 && known * 10 >= operands * 7;
}

/// Which rules fit the launches of each kind of call.
void Scorer::fitRules() {
  fits_.resize(features_.size());
  bestRule_.resize(features_.size());
  for (uint32_t kind = 0; kind < features_.size(); ++kind) {
    const auto [iteration, index] = example_[kind];
    const Call& example = launches_.calls(iteration)[index];
    // No node stands for a copy to the host.
    if (example.spill || features_[kind].readsScalar) continue;
    const auto all = launches_.launches(iteration);
    std::map<ir::RuleId, RuleFit> fits;
    Fit strongest = Fit::Any;
    for (uint32_t at = example.first; at < example.first + example.count; ++at) {
      for (const ir::RuleId rule : rules_.startable(all[at].signature)) {
        const auto [entry, isNew] = fits.try_emplace(rule);
        if (!isNew) continue;
        entry->second = rules_.fit(rule, iteration, index);
        if (entry->second.fit <= strongest) continue;
        strongest = entry->second.fit;
        bestRule_[kind] = rule;
      }
    }
    fits_[kind].assign(fits.begin(), fits.end());
  }
}

Score Scorer::weigh(uint32_t kind) const {
  Score most = 0;
  for (const Option& option : options_[kind]) most = std::max(most, program_.units()[option.unit].weight);
  if (!options_[kind].empty()) return most;
  // An operator that the graph does not have tells as much as an operator with weights.
  const CallFeatures& call = features_[kind];
  return call.onlyInTraining || call.createsConstant || call.convertsLayout || isRemoved(call.node)
             ? 0
             : -evidence::kSkipHeavy;
}

bool Scorer::namesSource(ir::RuleId rule, ir::OpId op) {
  const ir::Module& module = graph_.module();
  const Symbol target = module.ops[op].sourceTarget;
  const auto [entry, isNew] = namesSource_.try_emplace({rule.index(), target.index}, false);
  if (isNew) entry->second = rules_.names(rule, originCall(module.text(target)));
  return entry->second;
}

void Scorer::scoreKind(uint32_t kind) {
  const auto [iteration, index] = example_[kind];
  const CallFeatures& call = features_[kind];
  if (launches_.calls(iteration)[index].spill || call.readsScalar || call.convertsLayout) return;
  // Alternatives that something connects with the call: its rules, its operators' names.
  std::set<AlternativeId> connected;
  for (const auto& [rule, found] : fits_[kind])
    if (found.fit != Fit::None) connected.insert(graph_.ofRule(rule).begin(), graph_.ofRule(rule).end());
  if (call.node != ir::kNone) connected.insert(holding_[call.node].begin(), holding_[call.node].end());
  const auto connectUnit = [&](UnitId unit) {
    const auto& alternatives = program_.units()[unit].alternatives;
    connected.insert(alternatives.begin(), alternatives.end());
  };
  bool known = false;
  for (const std::string& name : call.names) {
    if (const auto found = bySource_.find(name); found != bySource_.end()) {
      known = true;
      for (const UnitId unit : found->second) connectUnit(unit);
    }
    if (const auto found = byType_.find(name); found != byType_.end())
      connected.insert(found->second.begin(), found->second.end());
  }
  if (call.movesData)
    for (const UnitId unit : movingData_) connectUnit(unit);

  const std::vector<AlternativeId> generated = generatedAlternatives(kind);
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Option> best;
  for (const AlternativeId id : connected) {
    if (isLeftOut_[id]) continue;
    const Alternative& alternative = graph_.alternatives()[id];
    if (isGenerated(alternative.rule) && !std::ranges::binary_search(generated, id)) continue;
    const UnitId unit = program_.unitOf(alternative.anchor);
    if (unit == kNoUnit) continue;
    RuleFit found;
    if (alternative.rule != kNoRule) {
      const auto& fits = fits_[kind];
      const auto entry = std::ranges::lower_bound(fits, alternative.rule, {}, &std::pair<ir::RuleId, RuleFit>::first);
      if (entry != fits.end() && entry->first == alternative.rule) found = entry->second;
    }
    const auto option = score(call, found, program_.units()[unit], id);
    if (!option) continue;
    known |= option->connection >= evidence::kInnerSynonym;
    const auto [entry, isNew] = best.try_emplace({option->from, option->to, option->calls}, *option);
    if (!isNew && option->score > entry->second.score) entry->second = *option;
  }
  options_[kind].clear();
  for (const auto& [key, option] : best) options_[kind].push_back(option);
  unbound_[kind] = known && !call.movesData ? evidence::kUnboundKnown : evidence::kUnboundUnknown;
}

bool Scorer::isGenerated(ir::RuleId rule) const {
  return rule != kNoRule && graph_.module().rules.rules[rule].generated;
}

/// Ascending.
std::vector<AlternativeId> Scorer::generatedAlternatives(uint32_t kind) {
  std::vector<AlternativeId> groups;
  const std::string& list = features_[kind].operatorList;
  if (list.empty()) return groups;
  for (const auto& [rule, found] : fits_[kind]) {
    if (found.fit == Fit::None || !isGenerated(rule)) continue;
    if (!generated_) generated_.emplace(graph_.module(), graph_.operators(), graph_.grouping(), launches_.runtime());
    for (const AlternativeId id : graph_.ofRule(rule))
      if (generated_->explains(rule, graph_.alternatives()[id].ops, list)) groups.push_back(id);
  }
  std::ranges::sort(groups);
  return groups;
}

/// A fused implementation calls the operators of modules inside without calling the modules: a class around the unit is
/// no contradiction.
std::optional<Row> Scorer::classEvidence(std::string_view moduleClass, ir::ScopeId scope) const {
  const ir::Module& module = graph_.module();
  const auto isOfClass = [&](ir::ScopeId at) {
    return launches_.runtime().replacedClass(module.text(module.scopes[at].moduleClass)) == moduleClass;
  };
  if (module.scopes[scope].moduleClass.empty()) return std::nullopt;
  if (isOfClass(scope)) return Row::SameClass;
  for (ir::ScopeId at = scope; at != ir::kRootScope; at = module.scopes[at].parent)
    if (isOfClass(module.scopes[at].parent)) return std::nullopt;
  return Row::OtherClass;
}

std::string Scorer::viewType(const Alternative& alternative) const {
  return comparableName(graph_.module().text(graph_.module().ops[alternative.anchor].type));
}

std::optional<Option> Scorer::score(const CallFeatures& call, const RuleFit& fit, const Unit& unit, AlternativeId id) {
  const Alternative& alternative = graph_.alternatives()[id];
  const Program::Place& place = program_.place(id);
  Option option;
  option.unit = program_.unitOf(alternative.anchor);
  option.alternative = id;
  option.calls = fit.calls;
  const bool ruleKnowsCall = fit.knowsCall();
  Score& connection = option.connection;
  const auto take = [&option](Row row) {
    option.rows |= evidence::bit(row);
    return evidence::value(row);
  };
  if (call.node != ir::kNone) {
    if (!std::ranges::binary_search(alternative.ops, call.node)) return std::nullopt;
    // What another call states ran there.
    if (fit.calls == 1 &&
        std::ranges::any_of(alternative.ops, [&](ir::OpId op) { return op != call.node && stated_[op]; }))
      return std::nullopt;
    connection = take(Row::SameNode);
    option.kinds |= bit(ir::Evidence::Name);
    const bool sameType =
        alternative.typeNames.size() == 1 && !call.names.empty() && alternative.typeNames[0] == call.names.front();
    if (!call.names.empty() && !ruleKnowsCall && !sameType) connection += take(Row::OtherOperator);
  } else if (call.names.empty()) {
    if (fit.fit < Fit::NameOnly) return std::nullopt;
    connection = take(alternative.optional || call.movesData ? Row::NameOnlyCopy : Row::NameOnly);
    option.kinds |= bit(ir::Evidence::Name);
  } else {
    // What is inside of it is no other operator of the model.
    if (call.onlyInTraining && sources_[option.unit] != call.names.front() &&
        (alternative.typeNames.size() != 1 || alternative.typeNames[0] != call.names.front()))
      return std::nullopt;
    // A call that computes is no copy that a view causes, unless a rule says that it is how such a view runs.
    if (alternative.optional && !call.movesData && !(fit.fit == Fit::Full && fit.top)) return std::nullopt;
    const std::string& source = sources_[option.unit];
    if (!source.empty()) {
      // The exporter names the operator of a part of it.
      if (!ruleKnowsCall && fit.fit != Fit::NameOnly && place.spansUnits) return std::nullopt;
      const auto name = std::ranges::find(call.names, source);
      if (fit.fit == Fit::NameOnly)
        connection = take(Row::NameOnly);
      else if (name == call.names.begin())
        connection = take(Row::SameOperator);
      else if (ruleKnowsCall && fit.top && namesSource(alternative.rule, alternative.anchor))
        connection = take(Row::Synonym);
      else if (name != call.names.end())
        connection = take(Row::InnerOperator);
      else if (ruleKnowsCall && namesSource(alternative.rule, alternative.anchor))
        connection = take(Row::InnerSynonym);
      else if (call.movesData && unit.movesData)
        connection = take(Row::BothMoveData);
      else if (ruleKnowsCall && fit.top && place.worksAlone)
        connection = take(Row::Rewritten);
      else
        return std::nullopt;
    } else {
      const auto type = [&](const std::string& name) {
        return alternative.typeNames.size() == 1 && alternative.typeNames[0] == name;
      };
      if (fit.fit == Fit::NameOnly)
        connection = take(Row::NameOnly);
      else if (ruleKnowsCall)
        connection = take(fit.top ? Row::RuleTop : Row::RuleInner);
      else if (type(call.names.front()))
        connection = take(Row::TypeTop);
      else if (std::any_of(call.names.begin() + 1, call.names.end(), type))
        connection = take(Row::TypeInner);
      else
        return std::nullopt;
      if (alternative.optional && viewTypes_.contains(call.names.front()) &&
          viewType(alternative) != call.names.front())
        connection += take(Row::OtherView);
    }
    if (fit.fit != Fit::NameOnly) option.kinds |= bit(ir::Evidence::Operator);
    if (fit.fit >= Fit::NameOnly)
      option.kinds |= bit(ir::Evidence::Name);
    else if (alternative.rule != kNoRule)
      connection += take(Row::KernelDiffers);
  }
  if (alternative.optional && !call.names.empty() && call.movesData) {
    // `contiguous` copies what a transposition left; `reshape` what it reads.
    const bool strided =
        alternative.readsStrided || (alternative.leavesStrided && !viewTypes_.contains(call.names.front()));
    connection += take(Row::OnlyAView) + take(strided ? Row::AfterStrided : Row::AfterContiguous);
  }
  if (alternative.unlikely) connection += take(Row::ShapeArithmetic);
  if (place.isPart) connection += take(Row::PartOfDefault);
  Score total = connection;

  if (!call.moduleClass.empty() && alternative.isInOneScope)
    if (const auto row = classEvidence(call.moduleClass, unit.scope)) total += take(*row);
  if (!call.dims.empty()) {
    const auto count = [&](const std::vector<int64_t>& dims) {
      const auto found = call.dims.find(dims);
      return found == call.dims.end() ? size_t{0} : found->second;
    };
    const auto occurs = [&](const std::vector<int64_t>& dims) { return count(tellingDims(dims)) > 0; };
    // An operand that looks like the weight may be the other operand. Its dimensions are those of the model only if
    // sizes are.
    const auto hasWeight = [&](const std::vector<int64_t>& weight) {
      const std::vector<int64_t> dims = tellingDims(weight);
      const auto others = std::ranges::count(alternative.likeWeights, dims);
      return count(dims) > (elementsCompared_ ? static_cast<size_t>(others) : 0);
    };
    bool otherWeight = false;
    if (weightsCompared_ && !alternative.weights.empty()) {
      const bool agrees = std::ranges::any_of(alternative.weights, hasWeight);
      total += take(agrees ? Row::SameWeight : Row::OtherWeight);
      if (agrees) option.kinds |= bit(ir::Evidence::Shape);
      otherWeight = !agrees && call.hasWeight;
    } else if (weightsCompared_ && !alternative.vectors.empty()) {
      const bool agrees = std::ranges::any_of(alternative.vectors, occurs);
      total += take(agrees ? Row::SameVector : Row::OtherVector);
      if (agrees) option.kinds |= bit(ir::Evidence::Shape);
    }
    if (weightsCompared_ && alternative.weights.empty() && call.hasWeight) total += take(Row::NoWeight);
    if (elementsCompared_ && !alternative.elementCounts.empty()) {
      const bool agrees = std::ranges::any_of(
          call.elements, [&](int64_t elements) { return includes(alternative.elementCounts, elements); });
      total += take(agrees ? Row::SameElements : Row::OtherElements);
      if (agrees && !otherWeight) option.kinds |= bit(ir::Evidence::Shape);
    }
  }
  option.evidence = total;
  option.from = place.step.from;
  option.to = place.step.to;
  total += place.step.cost;
  // Between alternatives that agree equally, the one with all of the unit's work, the larger one, the default one.
  total += (place.worksAlone ? 20 : 0) + std::min<Score>(9, static_cast<Score>(alternative.ops.size())) +
           (alternative.inDefault ? 5 : 0);
  option.score = total;
  return option;
}

}  // namespace amdahlc::binding
