#include <algorithm>
#include <set>
#include <tuple>

#include "ir/expr.h"
#include "ir/invariants.h"
#include "ir/verifier.h"
#include "replay/timeline/time_limits.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::ir {

namespace {

/// Checks the arity of every node, and that the depth is safe for recursion.
bool isWellFormed(const Expr& expr, int depth) {
  if (depth > limits::kExpressionTokens || !hasValidArity(expr)) return false;
  return std::all_of(expr.args.begin(), expr.args.end(), [&](const Expr& arg) { return isWellFormed(arg, depth + 1); });
}

}  // namespace

const char* defectOf(const Pattern& pattern) {
  const auto isValue = [&](uint32_t value) { return value < pattern.values.size(); };
  for (const PatternValue& value : pattern.values) {
    if ((value.kind == PatternValue::Kind::Defined) == value.definitions.empty())
      return "a `defined` value without definitions, or another value with some";
    if (value.constant.test && !isWellFormed(*value.constant.test, 0)) return "a malformed constant test";
    for (const auto& definition : value.definitions) {
      if (definition.alias ? !isValue(definition.index) : definition.index >= pattern.nodes.size())
        return "a definition by a node or a value that does not exist";
      if (!definition.alias && definition.output >= pattern.nodes[definition.index].outputs.size())
        return "a definition by an output that its node lacks";
    }
  }
  for (const PatternNode& node : pattern.nodes) {
    if (!std::all_of(node.operands.begin(), node.operands.end(), isValue)) return "an operand that is not a value";
    for (const uint32_t output : node.outputs)
      if (output != PatternNode::kNoValue && !isValue(output)) return "an output that is not a value";
    if (node.max != 0 && node.max < std::max(node.min, 1u)) return "a minimum count above the maximum";
    if (node.min == 0 && node.operands.empty()) return "an optional node without an operand to stand for it";
    for (const Expr& test : node.attributes)
      if (!isWellFormed(test, 0)) return "a malformed attribute test";
  }
  if (pattern.results.empty() || !std::all_of(pattern.results.begin(), pattern.results.end(), isValue))
    return "no result, or one that is not a value";
  if (pattern.anchor && *pattern.anchor >= pattern.nodes.size()) return "an anchor that is not a node";
  if (!std::all_of(pattern.where.begin(), pattern.where.end(), [](const Expr& test) { return isWellFormed(test, 0); }))
    return "a malformed condition";
  return nullptr;
}

void verifyRules(const Module& module, InvariantReporter& reporter) {
  std::set<std::string_view> names;
  for (const Rule& rule : module.rules.rules) {
    const std::string where = "rule `@" + rule.name + "`: ";
    if (rule.name.empty() || !names.insert(rule.name).second) reporter.module(where + "without a name of its own");
    for (const Pattern& pattern : rule.patterns)
      if (const char* what = defectOf(pattern)) reporter.module(where + what);
    if (rule.generated && !std::all_of(rule.patterns.begin(), rule.patterns.end(), isOneOperator))
      reporter.module(where + "generated, but a pattern is not one operator with any operands");
    if (rule.generated && !runsAsOneNamedKernel(rule))
      reporter.module(where + "generated, but not one kernel without an operator");
    for (const LaunchSequence& launch : rule.launches) {
      if (rule.namesOnly && !(launch.operators.empty() && launch.operatorPatterns.empty()))
        reporter.module(where + "a launch of a framework operator, but its evidence is names");
      for (const KernelStep& step : launch.steps) {
        if (!isWellFormed(step.test, 0)) reporter.module(where + "a malformed kernel test");
        if (step.max != 0 && step.min > step.max)
          reporter.module(where + "a kernel step with a minimum count above the maximum");
      }
    }
  }
}

namespace {

/// The defect of a candidate, or empty.
std::string defect(const Module& module, const Candidate& candidate) {
  if (!module.rules.rules.contains(candidate.rule)) return "no such rule";
  const Rule& rule = module.rules.rules[candidate.rule];
  if (candidate.alternative >= rule.patterns.size()) return "no such alternative of its rule";
  if (candidate.ops.empty() || !strictlyAscending(candidate.ops)) return "operators missing or not ascending";
  if (!module.ops.contains(candidate.ops.back())) return "an operator that does not exist";
  const GraphId graph = module.ops[candidate.ops.front()].graph;
  for (const OpId op : candidate.ops) {
    if (module.ops[op].state != OpState::Live) return "holds `#" + number(op) + "`, which is erased";
    if (module.ops[op].graph != graph) return "operators of several graphs";
  }
  const auto holds = [&](OpId op) { return std::binary_search(candidate.ops.begin(), candidate.ops.end(), op); };
  if (!holds(candidate.root) || !holds(candidate.anchor)) return "root or anchor outside its operators";
  if (candidate.owned > candidate.ops.size()) return "owns more operators than it holds";
  for (const ValueId result : candidate.results)
    if (!module.values.contains(result) || !holds(module.values[result].producer))
      return "returns a value that it does not compute";
  return {};
}

}  // namespace

