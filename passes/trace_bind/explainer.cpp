#include "passes/trace_bind/explainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "passes/manager/analysis_printer.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::binding {

using ir::OpId;

namespace {

/// In nats: `+6.12`.
std::string nats(Score score) { return fmt::format("{:+.2f}", score / 100.0); }

/// A margin below this is none: alternatives of equal evidence differ by the order of choice.
constexpr Score kTie = 50;

}  // namespace

TimelineBinder::Explainer::Explainer(const TimelineBinder& binder, const Found& found, const Launches& launches,
                                     const ir::Cover& cover, const ir::BoundFacet& facts)
    : binder_(binder),
      found_(found),
      launches_(launches),
      cover_(cover),
      rankOf_(ranksOfSelected(launches.timeline())),
      reasonOf_(launches.timeline().size(), nullptr),
      kernelOf_(launches.timeline().size()) {
  for (const ir::UnboundEvent& unbound : facts.unbound) reasonOf_[unbound.event] = &unbound.reason;
  for (const ir::KernelId kernel : facts.kernels.ids())
    for (const ir::BoundEvent& bound : facts.kernels[kernel].events) kernelOf_[bound.event] = kernel;
}

const Call& TimelineBinder::Explainer::callAt(const Place& place) const {
  return launches_.calls(place.segment.iteration)[place.segment.begin + place.call];
}

Score TimelineBinder::Explainer::instanceEvidence(const Place& place, const Option& option) const {
  return instanceBonus(found_.search, found_.instances, launches_.instanceOf(callAt(place)), option);
}

Score TimelineBinder::Explainer::ownScore(const Place& place, const Option& option) const {
  const bool outside = place.segment.outside[place.call];
  return option.score + instanceEvidence(place, option) + (outside ? evidence::kOutsideRoot : 0);
}

std::string TimelineBinder::Explainer::kernelOf(const Option& option) const {
  const ir::KernelId kernel = found_.chosen.kernelOf[option.alternative];
  if (kernel != ir::kNone)
    return fmt::format("kernel {}", printable(kernelTitle(binder_.module_, cover_.kernels[kernel])));
  const Alternative& alternative = binder_.graph_.alternatives()[option.alternative];
  const std::string_view rule = alternative.rule == kNoRule
                                    ? binder_.module_.text(binder_.module_.ops[alternative.anchor].type)
                                    : std::string_view(binder_.module_.rules.rules[alternative.rule].name);
  return fmt::format("\"{}\" at {}, which is not in the cover", rule,
                     printable(binder_.module_.displayName(alternative.anchor)));
}

std::string TimelineBinder::Explainer::outcome(EventIndex event) const {
  if (const ir::UnboundReason* reason = reasonOf_[event])
    return fmt::format("{}: {}", ir::name(ir::info(reason->kind).state),
                       ir::describe(binder_.module_, cover_, *reason));
  return fmt::format("bound to kernel {}", printable(kernelTitle(binder_.module_, cover_.kernels[kernelOf_[event]])));
}

std::string TimelineBinder::Explainer::describeCall(const Place& place) const {
  const Call& call = callAt(place);
  const Timeline& timeline = launches_.timeline();
  std::vector<std::string> operators;
  const Launch& first = launches_.launches(place.segment.iteration)[call.first];
  const auto& names = launches_.signature(first).operators;
  for (auto name = names.rbegin(); name != names.rend(); ++name) operators.push_back(printable(timeline.text(*name)));
  std::string text = operators.empty() ? "no operator" : fmt::format("{}", fmt::join(operators, " > "));
  if (const auto instance = launches_.instanceOf(call)) {
    text += fmt::format(", module {}", printable(launches_.runtime().moduleInstance(timeline.text(*instance))));
    const auto scope = found_.instances.scopeOf(*instance);
    if (scope) text += fmt::format(" (scope `{}`)", printable(binder_.module_.scopePath(*scope)));
  }
  if (place.segment.outside[place.call]) text += ", outside of the model";
  std::vector<size_t> ranks;
  for (const EventIndex event : call.events) ranks.push_back(rankOf_[event]);
  return text + fmt::format(", events {}", fmt::join(ranks, " "));
}

std::string TimelineBinder::Explainer::probabilities(const Place& place) const {
  const CallBinding& binding = found_.search.alignments[place.alignment].calls[place.call];
  const Posterior& posterior = found_.probabilities[place.alignment][place.call];
  if (binding.leftover) return "paired after the alignment, against its order";
  std::string text;
  if (binding.option) text = fmt::format("the chosen one {:.3f}, ", posterior.chosen);
  if (posterior.otherAlternative != kNoAlternative) {
    Option other;
    other.alternative = posterior.otherAlternative;
    text += fmt::format("the next {:.3f} ({}), ", posterior.other, kernelOf(other));
  }
  return text + fmt::format("none {:.3f}", posterior.unbound);
}

