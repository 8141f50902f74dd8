/// How well a trace fits the model as a whole.
#include "passes/trace_bind/bind_search.h"

namespace amdahlc::binding {

namespace {

/// A trace fits the model if at least so much of its calls is explained, so much of the units ran, and so many weights
/// of the model occur. `tests/accuracy/accuracy.py fit` prints the measures of all right and foreign pairs: these lie
/// between them.
///
/// A difference of less weight than kInsignificant tells nothing: one unit of a small model.
constexpr int64_t kInsignificant = 700;
constexpr uint16_t kLeastCallsPermille = 560, kLeastUnitsPermille = 958, kLeastWeightsPermille = 700;

}  // namespace

ir::RecordedEvidence recordedEvidence(const Launches& launches) {
  ir::RecordedEvidence evidence;
  const Timeline& timeline = launches.timeline();
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    evidence.marks |= timeline.iterations[static_cast<size_t>(launches.iterations()[i])].startNs.has_value();
    for (const Call& call : launches.calls(i)) {
      evidence.operators |= !call.op.isNone();
      evidence.frames |= !call.frame.isNone();
      if (call.op.isNone()) continue;
      const OperatorFacts* facts = launches.host().operatorFactsOf(call.op);
      evidence.shapes |= facts && std::any_of(facts->inputDims.begin(), facts->inputDims.end(),
                                              [](const auto& dims) { return !dims.empty(); });
    }
  }
  return evidence;
}

/// Calls and units that found each other, by weight: what a skipped unit costs, and as much for a call as for the
/// heaviest unit that it may run.
ir::ModelFit TimelineBinder::measureFit(const Search& search, const Launches& launches) const {
  ir::ModelFit fit;
  fit.forwards = 0;
  const auto& units = search.program.units();
  int64_t callWeight = 0, boundWeight = 0, bits = 0, countedCalls = 0;
  std::vector<bool> ran(units.size(), false);
  for (size_t i = 0; i < search.alignments.size(); ++i) {
    const Segment& segment = search.segment(i);
    uint32_t forwards = 0;
    bool any = false;
    for (size_t call = 0; call < search.alignments[i].calls.size(); ++call) {
      const CallBinding& binding = search.alignments[i].calls[call];
      const uint32_t kind = search.kind(segment, call);
      if (binding.option) {
        any = true;
        forwards = std::max(forwards, binding.forward);
        for (const ir::OpId op : graph_.alternatives()[binding.option->alternative].ops)
          if (search.program.unitOf(op) != kNoUnit) ran[search.program.unitOf(op)] = true;
      }
      if (segment.outside[call] || search.scorer.features(kind).movesData) continue;
      countedCalls += search.copies[i];
      const int64_t weight = search.scorer.weight(kind);
      callWeight += search.copies[i] * weight;
      if (!binding.option) continue;
      boundWeight += search.copies[i] * weight;
      if (binding.first) bits += search.copies[i] * binding.option->evidence;
    }
    if (any) fit.forwards += search.copies[i] * (forwards + 1);
  }
  int64_t needed = 0, done = 0;
  const bool generated = launches.hasGeneratedCode();
  for (UnitId unit = 0; unit < units.size(); ++unit) {
    if (!units[unit].mustRun) continue;
    // A branch that did not run, and what a compiler generated code for, need no call.
    if (!ran[unit] && (graph_.inBranch(units[unit].ops.front()) || (generated && !units[unit].hasWeight))) continue;
    needed += units[unit].weight;
    if (ran[unit]) done += units[unit].weight;
  }
  constexpr double kBitsPerCentinat = 0.014426950408889634;
  fit.callsPermille = callWeight > 0 ? permille(static_cast<double>(boundWeight) / static_cast<double>(callWeight)) : 0;
  fit.unitsPermille = needed > 0 ? permille(static_cast<double>(done) / static_cast<double>(needed)) : 1000;
  fit.millibitsPerCall = countedCalls > 0 ? static_cast<int64_t>(static_cast<double>(bits) * kBitsPerCentinat * 1000 /
                                                                 static_cast<double>(countedCalls))
                                          : 0;
  if (const auto seen = search.scorer.weightsSeen()) fit.weightsPermille = permille(*seen);
  fit.evidence = recordedEvidence(launches);
  const bool callsExplained =
      fit.callsPermille >= kLeastCallsPermille || (boundWeight > 0 && callWeight - boundWeight <= kInsignificant);
  const bool unitsRan = fit.unitsPermille >= kLeastUnitsPermille || needed - done <= kInsignificant;
  // Generated code does not record what it reads.
  const bool weightsOccur = generated || fit.weightsPermille.value_or(1000) >= kLeastWeightsPermille;
  fit.fits = (callsExplained || callWeight == 0) && unitsRan && weightsOccur;
  return fit;
}

}  // namespace amdahlc::binding
