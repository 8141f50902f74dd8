#include "passes/trace_bind/evidence.h"

#include <algorithm>

#include "runtimes/operator_name.h"

namespace amdahlc::binding {

namespace {

constexpr ir::EvidenceSet bit(ir::Evidence evidence) { return static_cast<ir::EvidenceSet>(evidence); }

int64_t product(const std::vector<int64_t>& dims) {
  int64_t elements = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || (dim > 0 && elements > INT64_MAX / dim)) return -1;
    elements *= dim;
  }
  return elements;
}

bool includes(const std::vector<int64_t>& sorted, int64_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

}  // namespace

bool sameOperator(const std::string& a, const std::string& b) {
  constexpr size_t kLong = 8;
  if (a.size() > b.size()) return sameOperator(b, a);
  if (a.empty() || !b.starts_with(a)) return false;
  return a.size() == b.size() || a.size() >= kLong || (b[a.size()] >= '0' && b[a.size()] <= '9');
}

bool readAlike(const std::string& a, const std::string& b) {
  constexpr size_t kMeaningful = 4;
  if (a == b) return !a.empty();
  return a.size() >= kMeaningful && b.size() >= kMeaningful && (a.starts_with(b) || b.starts_with(a));
}

uint16_t confidence(ir::EvidenceSet evidence, int contradictions) {
  int permille = 0;
  if (evidence & bit(ir::Evidence::Name)) permille += 300;
  if (evidence & bit(ir::Evidence::Operator)) permille += 250;
  if (evidence & bit(ir::Evidence::Module)) permille += 250;
  if (evidence & bit(ir::Evidence::Shape)) permille += 100;
  if (evidence & bit(ir::Evidence::Order)) permille += 100;
  return static_cast<uint16_t>(std::clamp(permille - 200 * contradictions, 50, 1000));
}

Scorer::Scorer(const AlternativeGraph& graph, const Launches& launches, RuleLaunches& rules, const FrameScopes& frames)
    : graph_(graph), allLaunches_(launches), rules_(rules), frames_(frames) {
  compareShapesGlobally(launches);
}

/// A trace may have been recorded with another batch size, length or width than the model was exported for. Dimensions
/// that differ everywhere are no evidence about a single event.
void Scorer::compareShapesGlobally(const Launches& launches) {
  std::set<std::vector<int64_t>> weights, seen;
  std::set<int64_t> activations;
  for (const Alternative& alternative : graph_.alternatives()) {
    weights.insert(alternative.weights.begin(), alternative.weights.end());
    activations.insert(alternative.elementCounts.begin(), alternative.elementCounts.end());
  }
  size_t operands = 0, known = 0;
  if (launches.iterations().empty()) return;
  for (const Launch& launch : launches.launches(launches.representative())) {
    bool first = true;
    for (const HostEventId call : launch.calls) {
      const OperatorFacts* facts = launches.host().operatorFactsOf(call);
      if (!facts) continue;
      for (auto dims : facts->inputDims) {
        const int64_t elements = product(dims);
        std::sort(dims.begin(), dims.end());
        if (weights.contains(dims)) {
          seen.insert(dims);
        } else if (call == launch.call && first && dims.size() >= 2 && elements > 1) {
          first = false;
          ++operands;
          known += activations.contains(elements);
        }
      }
    }
  }
  weightsCompared_ = !weights.empty() && seen.size() * 2 >= weights.size();
  elementsCompared_ = operands > 0 && known * 10 >= operands * 7;
}

void Scorer::start(std::span<const Launch> launches) {
  launches_ = launches;
  at_ = kNoPosition;
  firstLaunchedNs_ = INT64_MAX;
  const Timeline& timeline = allLaunches_.timeline();
  for (const Launch& launch : launches)
    if (!allLaunches_.host().launch[launch.event].isNone())
      firstLaunchedNs_ = std::min(firstLaunchedNs_, timeline.startNs[launch.event]);
  if (!timeline.hasDevice || firstLaunchedNs_ == INT64_MAX) firstLaunchedNs_ = INT64_MIN;
}

