#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "ir/facets/bound.h"
#include "passes/roofline/run_shapes.h"
#include "passes/trace_bind/fit_text.h"
#include "replay/runtimes/runtime.h"
#include "report/section.h"
#include "support/plural.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// Null without a trace, and where it is not bound.
const ir::BoundFacet* bindingFacts(const ReportRun& run) {
  return run.timeline != nullptr ? run.cover->facets.get<ir::BoundFacet>() : nullptr;
}

/// Precondition: the trace is bound.
const binding::DeviceTimesByState& deviceTimesOf(const ReportRun& run) {
  return run.analyses->get<binding::DeviceTimesByState>(run.id);
}

struct BindingRow {
  const ReportRun& run;
  const ir::BoundFacet& facts;
  const ir::ModelFit& fit() const { return *facts.fit; }
};

/// A field that is null where nothing was tested. `valueOf` may return nullopt.
template <typename ValueOf>
constexpr auto testedField(std::string_view key, std::string_view description, ValueOf /*valueOf*/) {
  return field(key, description, [](const BindingRow& row) {
    return row.fit().namesOnly ? std::nullopt : std::optional(ValueOf{}(row));
  });
}

/// Device time of kernels that read weights of the model's type, in calls that compute in the run's type.
struct WeightTime {
  ir::ElementType modelType;
  /// Empty if the trace does not tell it, and of copies.
  std::string_view runType;
  int64_t perIterationNs = 0;
  bool differs() const { return !runType.empty() && runType != ir::name(modelType); }
};

/// The type of the floating-point constants of a kernel that are no vectors, as a bias is; the first counts.
std::optional<ir::ElementType> weightType(const ir::Module& module, const ir::Kernel& kernel) {
  for (const ir::OpId op : kernel.ops)
    for (const ir::ValueId operand : module.ops[op].inputs) {
      if (operand.isNone() || module.values[operand].kind != ir::Value::Kind::Constant) continue;
      const ir::Type& type = module.values[operand].type;
      if (ir::isFloatingPoint(type.element) && type.dims.size() > 1) return type.element;
    }
  return std::nullopt;
}

/// By falling time. nullopt if the trace tells no type. Precondition: the trace is bound.
std::optional<std::vector<WeightTime>> weightTimes(const ReportRun& run) {
  const Timeline& timeline = *run.timeline;
  if (!timeline.host) return std::nullopt;
  const ReportedIterations reported(timeline);
  std::map<std::pair<ir::ElementType, std::string_view>, int64_t> times;
  for (const ir::Kernel& kernel : run.cover->kernels) {
    const auto modelType = weightType(*run.module, kernel);
    if (!modelType) continue;
    for (const ir::BoundEvent& bound : bindingFacts(run)->kernels[kernel.id].events) {
      if (!reported.has(timeline.iteration[bound.event])) continue;
      const std::string_view runType = computedType(timeline, bound.event);
      times[{*modelType, runType}] += timeline.durationNs[bound.event];
    }
  }
  std::vector<WeightTime> rows;
  for (const auto& [types, ns] : times) rows.push_back({types.first, types.second, run.perIteration(ns)});
  if (std::ranges::all_of(rows, &std::string_view::empty, &WeightTime::runType)) return std::nullopt;
  std::ranges::stable_sort(rows, std::ranges::greater(), &WeightTime::perIterationNs);
  return rows;
}

constexpr auto kWeightTimeFields = fields<WeightTime>(
    field("model", "type of the weights in the model", [](const WeightTime& row) { return ir::name(row.modelType); }),
    field("run", "type in which the call computes; null for copies, and where the trace does not tell",
          [](const WeightTime& row) { return nonEmpty(row.runType); }),
    field<&WeightTime::perIterationNs>("duration_ns", "device time per iteration"));

template <ir::EventState state>
constexpr auto stateField(std::string_view key) {
  return field(key, "device time of the events of this state, per iteration; those of all states sum to `device_ns`",
               [](const BindingRow& row) { return deviceTimesOf(row.run).perIterationNs[static_cast<size_t>(state)]; });
}

constexpr auto kBindingEvidenceFields = fields<ir::RecordedEvidence>(
    field<&ir::RecordedEvidence::operators>("operators", "of the framework"),
    field<&ir::RecordedEvidence::shapes>("shapes", "of operands"),
    field<&ir::RecordedEvidence::frames>("frames", "of modules"),
    field<&ir::RecordedEvidence::marks>("marks", "of steps"),
    field<&ir::RecordedEvidence::nodes>("nodes", "the names of the nodes that an event ran"),
    field<&ir::RecordedEvidence::calls>("calls", "all calls of the graph, which is the program of the run"));

