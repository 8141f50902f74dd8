#include "passes/trace_bind/report_binding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "passes/manager/json_fields.h"
#include "runtimes/runtime.h"
#include "support/plural.h"

namespace amdahlc::binding {

namespace {

using Json = nlohmann::ordered_json;

/// The object `binding`.
JsonFields<ReportRun> bindingFields() {
  const auto fitOf = [](const ReportRun& run) -> const ir::ModelFit& {
    return *run.cover->facets.get<ir::BoundFacet>()->fit;
  };
  // Null where nothing was tested.
  const auto tested = [&](const char* key, schema::Json type, const char* description, auto valueOf) {
    return jsonField<ReportRun>(key, schema::orNull(std::move(type)), description,
                                [fitOf, valueOf](const ReportRun& run) {
                                  const ir::ModelFit& fit = fitOf(run);
                                  return fit.namesOnly ? Json(nullptr) : Json(valueOf(run, fit));
                                });
  };
  JsonFields<ReportRun> fields{
      tested("fits", schema::boolean(), "whether the trace is one of this model",
             [](auto&, auto& fit) { return fit.fits; }),
      jsonField<ReportRun>("names_only", schema::boolean(), "the rules bind by kernel names only: nothing was tested",
                           [fitOf](const ReportRun& run) { return fitOf(run).namesOnly; }),
      tested("forwards", schema::quantity(), "runs of the model in an iteration, the mean",
             [](auto& run, auto& fit) {
               return nanoseconds(static_cast<double>(fit.forwards) / static_cast<double>(run.iterations));
             }),
      tested("forwards_total", schema::count(), "runs of the model in all iterations together",
             [](auto& run, auto& fit) { return fit.forwards * run.timeline->meanOf; }),
      tested("bits_per_call", schema::orNull(schema::quantity()),
             "evidence per call inside the model; null if events name nodes",
             [](auto&, auto& fit) {
               return fit.evidence.nodes ? Json(nullptr) : Json(static_cast<double>(fit.millibitsPerCall) / 1000);
             }),
      tested("calls_explained", schema::quantity(), "share of the calls inside the model that have a node, by weight",
             [](auto&, auto& fit) { return fit.callsPermille / 1000.0; }),
      tested("units_run", schema::quantity(), "share of the units that must launch and did, by weight",
             [](auto&, auto& fit) { return fit.unitsPermille / 1000.0; }),
      jsonField<ReportRun>("weights_seen", schema::orNull(schema::quantity()),
                           "share of the dimensions of weights that occur in the trace; null if it has no shapes",
                           [fitOf](const ReportRun& run) {
                             const auto& weights = fitOf(run).weightsPermille;
                             return weights ? Json(*weights / 1000.0) : Json(nullptr);
                           }),
  };
  for (const auto& [key, state] :
       {std::pair{"bound_ns", ir::EventState::Bound}, std::pair{"ambiguous_ns", ir::EventState::Ambiguous},
        std::pair{"runtime_only_ns", ir::EventState::RuntimeOnly}, std::pair{"foreign_ns", ir::EventState::Foreign},
        std::pair{"unknown_ns", ir::EventState::Unknown}})
    fields.push_back(
        jsonField<ReportRun>(key, schema::count(), "device time of the events of this state, per iteration",
                             [state = state](const ReportRun& run) {
                               const auto* facts = run.cover->facets.get<ir::BoundFacet>();
                               return run.perIteration(timesByState(*run.timeline, *facts)[static_cast<size_t>(state)]);
                             }));
  const auto recorded = [fitOf](const char* key, bool ir::RecordedEvidence::* member, const char* description) {
    return jsonField<ReportRun>(key, schema::boolean(), description,
                                [fitOf, member](const ReportRun& run) { return fitOf(run).evidence.*member; });
  };
  fields.push_back(jsonObject<ReportRun>(
      "evidence", "what the trace recorded",
      {recorded("operators", &ir::RecordedEvidence::operators, "of the framework"),
       recorded("shapes", &ir::RecordedEvidence::shapes, "of operands"),
       recorded("frames", &ir::RecordedEvidence::frames, "of modules"),
       recorded("marks", &ir::RecordedEvidence::marks, "of steps"),
       recorded("nodes", &ir::RecordedEvidence::nodes, "the names of the nodes that an event ran")}));
  return fields;
}

JsonFields<ReportRun> runFields() {
  return {jsonObjectOrNull<ReportRun>("binding",
                                      "how well the trace fits the model, and device time by state; null without "
                                      "trace-bind",
                                      bindingFields(), [](const ReportRun& run) {
                                        return run.timeline && run.cover->facets.get<ir::BoundFacet>() != nullptr;
                                      })};
}

std::string caveat(const ReportRun& run) {
  const auto* facts = run.cover->facets.get<ir::BoundFacet>();
  if (facts == nullptr || run.timeline == nullptr) return {};
  if (facts->fit->namesOnly) return "note: the rules bind by kernel names and order only; no binding was tested";
  const std::string misfit = describeMisfit(*facts->fit);
  return misfit.empty() ? "" : "WARNING: " + misfit;
}

/// From this part of the device time on, what is unexplained may change which kernel is the longest.
constexpr double kMuchUnexplained = 0.1;
/// Smaller parts are 0.0 %.
constexpr double kShown = 0.0005;

/// The keyword of the reason of the most unexplained time.
std::string_view mainReason(const Timeline& timeline, const ir::BoundFacet& facts) {
  std::map<std::string_view, int64_t> times;
  for (const ir::UnboundEvent& unbound : facts.unbound)
    if (const auto& reason = ir::info(unbound.reason.kind);
        reason.state == ir::EventState::Unknown || reason.state == ir::EventState::Ambiguous)
      times[reason.keyword] += timeline.durationNs[unbound.event];
  return std::max_element(times.begin(), times.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

/// Empty for a run without a fit, or of a runtime that has no modules and no option to record more.
MissingEvidence evidenceMissingIn(const ReportRun& run) {
  const auto* facts = run.cover->facets.get<ir::BoundFacet>();
  if (const std::string& runtime = run.timeline->target.runtime; !runtime.empty() && runtime != fallbackRuntime())
    return {};
  return missingEvidence(*facts->fit, run.timeline->format);
}

/// What to do about unexplained time, by the keyword of its main reason; empty if nothing is known to help.
std::string adviceOn(std::string_view reason, const std::string& record) {
  if (reason == "no-rule")
    return "`-emit=bindings` lists the events of `no-rule`; `-suggest-rules` proposes rules for them, which are given "
           "with `-rules=`";
  if (reason == "spill-in")
    return "the time was launched before the recording; synchronize before the profiler starts, or leave the first "
           "iteration out with `-steps=`";
  if (reason == "no-kernel-left" || reason == "no-kernel-fits" || reason == "node-not-in-graph")
    return "the run launches operators that the model lacks; export the model in the mode (eval or train), with the "
           "options and shapes of the run";
  return record;
}

std::optional<Trust> trust(const ReportRun& run) {
  const auto* facts = run.cover->facets.get<ir::BoundFacet>();
  if (facts == nullptr || run.timeline == nullptr) return std::nullopt;
  if (facts->fit->namesOnly)
    return Trust{TrustLevel::Limited, "the rules bind by kernel names and order only; no binding was tested",
                 "without `evidence names` in the rule file, bindings are tested against operators, shapes and "
                 "modules"};
  const auto times = timesByState(*run.timeline, *facts);
  const auto deviceNs = static_cast<double>(std::accumulate(times.begin(), times.end(), int64_t{0}));
  if (deviceNs == 0) return Trust{TrustLevel::None, "no time was measured on the device"};
  const auto part = [&](ir::EventState state) {
    return static_cast<double>(times[static_cast<size_t>(state)]) / deviceNs;
  };
  const std::string record = evidenceMissingIn(run).advice;
  if (!facts->fit->fits)
    return Trust{
        TrustLevel::None,
        fmt::format("the trace does not fit the model; {} of device time is bound; is this the model that ran?",
                    percent(part(ir::EventState::Bound))),
        record.empty()
            ? "give the model that ran, exported in the mode (eval or train), with the options and shapes of "
              "the run"
            : record};
  const double unexplained = part(ir::EventState::Unknown) + part(ir::EventState::Ambiguous);
  if (unexplained >= kMuchUnexplained) {
    const std::string_view reason = mainReason(*run.timeline, *facts);
    return Trust{TrustLevel::Limited,
                 fmt::format("{} of device time is unexplained, most of it `{}`", percent(unexplained), reason),
                 adviceOn(reason, record)};
  }
  std::string text = fmt::format("{} of device time bound", percent(part(ir::EventState::Bound)));
  for (const auto& [state, words] : {std::pair{ir::EventState::RuntimeOnly, "of the runtime"},
                                     {ir::EventState::Foreign, "outside of the model"},
                                     {ir::EventState::Unknown, "unknown"}})
    if (part(state) >= kShown) text += fmt::format(", {} {}", percent(part(state)), words);
  text += part(ir::EventState::Ambiguous) > 0 ? fmt::format(", {} ambiguous", percent(part(ir::EventState::Ambiguous)))
                                              : ", no ambiguity";
  return Trust{TrustLevel::Full, text};
}

std::string headline(const ReportRun& run) {
  const auto* facts = run.cover->facets.get<ir::BoundFacet>();
  if (facts == nullptr || run.timeline == nullptr || facts->fit->namesOnly) return {};
  const MissingEvidence missing = evidenceMissingIn(run);
  if (missing.what.empty()) return {};
  // Advice with the verdict needs no second place.
  const auto verdict = trust(run);
  const bool isSaid = missing.advice.empty() || (verdict && verdict->advice == missing.advice);
  return isSaid ? fmt::format("note: {}\n", missing.what) : fmt::format("note: {}; {}\n", missing.what, missing.advice);
}

std::string column(const ReportRun& run) {
  const auto* facts = run.cover->facets.get<ir::BoundFacet>();
  return facts == nullptr || run.timeline == nullptr ? "" : std::string(ir::name(*facts->fit));
}

std::string describeMeasures(const ir::ModelFit& fit) {
  std::string text = fmt::format("{:.1f} % of the weighted calls have a node, {:.1f} % of the weighted nodes a call",
                                 fit.callsPermille / 10.0, fit.unitsPermille / 10.0);
  if (fit.weightsPermille)
    text += fmt::format(", {:.1f} % of the weights occur in the trace", *fit.weightsPermille / 10.0);
  return text;
}

}  // namespace

std::array<int64_t, ir::kEventStateCount> timesByState(const Timeline& timeline, const ir::BoundFacet& facts) {
  std::array<int64_t, ir::kEventStateCount> times{};
  const auto add = [&](ir::EventState state, EventIndex event) {
    times[static_cast<size_t>(state)] += timeline.durationNs[event];
  };
  for (const ir::KernelBinding& kernel : facts.kernels)
    for (const ir::BoundEvent& bound : kernel.events) add(ir::EventState::Bound, bound.event);
  for (const ir::UnboundEvent& unbound : facts.unbound) add(ir::info(unbound.reason.kind).state, unbound.event);
  return times;
}

std::string describeMisfit(const ir::ModelFit& fit, std::string_view model) {
  if (fit.fits || fit.namesOnly) return {};
  return fmt::format("the trace does not fit the model{}: {}", model.empty() ? "" : fmt::format(" `{}`", model),
                     describeMeasures(fit));
}

std::string describeFit(const ir::ModelFit& fit) {
  if (fit.namesOnly) return "the rules bind by kernel names and order only; no binding was tested";
  return fmt::format("the trace {} the model: {}; {}, {}", fit.fits ? "fits" : "does not fit", describeMeasures(fit),
                     plural(fit.forwards, "forward"),
                     fit.evidence.nodes ? "events name nodes"
                                        : fmt::format("{:.3f} bits of evidence per call",
                                                      static_cast<double>(fit.millibitsPerCall) / 1000));
}

MissingEvidence missingEvidence(const ir::ModelFit& fit, std::string_view format) {
  if (fit.evidence.nodes) return {};
  std::vector<std::string_view> missing, options;
  if (!fit.evidence.operators) missing.push_back("operators");
  if (!fit.evidence.shapes) {
    missing.push_back("shapes");
    options.push_back("record_shapes=True");
  }
  if (!fit.evidence.frames) {
    missing.push_back("module frames");
    options.push_back("with_stack=True, with_modules=True");
  }
  if (missing.empty()) return {};
  MissingEvidence found{fmt::format("the trace has no {}", fmt::join(missing, ", no ")), ""};
  // Nsight Systems records no module frames, so it has no advice for a trace that lacks only these.
  if (format == "nsys") {
    if (!fit.evidence.shapes) found.advice = "record with `nsys profile --pytorch=autograd-shapes-nvtx`";
  } else if (!options.empty()) {
    found.advice = fmt::format("record with {}", fmt::join(options, ", "));
  }
  return found;
}

ReportSection bindingReport() {
  return {.runFields = runFields,
          .kernelFields = nullptr,
          .trust = trust,
          .caveat = caveat,
          .columnName = "fit",
          .column = column,
          .headline = headline,
          .details = nullptr,
          .after = {}};
}

}  // namespace amdahlc::binding