void Scorer::moveTo(size_t position) {
  if (at_ == position) return;
  at_ = position;
  const Launch& launch = launches_[position];
  const Timeline& timeline = allLaunches_.timeline();
  matches_.assign(graph_.module().rules.rules.size(), std::nullopt);
  operatorNames_.clear();
  for (const Symbol op : allLaunches_.signature(launch).operators)
    operatorNames_.push_back(allLaunches_.runtime().comparableName(timeline.text(op)));
  dims_.clear();
  elementCounts_.clear();
  for (const HostEventId call : launch.calls) {
    const OperatorFacts* facts = allLaunches_.host().operatorFactsOf(call);
    if (!facts) continue;
    for (auto dims : facts->inputDims) {
      if (dims.empty()) continue;
      if (call == launch.call) elementCounts_.push_back(product(dims));
      std::sort(dims.begin(), dims.end());
      dims_.insert(std::move(dims));
    }
  }
  std::sort(elementCounts_.begin(), elementCounts_.end());
  place_ = frames_.place(launch);
}

std::vector<ir::RuleId> Scorer::possibleRules(size_t position) const {
  std::vector<ir::RuleId> possible = rules_.startable(launches_[position].signature);
  for (const ir::RuleId rule : graph_.module().rules.rules.ids())
    if (!rules_.describesLaunches(rule) && !graph_.ofRule(rule).empty()) possible.push_back(rule);
  return possible;
}

bool Scorer::ownsCall(size_t position, AlternativeId id) {
  moveTo(position);
  const Alternative& alternative = graph_.alternatives()[id];
  if (operatorNames_.empty()) return false;
  for (const std::string& target : alternative.targets)
    if (allLaunches_.runtime().comparableName(target) == operatorNames_.back()) return true;
  return alternative.rule != kNoRule && rules_.namesTopLevel(alternative.rule, launches_[position].signature);
}

bool Scorer::isSpill(size_t position) const {
  const EventIndex event = launches_[position].event;
  const Timeline& timeline = allLaunches_.timeline();
  return timeline.startNs[event] < firstLaunchedNs_ && allLaunches_.host().launch[event].isNone();
}

bool Scorer::namesCall(size_t position, AlternativeId id) {
  moveTo(position);
  const Alternative& alternative = graph_.alternatives()[id];
  return namesTarget(alternative, operatorNames_) || namesType(alternative) ||
         (alternative.rule != kNoRule && rules_.namesOperator(alternative.rule, launches_[position].signature));
}

bool Scorer::namesTarget(const Alternative& alternative, const std::vector<std::string>& operators) const {
  return std::any_of(alternative.targets.begin(), alternative.targets.end(), [&](const std::string& target) {
    const std::string name = allLaunches_.runtime().comparableName(target);
    return std::any_of(operators.begin(), operators.end(),
                       [&](const std::string& op) { return sameOperator(op, name); });
  });
}

bool Scorer::namesType(const Alternative& alternative) const {
  return alternative.typeNames.size() == 1 &&
         std::any_of(operatorNames_.begin(), operatorNames_.end(),
                     [&](const std::string& name) { return readAlike(name, alternative.typeNames[0]); });
}

std::optional<ir::RuleId> Scorer::bestRule(size_t position) {
  moveTo(position);
  std::optional<ir::RuleId> best;
  Fit bestFit = Fit::Any;
  for (const ir::RuleId rule : rules_.startable(launches_[position].signature)) {
    const LaunchMatch match = rules_.match(rule, launches_, position);
    if (match.fit > bestFit) {
      best = rule;
      bestFit = match.fit;
    }
  }
  return best;
}