constexpr auto kBindingFields = fields<BindingRow>(
    testedField("fits", "whether the trace is one of this model", [](auto& row) { return row.fit().fits; }),
    field("names_only", "the rules bind by kernel names only: nothing was tested",
          [](auto& row) { return row.fit().namesOnly; }),
    testedField(comparison::keys::kForwards, "runs of the model in an iteration, the mean",
                [](auto& row) { return PredictedNs{*forwardsPerIteration(row.run)}; }),
    testedField("forwards_total", "runs of the model in all iterations together",
                [](auto& row) { return row.fit().forwards * row.run.timeline->meanOf; }),
    testedField("bits_per_call", "evidence per call inside the model; null if events name nodes",
                [](auto& row) {
                  return row.fit().evidence.isStated()
                             ? std::nullopt
                             : std::optional(static_cast<double>(row.fit().millibitsPerCall) / 1000);
                }),
    testedField("calls_explained", "share of the calls inside the model that have a node, by weight",
                [](auto& row) { return row.fit().callsPermille / 1000.0; }),
    testedField("units_run", "share of the units that must launch and did, by weight",
                [](auto& row) { return row.fit().unitsPermille / 1000.0; }),
    field("weights_seen",
          "share of the dimensions of weights that occur in the trace; null without shapes, and of packed weights",
          [](auto& row) {
            const auto& weights = row.fit().weightsPermille;
            return weights ? std::optional(*weights / 1000.0) : std::nullopt;
          }),
    stateField<ir::EventState::Bound>("bound_ns"), stateField<ir::EventState::Ambiguous>(comparison::keys::kAmbiguous),
    stateField<ir::EventState::RuntimeOnly>("runtime_only_ns"), stateField<ir::EventState::Foreign>("foreign_ns"),
    stateField<ir::EventState::Unknown>(comparison::keys::kUnknown),
    objects<kWeightTimeFields>("weight_types",
                               "time of kernels with weights in floating point, by type; null if the trace has none",
                               [](const BindingRow& row) { return weightTimes(row.run); }),
    object<kBindingEvidenceFields>("evidence", "what the trace recorded",
                                   [](auto& row) { return row.fit().evidence; }));

constexpr auto kBindingRunFields = fields<ReportRun>(object<kBindingFields>(
    comparison::keys::kBinding, "how well the trace fits the model, and device time by state; null without trace-bind",
    [](auto& run) -> std::optional<BindingRow> {
      const ir::BoundFacet* facts = bindingFacts(run);
      if (facts == nullptr) return std::nullopt;
      return std::optional<BindingRow>({run, *facts});
    }));

std::string bindingCaveat(const ReportRun& run) {
  const ir::BoundFacet* facts = bindingFacts(run);
  if (facts == nullptr) return {};
  if (facts->fit->namesOnly) return "note: " + binding::describeFit(*facts->fit);
  const std::string misfit = binding::describeMisfit(*facts->fit);
  return misfit.empty() ? "" : "WARNING: " + misfit;
}

/// From this part of the device time on, what is unexplained may change which kernel is the longest.
constexpr double kMuchUnexplained = 0.1;
/// Smaller parts are 0.0 %.
constexpr double kShownPart = 0.0005;
/// A sentence has no more figures than one can keep in mind.
constexpr size_t kMostParts = 2;

/// The reason of the most unexplained time.
ir::UnboundReason::Kind mainUnboundReason(const Timeline& timeline, const ir::BoundFacet& facts) {
  std::map<ir::UnboundReason::Kind, int64_t> times;
  const ReportedIterations reported(timeline);
  for (const ir::UnboundEvent& unbound : facts.unbound)
    if (reported.has(timeline.iteration[unbound.event]) && ir::isUnexplained(ir::info(unbound.reason.kind).state))
      times[unbound.reason.kind] += timeline.durationNs[unbound.event];
  return std::ranges::max_element(times, [](auto& a, auto& b) { return a.second < b.second; })->first;
}

/// Empty for a run of a runtime that has no modules and no option to record more. Precondition: the trace is bound.
binding::MissingEvidence evidenceMissingIn(const ReportRun& run) {
  if (const std::string& runtime = run.timeline->target.runtime; !runtime.empty() && runtime != kFallbackRuntime)
    return {};
  return binding::missingEvidence(*bindingFacts(run)->fit, run.timeline->format);
}

/// What to do about unexplained time, by its main reason; empty if nothing is known to help.
std::string adviceOnUnbound(ir::UnboundReason::Kind reason, const std::string& record) {
  using Kind = ir::UnboundReason::Kind;
  if (reason == Kind::NoRule)
    return "`-emit=bindings` lists the events of `no-rule`; `-suggest-rules` proposes rules for them, which are given "
           "with `-rules=`";
  if (reason == Kind::SpillIn)
    return "the time was launched before the recording; synchronize before the profiler starts, or leave the first "
           "iteration out with `-steps=`";
  if (reason == Kind::NoKernelLeft || reason == Kind::NoKernelFits || reason == Kind::NodeNotInGraph)
    return "the run launches operators that the model lacks; export the model in the mode (eval or train), with the "
           "options and shapes of the run";
  return record;
}

