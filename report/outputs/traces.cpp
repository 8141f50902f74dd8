// Traces for other tools: of a run alone, and with what is known of its events in tracks beside those of the trace.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "ir/facets/bound.h"
#include "ir/facets/critical_path.h"
#include "ir/kernel_graph.h"
#include "report/outputs/output.h"
#include "report/report.h"
#include "runs/builder/excerpt.h"
#include "runs/trace/annotations.h"
#include "runs/trace/kineto_writer.h"
#include "support/json_text.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownNodes = 16;
constexpr double kPerMille = 1000.0;

/// The colours of what is not bound, as chrome://tracing names them: red for time that nobody knows, grey for time
/// that is known to be no part of the model. By state.
constexpr std::string_view kUnboundColors[] = {"", "bad", "olive", "grey", "terrible"};
static_assert(std::size(kUnboundColors) == ir::kEventStateCount);

/// The members of an object.
std::string membersOf(const Json& object) {
  if (object.empty()) return {};
  const std::string text = withEscapedControls(object.dump(-1, ' ', false, Json::error_handler_t::replace));
  return text.substr(1, text.size() - 2);
}

Json argumentsOf(const RunReport& run, const KernelRow& kernel) {
  Json out = Json::object();
  out["kernel"] = kernel.id.index();
  out["rule"] = kernel.rule ? Json(*kernel.rule) : Json(nullptr);
  out["nodes"] = std::vector(kernel.nodes.begin(),
                             kernel.nodes.begin() + static_cast<ptrdiff_t>(std::min(kShownNodes, kernel.nodes.size())));
  if (kernel.nodes.size() > kShownNodes) out["node count"] = kernel.nodes.size();
  out["scope"] = kernel.scope;
  if (kernel.time) out["us per iteration"] = static_cast<double>(kernel.time->reportedNs) / kPerMille;
  if (kernel.shares && run.undisturbedBusyNs > 0) out["share"] = kernel.shares->ratio;
  if (kernel.critical) out["critical"] = *kernel.critical;
  return out;
}

/// Gives each event that counts the number of what it is of, and each such text a number once. What was not established
/// is left out.
class Annotating {
 public:
  Annotating(const ir::Module& module, const RunReport& run)
      : module_(module), run_(run), timeline_(*run.timeline), facts_(*run.cover->facets.get<ir::BoundFacet>()) {}

  TraceAnnotations build() {
    out_.caveat = run_.caveat;
    out_.subjectOf.assign(timeline_.size(), TraceAnnotations::kNone);
    for (const ir::ScopeId scope : module_.scopes.ids()) {
      const ir::ScopeTree::Scope& own = module_.scopes[scope];
      out_.scopes.push_back({std::string(module_.strings.text(own.name)),
                             scope == ir::kRootScope ? TraceAnnotations::kNone : own.parent.index()});
    }
    for (const ir::Kernel& kernel : run_.cover->kernels) addKernel(kernel);
    for (const ir::UnboundEvent& unbound : facts_.unbound) addUnbound(unbound);
    addPaths();
    return std::move(out_);
  }

 private:
  uint32_t add(std::string name, const Json& arguments, uint32_t scope, std::string_view color = {}) {
    out_.subjects.push_back({std::move(name), membersOf(arguments), scope, std::string(color)});
    return static_cast<uint32_t>(out_.subjects.size() - 1);
  }

  void addKernel(const ir::Kernel& kernel) {
    const ir::KernelBinding& binding = facts_.kernels[kernel.id];
    if (binding.events.empty()) return;
    const KernelRow& row = run_.kernels[kernel.id];
    Json arguments = argumentsOf(run_, row);
    arguments["state"] = ir::name(ir::EventState::Bound);
    std::map<std::pair<ir::EvidenceSet, uint16_t>, uint32_t> subjects;
    for (const ir::BoundEvent& bound : binding.events) {
      const auto [subject, isNew] = subjects.try_emplace({bound.evidence, bound.confidencePermille});
      if (isNew) {
        arguments["evidence"] = ir::describe(bound.evidence);
        arguments["confidence"] = bound.confidencePermille / kPerMille;
        subject->second = add(row.label, arguments, ir::kernelScope(module_, kernel).index());
      }
      out_.subjectOf[bound.event] = subject->second;
    }
  }

  void addUnbound(const ir::UnboundEvent& unbound) {
    const auto [subject, isNew] = unbound_.try_emplace({unbound.scope, unbound.reason});
    if (isNew) {
      const ir::EventState state = ir::info(unbound.reason.kind).state;
      Json arguments{{"state", ir::name(state)}, {"reason", ir::describe(module_, *run_.cover, unbound.reason)}};
      if (state == ir::EventState::Ambiguous) arguments["confidence"] = unbound.reason.permille / kPerMille;
      const bool isKnown = unbound.scope != ir::kRootScope;
      if (isKnown) arguments["scope"] = module_.scopePath(unbound.scope);
      subject->second =
          add(std::string(ir::name(state)), arguments, isKnown ? unbound.scope.index() : TraceAnnotations::kNone,
              kUnboundColors[static_cast<size_t>(state)]);
    }
    out_.subjectOf[unbound.event] = subject->second;
  }

  /// A path per selected iteration: through the first event of each kernel on the critical path. In order of start,
  /// because viewers draw it so.
  void addPaths() {
    const auto* const critical = run_.cover->facets.get<ir::CriticalPathFacet>();
    if (critical == nullptr) return;
    std::vector<std::vector<EventIndex>> paths(timeline_.iterations.size());
    std::vector<EventIndex> first(timeline_.iterations.size());
    for (const ir::KernelId kernel : critical->path) {
      std::ranges::fill(first, kNoEvent);
      for (const ir::BoundEvent& bound : facts_.kernels[kernel].events) {
        EventIndex& known = first[static_cast<size_t>(timeline_.iteration[bound.event])];
        // An event without a duration cannot be seen.
        if (known == kNoEvent || (timeline_.durationNs[known] == 0 && timeline_.durationNs[bound.event] > 0))
          known = bound.event;
      }
      for (size_t iteration = 0; iteration < first.size(); ++iteration)
        if (first[iteration] != kNoEvent) paths[iteration].push_back(first[iteration]);
    }
    for (size_t iteration = 0; iteration < paths.size(); ++iteration) {
      if (paths[iteration].size() < 2) continue;
      std::ranges::sort(paths[iteration]);
      out_.paths.push_back({timeline_.iterations[iteration].name, std::move(paths[iteration])});
    }
  }

  const ir::Module& module_;
  const RunReport& run_;
  const Timeline& timeline_;
  const ir::BoundFacet& facts_;
  TraceAnnotations out_;
  std::map<std::pair<ir::ScopeId, ir::UnboundReason>, uint32_t> unbound_;
};

}  // namespace

constinit const Output kTraceOutput{
    .name = "trace",
    .summary = "the selected iterations of the trace as a small trace with the same report",
    .write = trace::writeExcerpt,
    .absenceOf = absenceOfExcerpt};
constinit const Output kChromeTraceOutput{
    .name = "chrome-trace",
    .summary = "the whole run as a trace with tracks of kernels and modules, for Perfetto and chrome://tracing",
    .needs = ir::Facet::Bound,
    .write =
        [](const OutputContext& context, ir::CoverId id) {
          const RunReport& run = context.reported(id);
          return trace::writeAnnotated(*run.timeline, Annotating(context.module, run).build());
        },
    .absenceOf = absenceOfExcerpt};

}  // namespace amdahlc
