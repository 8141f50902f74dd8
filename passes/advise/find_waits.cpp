// Waits of the host for the device in the middle of an iteration: values that are read, results whose size depends on
// values, copies from memory that is not pinned, and calls that wait for the device.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "passes/advise/advice_analysis.h"
#include "passes/advise/finders.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "passes/timing/timing_analysis.h"
#include "replay/schedule/dropped_waits.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr size_t kMostWaits = 4;

/// The waits inside operators of one name, or in calls of one name outside of operators.
struct NamedWaits {
  int64_t ns = 0;
  /// Operators or calls that wait.
  int64_t count = 0;
  bool inOperator = false, hasSizeOfValues = false, copiesToDevice = false;
  /// Modules and functions around them, by time.
  std::map<std::string_view, int64_t> modules = {}, functions = {};
};

std::vector<std::string> byTime(const std::map<std::string_view, int64_t>& times) {
  std::vector<std::pair<int64_t, std::string_view>> sorted;
  for (const auto& [name, ns] : times) sorted.emplace_back(-ns, name);
  std::ranges::sort(sorted);
  std::vector<std::string> names;
  for (const auto& [ns, name] : sorted) names.emplace_back(name);
  return names;
}

class WaitFinder {
 public:
  explicit WaitFinder(const AdvisedRun& run)
      : run_(run),
        model_(*run.predicted().model),
        host_(model_.calls.host()),
        runtime_(runtimeAdapter(run.timeline.target.runtime)) {}

  void find(std::vector<AdviceCandidate>& candidates) {
    const std::vector<bool> inTheMiddle = schedule::waitsInTheMiddle(model_);
    for (schedule::CallIndex index = 0; index < inTheMiddle.size(); ++index) {
      const schedule::Call& call = model_.calls.calls()[index];
      // Calls for memory are another matter.
      if (inTheMiddle[index] && model_.waits.of(index).waited && run_.reported.has(host_.iteration[call.event]) &&
          call.meaning != DeviceCall::Memory)
        add(call, model_.waits.of(index));
    }
    const int64_t longerNs = run_.longerNs();
    std::vector<std::pair<int64_t, std::string_view>> longest;
    for (const auto& [name, waits] : byName_)
      // Nobody saves more than the time of the waits. To select calls that wait by themselves would also select those
      // of this name that wait in operators.
      if (shareOf(waits.ns, longerNs) >= kLeastSaving && (waits.inOperator || !inOperators_.contains(name)))
        longest.emplace_back(-waits.ns, name);
    std::ranges::sort(longest);
    if (longest.size() > kMostWaits) longest.resize(kMostWaits);
    for (const auto& [ns, name] : longest)
      candidates.push_back(candidateOf(name, byName_.at(name), shareOf(-ns, longerNs), run_.reported.count()));
  }

 private:
  void add(const schedule::Call& call, const schedule::CallWait& wait) {
    HostEventId outermost = call.event;
    std::string_view module, function;
    bool inOperator = false, hasSizeOfValues = false;
    for (HostEventId event = host_.parent[call.event]; !event.isNone(); event = host_.parent[event]) {
      const std::string_view name = run_.timeline.text(host_.name[event]);
      if (host_.kind[event] == EventKind::Operator && runtime_.role(name, true) != OperatorRole::Wrapper) {
        outermost = event;
        inOperator = true;
        hasSizeOfValues |= runtime_.hasSizeOfValues(name);
      }
      if (host_.kind[event] == EventKind::ModuleFrame && module.empty()) module = runtime_.moduleInstance(name);
      if (host_.kind[event] == EventKind::Frame && function.empty() && !runtime_.isLibraryFrame(name)) function = name;
    }
    if (inOperator) inOperators_.insert(run_.timeline.text(host_.name[call.event]));
    NamedWaits& waits = byName_[run_.timeline.text(host_.name[outermost])];
    waits.ns += call.lengthNs();
    if (outermost != last_) ++waits.count;
    last_ = outermost;
    waits.inOperator |= inOperator;
    waits.hasSizeOfValues |= hasSizeOfValues;
    waits.copiesToDevice |=
        wait.event != kNoEvent && run_.timeline.kind[wait.event] == EventKind::Copy &&
        copyDirection(run_.timeline.text(run_.timeline.name[wait.event])) == CopyDirection::ToDevice;
    if (!module.empty()) waits.modules[module] += call.lengthNs();
    if (!function.empty()) waits.functions[function] += call.lengthNs();
  }

  std::string phrase(const NamedWaits& waits) const {
    if (!waits.inOperator) return "wait for the device at the end of an iteration only";
    if (waits.hasSizeOfValues)
      return fmt::format("compute no results whose size depends on values: {}", run_.remedy(Remedy::FixedSizes));
    if (waits.copiesToDevice)
      return fmt::format("copy to the device without a wait: {}", run_.remedy(Remedy::OverlapCopies));
    return fmt::format("do not read values of the device in the middle of an iteration: {}",
                       run_.remedy(Remedy::ReadLater));
  }

  AdviceCandidate candidateOf(std::string_view name, const NamedWaits& waits, double share, int64_t iterations) const {
    AdviceCandidate candidate;
    ir::Change change = withoutTime(ir::SelectorKind::Wait, name);
    candidate.selector = whatIfText(change);
    candidate.change = phrase(waits);
    candidate.places = byTime(waits.modules);
    candidate.why = fmt::format("the host waits in `{}` {} an iteration, {} of {}", printable(name),
                                plural(static_cast<size_t>(std::max<int64_t>(1, waits.count / iterations)), "time"),
                                formatPercent(share), run_.longerName());
    if (const std::vector<std::string> functions = byTime(waits.functions); !functions.empty())
      candidate.why += fmt::format(", called by `{}`", printable(functions.front()));
    candidate.assumption = assumptionOf(change, run_.predicted());
    candidate.likely.push_back(std::move(change));
    return candidate;
  }

  /// Calls that wait inside of operators.
  std::set<std::string_view> inOperators_;
  const AdvisedRun& run_;
  const schedule::RunModel& model_;
  const HostFacts& host_;
  const RuntimeAdapter& runtime_;
  std::map<std::string_view, NamedWaits> byName_;
  HostEventId last_;
};

}  // namespace

void findWaits(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (run.predicted().model != nullptr && run.timed.run.wallNs) WaitFinder(run).find(candidates);
}

}  // namespace amdahlc