std::optional<Trust> bindingTrust(const ReportRun& run) {
  const ir::BoundFacet* facts = bindingFacts(run);
  if (facts == nullptr) return std::nullopt;
  if (facts->fit->namesOnly)
    return Trust{TrustLevel::Limited, binding::describeFit(*facts->fit),
                 "without `evidence names` in the rule file, bindings are tested against operators, shapes and "
                 "modules"};
  const auto& times = deviceTimesOf(run).totalNs;
  const auto deviceNs = static_cast<double>(std::accumulate(times.begin(), times.end(), int64_t{0}));
  const std::string_view timeName = run.timeline->target.eventTimeName();
  if (deviceNs == 0) return Trust{TrustLevel::None, "no time was measured on the device"};
  const auto part = [&](ir::EventState state) {
    return static_cast<double>(times[static_cast<size_t>(state)]) / deviceNs;
  };
  const std::string record = evidenceMissingIn(run).advice;
  if (!facts->fit->fits)
    return Trust{TrustLevel::None,
                 fmt::format("the trace does not fit the model: {} of {} belongs to its kernels",
                             formatPercent(part(ir::EventState::Bound)), timeName),
                 record.empty()
                     ? "give the model that ran, exported in the mode (eval or train), with the options and shapes of "
                       "the run"
                     : record};
  double unexplained = 0;
  for (uint8_t state = 0; state < ir::kEventStateCount; ++state)
    if (ir::isUnexplained(static_cast<ir::EventState>(state))) unexplained += part(static_cast<ir::EventState>(state));
  if (unexplained >= kMuchUnexplained) {
    const ir::UnboundReason::Kind reason = mainUnboundReason(*run.timeline, *facts);
    return Trust{TrustLevel::Limited,
                 fmt::format("{} of {} is unexplained, most of it `{}`", formatPercent(unexplained), timeName,
                             ir::info(reason).keyword),
                 adviceOnUnbound(reason, record)};
  }
  std::string text = fmt::format("{} of {} belongs to {}", formatPercent(part(ir::EventState::Bound)), timeName,
                                 run.module->isRecorded() ? "calls of the program" : "kernels of the model");
  std::vector<std::pair<double, std::string_view>> others;
  for (const auto& [state, words] : {std::pair{ir::EventState::RuntimeOnly, "to the runtime"},
                                     {ir::EventState::Foreign, "to work outside of the model"},
                                     {ir::EventState::Unknown, "to nothing that is known"},
                                     {ir::EventState::Ambiguous, "to one of several kernels"}})
    if (part(state) >= kShownPart) others.emplace_back(part(state), words);
  std::ranges::stable_sort(others, std::ranges::greater(), [](const auto& one) { return one.first; });
  for (const auto& [share, words] : std::span(others).first(std::min(others.size(), kMostParts)))
    text += fmt::format(", {} {}", formatPercent(share), words);
  return Trust{TrustLevel::Full, text};
}

/// Empty if the run computes in the types of the model.
std::string otherTypes(const ReportRun& run) {
  const auto rows = weightTimes(run);
  if (!rows) return {};
  double all = 0;
  std::map<std::string_view, double> times;
  for (const WeightTime& row : *rows) {
    all += static_cast<double>(row.perIterationNs);
    if (row.differs()) times[row.runType] += static_cast<double>(row.perIterationNs);
  }
  std::vector<std::string> parts;
  for (const auto& [type, ns] : times)
    if (ns >= all * kShownPart) parts.push_back(fmt::format("{} in {}", formatPercent(ns / all), type));
  if (parts.empty()) return {};
  return fmt::format(
      "note: the run computes in other types than the model: of the time of kernels with weights {}; bytes, "
      "operations and roofs are those of the run's types\n",
      fmt::join(parts, ", "));
}

std::string bindingHeadline(const ReportRun& run) {
  const ir::BoundFacet* facts = bindingFacts(run);
  if (facts == nullptr || facts->fit->namesOnly) return {};
  const binding::MissingEvidence missing = evidenceMissingIn(run);
  const std::string types = otherTypes(run);
  if (missing.what.empty()) return types;
  // Advice with the verdict needs no second place.
  const auto verdict = bindingTrust(run);
  const bool isSaid = missing.advice.empty() || (verdict && verdict->advice == missing.advice);
  return types + (isSaid ? fmt::format("note: {}\n", missing.what)
                         : fmt::format("note: {}; {}\n", missing.what, missing.advice));
}

constexpr auto kBindingColumns = fields<ReportRun>(inCsv(field("fit", "", [](const ReportRun& run) {
  const ir::BoundFacet* facts = bindingFacts(run);
  return facts == nullptr ? std::string_view() : ir::name(*facts->fit);
})));

}  // namespace

constinit const ReportSection kBindingSection{.runFields = kBindingRunFields,
                                              .trust = bindingTrust,
                                              .caveat = bindingCaveat,
                                              .columns = kBindingColumns,
                                              .headline = bindingHeadline};

}  // namespace amdahlc