std::string TimelineBinder::Explainer::decidedBy(const Place& place) const {
  const CallBinding& binding = found_.search.alignments[place.alignment].calls[place.call];
  if (binding.leftover) return "its own evidence, after the alignment";
  const auto& chosen = binding.option;
  const uint32_t kind = found_.search.kind(place.segment, place.call);
  const auto options = found_.search.scorer.options(kind);
  if (options.empty()) return "nothing in the graph agrees with the call";
  const Score unbound = found_.search.scorer.unbound(kind);
  if (!chosen) {
    const bool better = std::any_of(options.begin(), options.end(),
                                    [&](const Option& option) { return ownScore(place, option) > unbound; });
    return better ? "the order of calls, because its options would skip or displace others" : "its own evidence";
  }
  const Option* rival = nullptr;
  for (const Option& option : options)
    if (option.unit != chosen->unit && (!rival || ownScore(place, option) > ownScore(place, *rival))) rival = &option;
  if (!rival) return "its own evidence, which leaves one kernel";
  const Score margin = ownScore(place, *chosen) - ownScore(place, *rival);
  const bool ambiguous =
      permille(found_.probabilities[place.alignment][place.call].chosen) < binder_.thresholdPermille_;
  if (margin < kTie)
    return ambiguous ? "nothing, because another kernel fits as well"
                     : "the order of calls, because its own evidence fits another kernel as well";
  const Score byModule = instanceEvidence(place, *chosen) - instanceEvidence(place, *rival);
  return byModule > margin / 2
             ? fmt::format("the module instance, with {} of a margin of {} nats", nats(byModule), nats(margin))
             : fmt::format("its own evidence, by a margin of {} nats", nats(margin));
}

/// Visits each call of the first segment of every alignment.
template <typename Visit>
void TimelineBinder::Explainer::forEachDistinctCall(const Visit& visit) const {
  for (uint32_t alignment = 0; alignment < found_.search.alignments.size(); ++alignment) {
    const Segment& segment = found_.search.segment(alignment);
    for (uint32_t call = 0; call < segment.end - segment.begin; ++call)
      if (const Place place{segment, alignment, call}; !callAt(place).events.empty()) visit(place);
  }
}

std::string TimelineBinder::Explainer::ofEvent(size_t rank) const {
  const Timeline& timeline = launches_.timeline();
  const std::vector<EventIndex> selected = timeline.selectedEvents();
  if (rank >= selected.size()) return {};
  const EventIndex event = selected[rank];
  std::string text = fmt::format("event {} `{}` ({} ns): {}\n", rank, printable(timeline.text(timeline.name[event])),
                                 timeline.durationNs[event], outcome(event));
  const Search& search = found_.search;
  for (size_t s = 0; s < search.forwards.segments.size(); ++s) {
    const Segment& segment = search.forwards.segments[s];
    for (uint32_t i = 0; i < segment.end - segment.begin; ++i) {
      const Place place{segment, search.alignmentOf[s], i};
      const Call& call = callAt(place);
      if (!std::binary_search(call.events.begin(), call.events.end(), event)) continue;
      const auto& chosen = search.alignments[place.alignment].calls[i].option;
      text += fmt::format("  call: {}\n  probability: {}\n  decided by: {}\n", describeCall(place),
                          probabilities(place), decidedBy(place));
      const uint32_t kind = search.kind(segment, i);
      std::vector<Option> options(search.scorer.options(kind).begin(), search.scorer.options(kind).end());
      std::stable_sort(options.begin(), options.end(),
                       [&](const Option& a, const Option& b) { return ownScore(place, a) > ownScore(place, b); });
      text += "  options, by log-odds in nats:\n";
      for (const Option& option : options) {
        const bool isChosen = chosen && chosen->alternative == option.alternative;
        text += fmt::format("    {} {}{}: evidence {}, module instance {}, step {}\n", nats(ownScore(place, option)),
                            kernelOf(option), isChosen ? " (chosen)" : "", nats(option.evidence),
                            nats(instanceEvidence(place, option)), nats(option.score - option.evidence));
      }
      return text + fmt::format("    {} no kernel{}\n", nats(search.scorer.unbound(kind)), chosen ? "" : " (chosen)");
    }
  }
  return text;
}

std::string TimelineBinder::Explainer::ofNode(OpId op) const {
  const ir::Module& module = binder_.module_;
  const ir::Op& at = module.ops[op];
  const Search& search = found_.search;
  std::string text = fmt::format("node {} ({})", printable(module.displayName(op)), module.text(at.type));
  if (!at.sourceTarget.empty()) text += fmt::format(", exported from `{}`", printable(module.text(at.sourceTarget)));
  text += '\n';
  for (const ir::Kernel& kernel : cover_.kernels) {
    if (std::find(kernel.ops.begin(), kernel.ops.end(), op) == kernel.ops.end()) continue;
    text += fmt::format("  in kernel {}, which has {}\n", printable(kernelTitle(module, kernel)),
                        plural(std::count(kernelOf_.begin(), kernelOf_.end(), kernel.id), "event"));
  }
  if (const UnitId unit = search.program.unitOf(op); unit != kNoUnit)
    text += fmt::format("  that no call runs it costs {} nats\n", nats(search.program.units()[unit].skip));
  bool any = false;
  forEachDistinctCall([&](const Place& place) {
    for (const Option& option : search.scorer.options(search.kind(place.segment, place.call))) {
      const auto& ops = binder_.graph_.alternatives()[option.alternative].ops;
      if (!std::binary_search(ops.begin(), ops.end(), op)) continue;
      if (!any) text += "  calls that it may be, with the log-odds in nats and where they went:\n";
      any = true;
      text += fmt::format("    {} {}; {}\n", nats(ownScore(place, option)), describeCall(place),
                          outcome(callAt(place).events.front()));
    }
  });
  if (!any) text += "  no call of the trace agrees with it\n";
  return text;
}

std::vector<std::string> TimelineBinder::Explainer::ofCalls() const {
  std::vector<std::string> lines;
  forEachDistinctCall([&](const Place& place) {
    lines.push_back(fmt::format("{}; {}; probability: {}; decided by {}", describeCall(place),
                                outcome(callAt(place).events.front()), probabilities(place), decidedBy(place)));
  });
  return lines;
}

}  // namespace amdahlc::binding
