#include "passes/manager/pass_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <stdexcept>

#include "support/memory.h"

namespace amdahlc {
namespace {

/// The line that `-debug-only` prints for every pass, in addition to its debug text.
std::string describe(const PassResult& result, const PreservedAnalyses& preserved) {
  if (result.kind == PassResult::Kind::Unchanged) return "changed nothing";
  return "changed the module; preserves " + preserved.describe();
}

/// Records which pass dropped a facet. This is known only at run time, because a pass may report no change.
class FacetLosses {
 public:
  explicit FacetLosses(const ir::Module& module) : present_(module.facets()) {}

  /// Reports the facets that the pass requires and the module lacks. False if there are any.
  bool allowStartOf(const PlannedPass& planned, const ir::Module& module, DiagnosticEngine& diagnostics) const {
    bool allowed = true;
    std::vector<ir::Facet> required = planned.pass->requiredFacets();
    const std::vector<ir::Facet>& ofRuns = planned.pass->facetsRequiredOfRuns();
    if (!module.timelines.empty()) required.insert(required.end(), ofRuns.begin(), ofRuns.end());
    for (const ir::Facet facet : required) {
      if (module.has(facet)) continue;
      const auto dropped = droppedBy_.find(facet);
      diagnostics.error(
          DiagId::PipelineMissingFacet, planned.range,
          fmt::format("pass `{}` needs {}; {} the facet `{}`", planned.info->name, ir::info(facet).phrase,
                      dropped != droppedBy_.end() ? fmt::format("pass `{}` before it dropped", dropped->second)
                                                  : "no pass before it established",
                      ir::name(facet)));
      allowed = false;
    }
    return allowed;
  }

  /// Must be called after each pass.
  void note(const std::string& pass, const ir::Module& module) {
    for (const ir::FacetInfo& row : ir::allFacets())
      if (present_.contains(row.facet) && !module.has(row.facet)) droppedBy_[row.facet] = pass;
    present_ = module.facets();
  }

 private:
  ir::FacetSet present_;
  std::map<ir::Facet, std::string> droppedBy_;
};

/// Reports runs without host events from which the pass would read them. False if there are any.
bool hostEventsArePresent(const Pass& pass, const std::string& name, const ir::Module& module,
                          DiagnosticEngine& diagnostics) {
  bool present = true;
  for (const Timeline& timeline : module.timelines) {
    if (timeline.host || !pass.needsHostEvents(module, timeline)) continue;
    diagnostics.error(
        DiagId::HostEventsMissing, {},
        fmt::format(
            "pass `{}` needs the host events of run `{}`; IR text does not contain them; give the trace again with "
            "`-trace={}={}` (hash {})",
            name, timeline.label, timeline.label, timeline.file, timeline.contentHash));
    present = false;
  }
  return present;
}

}  // namespace

bool PassManager::runOne(PlannedPass& planned, ir::Module& module, PassContext& context) {
  Pass& pass = *planned.pass;
  const PassRun passRun{*planned.info, pass, module, context.analyses};
  for (PassInstrumentation* instrumentation : instrumentation_) instrumentation->beforePass(passRun);
  const size_t errorsBefore = context.diagnostics.errorCount();
  PassResult result;
  bool succeeded = false, isOutOfMemory = false;
  try {
    result = pass.run(module, context);
    const bool reported = context.diagnostics.errorCount() != errorsBefore;
    if (result.kind == PassResult::Kind::Failed && !reported)
      throw std::logic_error(fmt::format("pass `{}` failed without an error", passRun.info.name));
    succeeded = result.kind != PassResult::Kind::Failed && !reported;
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): what the pass held must be freed first
    isOutOfMemory = true;
  } catch (...) {
    for (auto one = instrumentation_.rbegin(); one != instrumentation_.rend(); ++one) (*one)->afterPassFailed(passRun);
    throw;
  }
  if (isOutOfMemory)
    reportOutOfMemory(context.diagnostics, FileLocation{module.modelName},
                      fmt::format("pass `{}` ran", passRun.info.name));
  if (succeeded) {
    // Facts that were derived from changed facts are no longer valid.
    const std::optional<ir::Facet> written = pass.establishes();
    if (written && result.kind == PassResult::Kind::Changed) module.retractDerived(*written);
    // What a pass that establishes nothing changed is unknown.
    const PreservedAnalyses preserved =
        result.preserved.value_or(written ? PreservedAnalyses::notReading({*written}) : PreservedAnalyses::none());
    context.analyses.invalidate(preserved);
    if (context.wantsDebug()) context.debug(describe(result, preserved));
  }
  for (auto one = instrumentation_.rbegin(); one != instrumentation_.rend(); ++one) {
    if (succeeded)
      succeeded = (*one)->afterPass(passRun, result);
    else
      (*one)->afterPassFailed(passRun);
  }
  return succeeded;
}

bool PassManager::run(Pipeline& pipeline, ir::Module& module, AnalysisManager& analyses,
                      DiagnosticEngine& diagnostics) {
  /// The hooks refer to this object, which the analyses outlive.
  struct Hooks {
    AnalysisManager& analyses;
    ~Hooks() {
      analyses.progress = nullptr;
      analyses.onCompute = nullptr;
    }
  } const hooks{analyses};
  analyses.onCompute = [this](const char* name, bool begin) {
    for (PassInstrumentation* instrumentation : instrumentation_)
      begin ? instrumentation->beforeAnalysis(name) : instrumentation->afterAnalysis(name);
  };
  size_t number = 0;
  FacetLosses losses(module);
  for (PlannedPass& planned : pipeline) {
    const std::string& name = planned.info->name;
    PassContext context(diagnostics, analyses, environment_);
    if (!context.explain) context.explain = context.dump;
    context.setWantedRemarks(environment_.remarks.wanted(name),
                             [&](RemarkKind kind, Location location, const std::string& message) {
                               reportRemark(name, kind, std::move(location), message, diagnostics);
                             });
    const auto& debugOnly = environment_.debugOnly;
    if (std::ranges::find(debugOnly, name) != debugOnly.end())
      context.setDebugSink([&](std::string_view line) { environment_.debugLine(fmt::format("{}: {}", name, line)); });

    ++number;
    if (environment_.progress) {
      const std::string piece = fmt::format("{} (pass {} of {})", name, number, pipeline.size());
      environment_.progress(piece, -1);
      context.progress = [this, piece, name](std::string_view what, double fraction) {
        environment_.progress(what == name ? piece : fmt::format("{}: {}", piece, what), fraction);
      };
      analyses.progress = context.progress;
    }
    if (!losses.allowStartOf(planned, module, diagnostics) ||
        !hostEventsArePresent(*planned.pass, name, module, diagnostics))
      return false;
    if (!runOne(planned, module, context)) return false;
    losses.note(name, module);
  }
  for (const PlannedPass& planned : pipeline) {
    PassContext context(diagnostics, analyses, environment_);
    if (!context.explain) context.explain = context.dump;
    planned.pass->finish(module, context);
  }
  return true;
}

}  // namespace amdahlc
