#include "modules.h"

#include <fstream>
#include <iterator>

#include "grammar/rule_loader.h"
#include "ir/facets/timed.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "passes/liveness/liveness_analysis.h"
#include "passes/manager/pass_manager.h"
#include "passes/manager/verifying.h"
#include "passes/registry/all_passes.h"
#include "passes/roofline/roofline_analysis.h"
#include "passes/schedule/schedule_analysis.h"

namespace amdahlc::fuzz {

void requireRoundTrip(const ir::Module& module, Run& run) {
  DiagnosticEngine verifying = noErrors(run.sources, "a module that was read breaks an invariant");
  ir::verify(module, verifying);
  const std::string text = ir::print(module);
  run.output("ir", text);
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "printed IR text cannot be read");
  const auto again = ir::parse(sources.add("<printed>", text), sources, grammar::ruleReader(sources), reading);
  const std::string second = again ? ir::print(*again) : std::string();
  if (second != text) require(false, "IR text prints otherwise after reading; first:\n" + text + "\nthen:\n" + second);
}

/// The pieces of a schedule sum to what they are pieces of.
void requireSums(const ir::Module& module, AnalysisManager& analyses) {
  for (const ir::CoverId id : module.coverIds()) {
    const ir::Cover& cover = module.cover(id);
    const auto* facts = analyses.requested<ScheduleAnalysis>(id);
    const auto* timed = cover.facets.get<ir::TimedFacet>();
    if (facts == nullptr || timed == nullptr || !facts->run) continue;
    const auto sumOf = [](const std::vector<schedule::TimePiece>& pieces) {
      int64_t ns = 0;
      for (const schedule::TimePiece& piece : pieces) ns += piece.ns;
      return ns;
    };
    const int64_t wallNs = timed->run.reported(*timed->run.wallNs), busyNs = timed->run.reported(timed->run.busyNs);
    require(sumOf(facts->run->idle) == wallNs - busyNs, "the causes of idle time do not sum to it");
    require(sumOf(facts->run->wallPath) == wallNs, "the path of the run does not sum to wall");
    require(!facts->run->windowNs || sumOf(facts->run->windowPath) == *facts->run->windowNs,
            "the path of the window does not sum to it");
  }
}

/// The columns of a run that was read have one entry per event, and what they refer to exists.
void requireColumns(const Timeline& timeline) {
  const auto requireSizes = [](size_t events, std::initializer_list<size_t> columns) {
    for (const size_t column : columns) require(column == events, "columns of events of different lengths");
  };
  requireSizes(timeline.size(),
               {timeline.startNs.size(), timeline.durationNs.size(), timeline.name.size(), timeline.track.size(),
                timeline.correlation.size(), timeline.iteration.size(), timeline.factsIndex.size()});
  for (const uint32_t facts : timeline.factsIndex)
    require(facts == kNoFacts || facts < timeline.launchFacts.size(), "an event with facts that do not exist");
  if (!timeline.host) return;
  const HostFacts& host = *timeline.host;
  requireSizes(host.size(),
               {host.startNs.size(), host.durationNs.size(), host.name.size(), host.track.size(),
                host.correlation.size(), host.parent.size(), host.iteration.size(), host.factsIndex.size()});
  requireSizes(timeline.size(), {host.launch.size(), host.launchOp.size()});
  for (const HostEventId event : host.kind.ids()) {
    require(host.parent[event].isNone() || host.parent[event] < event, "a host event inside one that comes later");
    require(host.track[event] < timeline.tracks.size(), "a host event on no track");
    const bool isWait = host.kind[event] == EventKind::Synchronization;
    require(host.factsIndex[event] == kNoFacts ||
                host.factsIndex[event] < (isWait ? host.waitFacts.size() : host.operatorFacts.size()),
            "a host event with facts that do not exist");
  }
  for (const auto* launches : {&host.launch, &host.launchOp})
    for (const HostEventId launch : *launches)
      require(launch.isNone() || host.kind.contains(launch), "an event launched by a host event that does not exist");
}

/// Each tensor is live from its birth on, and idle between its uses.
void requireLives(const ir::Module& module, AnalysisManager& analyses) {
  for (const ir::CoverId id : module.coverIds()) {
    const auto* facts = analyses.requested<LivenessAnalysis>(id);
    if (facts == nullptr) continue;
    const Liveness& liveness = facts->liveness;
    const auto end = static_cast<SchedulePosition>(liveness.kernels.size());
    for (const TensorId tensor : liveness.tensors.ids()) {
      const Tensor& at = liveness.tensors[tensor];
      require(at.birth < at.liveEnd && at.liveEnd <= end && at.death.value_or(at.liveEnd) <= at.liveEnd,
              "a tensor does not live from its birth to its death");
      for (const InactivePeriod& period : liveness.periods[tensor])
        require(
            period.from <= end && period.to < end && (at.isGlobal || period.from < period.to) && period.totalNs >= 0,
            "an inactive period is not between two uses");
    }
    for (const int64_t bytes : liveness.liveBytes)
      require(liveness.globalBytes <= bytes && bytes <= liveness.peakBytes(), "live bytes are beyond their bounds");
  }
}

