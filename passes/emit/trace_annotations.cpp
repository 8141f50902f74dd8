#include "passes/emit/trace_annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "ir/facets/bound.h"
#include "ir/facets/critical_path.h"
#include "support/json_text.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownNodes = 16;
constexpr double kPerMille = 1000.0;

/// The colours of what is not bound, as chrome://tracing names them: red for time that nobody knows, grey for time
/// that is known to be no part of the model.
std::string_view colorOf(ir::EventState state) {
  switch (state) {
    case ir::EventState::Ambiguous:
      return "bad";
    case ir::EventState::RuntimeOnly:
      return "olive";
    case ir::EventState::Foreign:
      return "grey";
    default:
      return "terrible";
  }
}

/// The members of an object.
std::string membersOf(const Json& object) {
  if (object.empty()) return {};
  const std::string text = withEscapedControls(object.dump(-1, ' ', false, Json::error_handler_t::replace));
  return text.substr(1, text.size() - 2);
}

std::string kernelText(const RunReport& run, const KernelRow& kernel) {
  Json out = Json::object();
  out["amdahlc kernel"] = fmt::format("{}: {}", kernel.id.index(), kernel.label);
  out["amdahlc rule"] = kernel.rule ? Json(*kernel.rule) : Json(nullptr);
  out["amdahlc nodes"] = std::vector(
      kernel.nodes.begin(), kernel.nodes.begin() + static_cast<ptrdiff_t>(std::min(kShownNodes, kernel.nodes.size())));
  if (kernel.nodes.size() > kShownNodes) out["amdahlc node count"] = kernel.nodes.size();
  out["amdahlc scope"] = kernel.scope;
  if (kernel.time) out["amdahlc kernel us"] = static_cast<double>(kernel.time->meanNs) / kPerMille;
  if (kernel.shares && run.measured.busyNs > 0) out["amdahlc share"] = kernel.shares->ratio;
  if (kernel.critical) out["amdahlc critical"] = *kernel.critical;
  return membersOf(out);
}

/// Gives each event the numbers of its texts, and each text a number once.
class Annotating {
 public:
  Annotating(const ir::Module& module, const RunReport& run)
      : module_(module), run_(run), timeline_(*run.timeline), facts_(*run.cover->facets.get<ir::BoundFacet>()) {}

  TraceAnnotations build() {
    out_.events.resize(timeline_.size());
    addLeftOut();
    for (const ir::Kernel& kernel : run_.cover->kernels) addKernel(kernel.id);
    for (const ir::UnboundEvent& unbound : facts_.unbound) addUnbound(unbound);
    addPaths();
    return std::move(out_);
  }

 private:
  uint32_t addMark(const Json& arguments, std::string_view unbound = {}, std::string_view color = {}) {
    out_.marks.push_back({membersOf(arguments), std::string(unbound), std::string(color)});
    return static_cast<uint32_t>(out_.marks.size() - 1);
  }

  /// Of events that do not count it says why, because they look like those that do.
  void addLeftOut() {
    std::map<int32_t, uint32_t> marks;
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      if (timeline_.isSelected(event)) continue;
      const int32_t number = timeline_.iteration[event];
      const auto [mark, isNew] = marks.try_emplace(number);
      if (isNew) {
        std::string reason = "outside of all iterations";
        if (number != kNoIteration) {
          const Iteration& iteration = timeline_.iterations[static_cast<size_t>(number)];
          const auto* row = std::find_if(std::begin(kLeftOutReasons), std::end(kLeftOutReasons),
                                         [&](const LeftOutInfo& info) { return info.reason == iteration.leftOut; });
          reason = fmt::format("iteration `{}` is {}", iteration.name, row->description);
        }
        mark->second = addMark({{"amdahlc state", "not selected"}, {"amdahlc reason", reason}});
      }
      out_.events[event].mark = mark->second;
    }
  }

  void addKernel(ir::KernelId kernel) {
    const ir::KernelBinding& binding = facts_.kernels[kernel];
    if (binding.events.empty()) return;
    out_.subjects.push_back(kernelText(run_, run_.kernels[kernel]));
    const auto subject = static_cast<uint32_t>(out_.subjects.size() - 1);
    for (const ir::BoundEvent& bound : binding.events) {
      const auto [mark, isNew] = boundMarks_.try_emplace({bound.evidence, bound.confidencePermille});
      if (isNew)
        mark->second = addMark({{"amdahlc state", ir::name(ir::EventState::Bound)},
                                {"amdahlc evidence", ir::toString(bound.evidence)},
                                {"amdahlc confidence", bound.confidencePermille / kPerMille}});
      out_.events[bound.event] = {subject, mark->second};
    }
  }

  void addUnbound(const ir::UnboundEvent& unbound) {
    const auto [scope, isNewScope] = scopes_.try_emplace(unbound.scope);
    if (isNewScope) {
      const std::string path = module_.scopePath(unbound.scope);
      Json members = Json::object();
      if (!path.empty()) members["amdahlc scope"] = path;
      out_.subjects.push_back(membersOf(members));
      scope->second = static_cast<uint32_t>(out_.subjects.size() - 1);
    }
    const auto [mark, isNew] = unboundMarks_.try_emplace(unbound.reason);
    if (isNew) {
      const ir::EventState state = ir::info(unbound.reason.kind).state;
      Json arguments{{"amdahlc state", ir::name(state)},
                     {"amdahlc reason", ir::describe(module_, *run_.cover, unbound.reason)}};
      if (state == ir::EventState::Ambiguous) arguments["amdahlc confidence"] = unbound.reason.permille / kPerMille;
      mark->second = addMark(arguments, ir::name(state), colorOf(state));
    }
    out_.events[unbound.event] = {scope->second, mark->second};
  }

  /// A path per selected iteration: through the first event of each kernel on the critical path. In order of start,
  /// because viewers draw it so.
  void addPaths() {
    const auto* const critical = run_.cover->facets.get<ir::CriticalPathFacet>();
    if (critical == nullptr) return;
    std::vector<std::vector<EventIndex>> paths(timeline_.iterations.size());
    std::vector<EventIndex> first(timeline_.iterations.size());
    for (const ir::KernelId kernel : critical->path) {
      std::fill(first.begin(), first.end(), kNoEvent);
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
      std::sort(paths[iteration].begin(), paths[iteration].end());
      out_.paths.push_back({timeline_.iterations[iteration].name, std::move(paths[iteration])});
    }
  }

  const ir::Module& module_;
  const RunReport& run_;
  const Timeline& timeline_;
  const ir::BoundFacet& facts_;
  TraceAnnotations out_;
  std::map<std::pair<ir::EvidenceSet, uint16_t>, uint32_t> boundMarks_;
  std::map<ir::UnboundReason, uint32_t> unboundMarks_;
  std::map<ir::ScopeId, uint32_t> scopes_;
};

}  // namespace

TraceAnnotations traceAnnotations(const Report& report, ir::CoverId run, std::span<const ReportSection> sections) {
  const ir::Cover& cover = report.module->cover(run);
  const auto found =
      std::find_if(report.runs.begin(), report.runs.end(), [&](const RunReport& one) { return one.cover == &cover; });
  TraceAnnotations annotations = Annotating(*report.module, *found).build();
  for (const ReportSection& section : sections)
    if (const std::string caveat = section.caveat ? section.caveat(found->measured) : ""; !caveat.empty())
      annotations.caveat += (annotations.caveat.empty() ? "" : "; ") + caveat;
  return annotations;
}

}  // namespace amdahlc