void verifyCandidates(const Module& module, InvariantReporter& reporter) {
  if (module.truncatedRoots < 0) reporter.module("a negative number of truncated roots");
  IdVector<OpId, std::optional<uint32_t>> componentOf(module.ops.size());
  const auto key = [](const Candidate& candidate) {
    return std::tie(candidate.rule, candidate.alternative, candidate.root, candidate.ops);
  };
  for (const CandidateId id : module.candidates.ids()) {
    const Candidate& candidate = module.candidates[id];
    const std::string where = "candidate " + number(id) + ": ";
    if (const std::string what = defect(module, candidate); !what.empty()) {
      reporter.module(where + what);
      continue;
    }
    const CandidateId previous = id.index() == 0 ? CandidateId(kNone) : CandidateId(id.index() - 1);
    if (previous != kNone && key(candidate) < key(module.candidates[previous]))
      reporter.module(where + "not in order of rule, alternative, root, operators");
    for (const OpId op : candidate.ops) {
      if (!componentOf[op]) componentOf[op] = candidate.component;
      if (componentOf[op] != candidate.component)
        reporter.module(where + "shares `#" + number(op) + "` with a candidate of another component");
    }
  }
}

namespace {

void verifyHostFacts(const Timeline& timeline, const std::string& where, InvariantReporter& reporter) {
  const HostFacts& host = *timeline.host;
  for (const size_t column :
       {host.startNs.size(), host.durationNs.size(), host.name.size(), host.track.size(), host.correlation.size(),
        host.parent.size(), host.iteration.size(), host.factsIndex.size()}) {
    if (column != host.size()) return reporter.module(where + "columns of host events of different lengths");
  }
  if (host.launch.size() != timeline.size() || host.launchOp.size() != timeline.size())
    return reporter.module(where + "launches of other device events than there are");
  for (const HostEventId event : host.kind.ids()) {
    const std::string at = where + "host event " + number(event.index());
    const HostEventId parent = host.parent[event];
    if (!parent.isNone() && parent >= event) reporter.module(at + " inside one that comes later");
    if (host.track[event] >= timeline.tracks.size()) reporter.module(at + " on no track");
    const size_t facts =
        host.kind[event] == EventKind::Synchronization ? host.waitFacts.size() : host.operatorFacts.size();
    if (host.factsIndex[event] != kNoFacts && host.factsIndex[event] >= facts)
      reporter.module(at + " with facts that do not exist");
  }
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    for (const HostEventId related : {host.launch[event], host.launchOp[event]})
      if (!related.isNone() && !host.kind.contains(related))
        reporter.module(where + "event " + number(event) + " launched by a host event that does not exist");
  }
}

}  // namespace

namespace {

/// Checks what the timeline says beside its events, and the order of events without starts.
void verifyMeans(const Timeline& timeline, const std::string& where, InvariantReporter& reporter) {
  if (timeline.meanOf < 1) reporter.module(where + "a mean of " + number(timeline.meanOf) + " executions");
  if (timeline.meanOf > 1 && timeline.iterations.size() != 1)
    reporter.module(where + "a mean of several executions in " + number(timeline.iterations.size()) + " iterations");
  __int128 latenciesNs = 0;
  for (const int64_t latencyNs : timeline.latenciesNs) latenciesNs += latencyNs;
  if (latenciesNs > kMaxTimeNs) reporter.module(where + "latencies beyond the limit of times");
  if (timeline.hasStarts) return;
  for (const Iteration& iteration : timeline.iterations)
    if (iteration.startNs || iteration.endNs) reporter.module(where + "an iteration with a start, but `no-starts`");
  int64_t atNs = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.startNs[event] != atNs) return reporter.module(where + "events without starts are not end to end");
    atNs = timeline.endNs(event);
  }
}

}  // namespace

void verifyTimelines(const Module& module, InvariantReporter& reporter) {
  std::set<std::string_view> labels;
  for (const Timeline& timeline : module.timelines) {
    const std::string where = "timeline `" + printable(timeline.label) + "`: ";
    if (!isRunLabel(timeline.label))
      reporter.module(where + "a label is not empty and has neither a slash nor control characters");
    if (!labels.insert(timeline.label).second) reporter.module(where + "not the only one of this label");
    const size_t count = timeline.size();
    for (const size_t column :
         {timeline.startNs.size(), timeline.durationNs.size(), timeline.name.size(), timeline.track.size(),
          timeline.correlation.size(), timeline.iteration.size(), timeline.factsIndex.size()}) {
      if (column != count) return reporter.module(where + "columns of different lengths");
    }
    for (EventIndex event = 0; event < count; ++event) {
      const std::string at = where + "event " + number(event);
      if (event != 0 && timeline.startNs[event] < timeline.startNs[event - 1])
        reporter.module(at + " starts before the one before it");
      if (timeline.track[event] >= timeline.tracks.size()) reporter.module(at + " on no track");
      const int32_t iteration = timeline.iteration[event];
      if (iteration != kNoIteration && (iteration < 0 || static_cast<size_t>(iteration) >= timeline.iterations.size()))
        reporter.module(at + " in no iteration");
      else if (iteration != kNoIteration &&
               timeline.iterations[static_cast<size_t>(iteration)].leftOut == LeftOut::WithoutDeviceWork)
        reporter.module(at + " in an iteration without device work");
      const uint32_t facts = timeline.factsIndex[event];
      if (facts != kNoFacts && facts >= timeline.launchFacts.size())
        reporter.module(at + " with facts that do not exist");
    }
    if (!reporter.sound()) return;
    verifyMeans(timeline, where, reporter);
    if (const std::string defect = timeDefect(timeline); !defect.empty()) reporter.module(where + defect);
    if (timeline.host) verifyHostFacts(timeline, where, reporter);
  }
}

}  // namespace amdahlc::ir