/// At their roofs kernels take no longer than they took.
void requireRoofs(const ir::Module& module, AnalysisManager& analyses) {
  for (const ir::CoverId id : module.coverIds()) {
    const auto* facts = analyses.requested<RooflineAnalysis>(id);
    const auto* timed = module.cover(id).facets.get<ir::TimedFacet>();
    if (facts == nullptr || timed == nullptr) continue;
    const auto busyNs = static_cast<double>(timed->run.undisturbedNs);
    require(facts->busyNs && *facts->busyNs <= busyNs * (1 + 1e-9) + 1, "busy time at the roofs is longer");
    for (const ir::KernelId kernel : facts->kernels.ids())
      require(facts->work(kernel).isKnown() || !facts->kernels[kernel].attainable, "unknown work has a roof");
  }
}

std::vector<Artifact> runPasses(std::string_view pipeline, ir::Module& module, Run& run) {
  SourceManager sources;
  DiagnosticEngine planning = noErrors(sources, "the pipeline of the target is wrong");
  const auto elements = parsePipeline(sources.add("<pipeline>", std::string(pipeline)), sources, planning);
  auto planned = buildPipeline(*elements, allPasses(), {}, planning);
  DiagnosticEngine verifying = noErrors(run.sources, "a pass broke the module");
  IrVerifying invariants(verifying);
  AnalysisVerifying stale(verifying);
  PassEnvironment environment;
  environment.dump = [&](std::string_view text) { run.output("dump", text); };
  PassManager manager(std::move(environment));
  manager.add(stale);
  manager.add(invariants);
  std::vector<Artifact> artifacts;
  AnalysisManager analyses(module);
  analyses.request<Rendering>({.artifacts = &artifacts});
  if (manager.run(*planned, module, analyses, run.diagnostics)) {
    requireSums(module, analyses);
    requireLives(module, analyses);
    requireRoofs(module, analyses);
  }
  for (const Artifact& artifact : artifacts) run.output(artifact.kind, artifact.bytes);
  return artifacts;
}

void analyse(ir::Module& module, Timeline timeline, Run& run) {
  requireColumns(timeline);
  module.addRun(std::move(timeline));
  module.target = module.timelines.front().target;
  ir::HardwareDescription hardware;
  hardware.name = "device";
  hardware.memoryBytesPerS = 1'000'000'000'000;
  hardware.vectorPerS = {{ir::ElementType::Float, 50'000'000'000'000}};
  module.hardware = {{std::move(hardware)}, true};
  const SourceRange range{run.sources.add("<command line>", "/./=2x"), 0, 6};
  const auto newTime = [&](ir::SelectorKind kind, const char* selector, Rational factor) {
    return ir::Change{ir::ChangeKind::NewTime, {{kind, selector}}, factor, std::nullopt, std::nullopt, range};
  };
  const auto changeOfAll = [&](ir::ChangeKind kind) {
    return ir::Change{kind, {{ir::SelectorKind::Regex, "."}}, std::nullopt, std::nullopt, std::nullopt, range};
  };
  module.scenarios.push_back({"faster", {newTime(ir::SelectorKind::Regex, ".", Rational{1, 2})}});
  module.scenarios.push_back({"device", {newTime(ir::SelectorKind::Device, "", Rational{3, 7})}});
  module.scenarios.push_back({"host", {newTime(ir::SelectorKind::Host, "", Rational{2, 1})}});
  module.scenarios.push_back({"graph", {changeOfAll(ir::ChangeKind::Graph)}});
  module.scenarios.push_back({"stream", {changeOfAll(ir::ChangeKind::Move)}});
  ir::Change copies = changeOfAll(ir::ChangeKind::OverlapCopies), batch = changeOfAll(ir::ChangeKind::Batch);
  copies.selectors.clear();
  batch.selectors.clear();
  batch.factor = Rational{5, 2};
  module.scenarios.push_back({"larger", {std::move(batch), std::move(copies)}});
  module.scenarios.push_back({"gone", {changeOfAll(ir::ChangeKind::Remove)}});
  const std::string grouping = module.has(ir::Facet::Fused) ? "" : "simplify,fuse,";
  runPasses(
      grouping +
          "trace-bind,timing,critical-path,host<profiler-overhead=1us;batch-size=8>,schedule,roofline,speedup-rewrite,"
          "advise,liveness,emit<output=summary;output=json;output=csv;output=dot;output=bindings;output=evidence;"
          "output="
          "overheads;"
          "output=streams;output=charts;output=liveness=folder;output=ir>",
      module, run);
  requireRoundTrip(module, run);
}

ir::Module importedBlock() {
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "the model cannot be read");
  const BufferId buffer = sources.add("block.onnxtxt", projectFile("tests/fuzz/models/block.onnxtxt"));
  return std::move(*ir::importOnnxText(buffer, sources, {}, reading));
}

std::string groupedBlock(ir::RuleSet rules) {
  Run run;
  ir::Module module = importedBlock();
  module.rules = std::move(rules);
  runPasses("simplify,fuse", module, run);
  return ir::print(module);
}

ir::Module parsed(std::string_view text) {
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "the module of the target cannot be read");
  return *ir::parse(sources.add("<module>", std::string(text)), sources, grammar::ruleReader(sources), reading);
}

std::string projectFile(std::string_view path) {
  std::ifstream file(std::string(AMDAHLC_SOURCE_DIR "/") + std::string(path), std::ios::binary);
  require(file.good(), "a file of the project is missing");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace amdahlc::fuzz