std::optional<LaunchScore> Scorer::score(size_t position, AlternativeId id) {
  moveTo(position);
  if (isSpill(position)) return std::nullopt;
  const Alternative& alternative = graph_.alternatives()[id];
  LaunchMatch match;
  if (alternative.rule != kNoRule) {
    auto& known = matches_[alternative.rule];
    if (!known) known = rules_.match(alternative.rule, launches_, position);
    match = *known;
  }
  LaunchScore result;
  const bool targetKnown = !alternative.targets.empty() && !operatorNames_.empty();
  bool targetAgrees = targetKnown && namesTarget(alternative, operatorNames_);
  // Where several calls run a kernel, the exporter names one of them.
  for (size_t next = position + 1;
       targetKnown && !targetAgrees && match.fit == Fit::Full && next < position + match.length; ++next) {
    std::vector<std::string> names;
    for (const Symbol op : allLaunches_.signature(launches_[next]).operators)
      names.push_back(allLaunches_.runtime().comparableName(allLaunches_.timeline().text(op)));
    targetAgrees = namesTarget(alternative, names);
  }
  // A part of a call gets a part of the score of the call.
  const auto share = [&](int32_t score) {
    return alternative.coversCalls()
               ? score
               : static_cast<int32_t>(score * alternative.callShareCovered / alternative.callShareTotal);
  };
  switch (match.fit) {
    case Fit::Full:
      result.score = score::kFull;
      result.evidence = bit(ir::Evidence::Name) | bit(ir::Evidence::Operator);
      break;
    case Fit::NameOnly:
      result.score = score::kNameOnly;
      result.evidence = bit(ir::Evidence::Name);
      break;
    case Fit::OperatorOnly:
      result.score = match.direct ? score::kOperatorDirect : score::kOperatorIndirect;
      result.evidence = bit(ir::Evidence::Operator);
      break;
    case Fit::Any:
    case Fit::None:
      if (targetAgrees && alternative.targets.size() == 1) {
        result.score = share(score::kSourceTarget);
      } else if (namesType(alternative)) {
        result.score = score::kSameName;
        result.evidence = bit(ir::Evidence::Operator);
      } else if (match.fit == Fit::Any) {
        result.score = score::kAnything;
      } else {
        return std::nullopt;
      }
      match.length = 1;
      break;
  }
  result.length = match.length;
  result.fitScore = result.score;
  if (targetAgrees) {
    result.score += share(score::kTargetAgrees);
    result.evidence |= bit(ir::Evidence::Operator);
  } else if (targetKnown && !(match.fit == Fit::Full && alternative.coversCalls() && namesType(alternative))) {
    // An exporter that fuses calls keeps the name of one of them. The operator's own type outweighs it.
    result.score += alternative.coversCalls() ? score::kTargetDiffers : score::kPartTargetDiffers;
    ++result.contradictions;
  }

  if (place_.known()) {
    // A kernel may span several modules: the nearest of its operators' modules counts.
    std::optional<ModuleRelation> nearest;
    for (const ir::ScopeId scope : alternative.scopes)
      if (scope != ir::kRootScope || alternative.scopes.size() == 1)
        nearest = std::max(nearest, std::optional(frames_.relation(place_, scope)));
    const ModuleRelation best = nearest.value_or(ModuleRelation::Unknown);
    switch (best) {
      case ModuleRelation::Same:
        result.score += place_.exact ? score::kModuleSame : score::kEnclosingSame;
        if (place_.exact) result.evidence |= bit(ir::Evidence::Module);
        break;
      case ModuleRelation::Near:
        result.score += !place_.exact          ? score::kEnclosingBelow
                        : alternative.optional ? score::kOptionalElsewhere
                                               : score::kModuleNear;
        ++result.contradictions;
        break;
      case ModuleRelation::Other:
        result.score += place_.exact ? score::kModuleOther : score::kEnclosingOther;
        ++result.contradictions;
        break;
      case ModuleRelation::Unknown:
        break;
    }
  }

  if (weightsCompared_ && !dims_.empty() && !alternative.weights.empty()) {
    const bool agrees = std::all_of(alternative.weights.begin(), alternative.weights.end(),
                                    [&](const auto& dims) { return dims_.contains(dims); });
    result.score += agrees ? score::kWeightsAgree : score::kWeightsDiffer;
    if (agrees)
      result.evidence |= bit(ir::Evidence::Shape);
    else
      ++result.contradictions;
  } else if (weightsCompared_ && !dims_.empty() && !alternative.vectors.empty()) {
    const bool agrees = std::any_of(alternative.vectors.begin(), alternative.vectors.end(),
                                    [&](const auto& dims) { return dims_.contains(dims); });
    result.score += agrees ? score::kVectorsAgree : score::kVectorsDiffer;
    if (agrees) result.evidence |= bit(ir::Evidence::Shape);
  }
  if (elementsCompared_ && !elementCounts_.empty() && !alternative.elementCounts.empty()) {
    const bool agrees = std::any_of(alternative.elementCounts.begin(), alternative.elementCounts.end(),
                                    [&](int64_t elements) { return includes(elementCounts_, elements); });
    result.score += agrees ? score::kElementsAgree : score::kElementsDiffer;
    if (agrees) result.evidence |= bit(ir::Evidence::Shape);
  }
  if (alternative.optional) result.score += score::kOptional;
  if (alternative.unlikely) result.score += score::kShapeArithmetic;
  if (alternative.inDefault) result.score += score::kDefaultChoice;
  return result;
}

}  // namespace amdahlc::binding
