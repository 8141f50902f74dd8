/// Explains decisions of one finished search: what decided about events and nodes, as text for people.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/facets/bound.h"
#include "passes/manager/analysis.h"
#include "passes/trace_bind/aligned_run.h"
#include "passes/trace_bind/fit_text.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::binding {

using ir::OpId;

namespace {

/// In nats: `+6.12`.
std::string nats(Score score) { return fmt::format("{:+.2f}", score / 100.0); }

/// A margin below this is none: alternatives of equal evidence differ by the order of choice.
constexpr Score kTie = 50;

class Explainer {
  using Place = Search::Place;

 public:
  Explainer(const AlignedRun& run, uint16_t thresholdPermille, const ir::Cover& cover, const ir::BoundFacet& facts)
      : run_(run),
        search_(run.search),
        module_(search_.graph.module()),
        thresholdPermille_(thresholdPermille),
        cover_(cover),
        rankOf_(ranksOfSelected(search_.launches.timeline())),
        reasonOf_(rankOf_.size(), nullptr),
        kernelOf_(ir::eventOwners(search_.launches.timeline(), facts)) {
    for (const ir::UnboundEvent& unbound : facts.unbound) reasonOf_[unbound.event] = &unbound.reason;
  }

  /// The call of the selected event of that rank, its options with their scores, and what decided. Empty if there are
  /// not as many.
  std::string ofEvent(size_t rank) const {
    const Timeline& timeline = search_.launches.timeline();
    const std::vector<EventIndex> selected = timeline.selectedEvents();
    if (rank >= selected.size()) return {};
    const EventIndex event = selected[rank];
    std::string text = fmt::format("event {} `{}` ({} ns): {}\n", rank, printable(timeline.text(timeline.name[event])),
                                   timeline.durationNs[event], outcome(event));
    search_.eachCall([&](const Place& at) {
      if (std::ranges::binary_search(search_.call(at).events, event)) text += ofPlace(at);
    });
    return text;
  }

  /// The kernel of the operator, and the calls that have an option for it.
  std::string ofNode(OpId op) const {
    const ir::Op& at = module_.ops[op];
    std::string text = fmt::format("node {} ({})", printable(module_.displayName(op)), module_.text(at.type));
    if (!at.sourceTarget.empty()) text += fmt::format(", exported from `{}`", printable(module_.text(at.sourceTarget)));
    text += '\n';
    for (const ir::Kernel& kernel : cover_.kernels) {
      if (std::ranges::find(kernel.ops, op) == kernel.ops.end()) continue;
      text += fmt::format("  in kernel {}, which has {}\n", printable(kernelTitle(module_, kernel)),
                          plural(std::ranges::count(kernelOf_, kernel.id), "event"));
    }
    if (const UnitId unit = search_.program.unitOf(op); unit != kNoUnit)
      text += fmt::format("  that no call runs it costs {} nats\n",
                          nats(evidence::value(search_.program.units()[unit].skip)));
    bool any = false;
    forEachDistinctCall([&](const Place& place) {
      for (const Option& option : search_.options(place)) {
        const auto& ops = search_.graph.alternatives()[option.alternative].ops;
        if (!std::ranges::binary_search(ops, op)) continue;
        if (!any) text += "  calls that it may be, with the log-odds in nats and where they went:\n";
        any = true;
        text += fmt::format("    {} {}; {}\n", nats(ownScore(place, option)), describeCall(place),
                            outcome(search_.call(place).events.front()));
      }
    });
    if (!any) text += "  no call of the trace agrees with it\n";
    return text;
  }

  /// Adds a line for each call of each distinct segment: where it went, and by what margin.
  void ofCalls(std::vector<std::string>& lines) const {
    forEachDistinctCall([&](const Place& place) {
      lines.push_back(fmt::format("{}; {}; probability: {}; decided by {}", describeCall(place),
                                  outcome(search_.call(place).events.front()), probabilities(place), decidedBy(place)));
    });
  }

 private:
  /// Visits each call of the first segment of every alignment.
  template <typename Visit>
  void forEachDistinctCall(const Visit& visit) const {
    search_.eachDistinctCall([&](const Place& place) {
      if (!search_.call(place).events.empty()) visit(place);
    });
  }

  std::string ofPlace(const Place& place) const {
    std::string text = fmt::format("  call: {}\n  probability: {}\n  decided by: {}\n", describeCall(place),
                                   probabilities(place), decidedBy(place));
    const auto all = search_.options(place);
    std::vector<Option> options(all.begin(), all.end());
    std::ranges::stable_sort(options, std::greater(), [&](const Option& option) { return ownScore(place, option); });
    text += "  options, by log-odds in nats:\n";
    const auto& chosen = search_.binding(place).option;
    for (const Option& option : options) {
      const bool isChosen = chosen && chosen->alternative == option.alternative;
      text += fmt::format("    {} {}{}: evidence {}, module instance {}, step {}\n", nats(ownScore(place, option)),
                          kernelOf(option.alternative), isChosen ? " (chosen)" : "", nats(option.evidence),
                          nats(instanceEvidence(place, option)), nats(option.score - option.evidence));
    }
    return text + fmt::format("    {} no kernel{}\n", nats(unboundScore(place)), chosen ? "" : " (chosen)");
  }

  Score instanceEvidence(const Place& place, const Option& option) const {
    return search_.instanceBonus(run_.instances, place, option);
  }

  /// The evidence for the option, apart from the calls before and after it.
  Score ownScore(const Place& place, const Option& option) const {
    return option.score + instanceEvidence(place, option) + place.penalty();
  }
  Score unboundScore(const Place& place) const { return value(search_.scorer.unbound(search_.kind(place))); }

  std::string kernelOf(AlternativeId id) const {
    const ir::KernelId kernel = run_.chosen.kernelOf[id];
    if (kernel != ir::kNone) return fmt::format("kernel {}", printable(kernelTitle(module_, cover_.kernels[kernel])));
    const Alternative& alternative = search_.graph.alternatives()[id];
    const std::string_view rule = alternative.rule == kNoRule
                                      ? module_.text(module_.ops[alternative.anchor].type)
                                      : std::string_view(module_.rules.rules[alternative.rule].name);
    return fmt::format("\"{}\" at {}, which is not in the cover", rule,
                       printable(module_.displayName(alternative.anchor)));
  }

  std::string outcome(EventIndex event) const {
    if (const ir::UnboundReason* reason = reasonOf_[event])
      return fmt::format("{}: {}", ir::name(ir::info(reason->kind).state), ir::describe(module_, cover_, *reason));
    return fmt::format("bound to kernel {}", printable(kernelTitle(module_, cover_.kernels[kernelOf_[event]])));
  }

  std::string describeCall(const Place& place) const {
    const Call& call = search_.call(place);
    const Timeline& timeline = search_.launches.timeline();
    std::vector<std::string> operators;
    const Launch& first = search_.launches.launches(place.segment.iteration)[call.first];
    const auto& names = search_.launches.signature(first).operators;
    for (auto name = names.rbegin(); name != names.rend(); ++name) operators.push_back(printable(timeline.text(*name)));
    std::string text = operators.empty() ? "no operator" : fmt::format("{}", fmt::join(operators, " > "));
    if (const auto instance = search_.instance(place)) {
      text +=
          fmt::format(", module {}", printable(search_.launches.runtime().moduleInstance(timeline.text(*instance))));
      const auto scope = run_.instances.scopeOf(*instance);
      if (scope) text += fmt::format(" (scope `{}`)", printable(module_.scopePath(*scope)));
    }
    if (place.isOutside()) text += ", outside of the model";
    std::vector<size_t> ranks;
    for (const EventIndex event : call.events) ranks.push_back(rankOf_[event]);
    return text + fmt::format(", events {}", fmt::join(ranks, " "));
  }

  std::string probabilities(const Place& place) const {
    const CallBinding& binding = search_.binding(place);
    const Posterior& posterior = run_.probabilities[place.alignment][place.index];
    if (binding.leftover) return "paired after the alignment, against its order";
    std::string text;
    if (binding.option) text = fmt::format("the chosen one {:.3f}, ", posterior.chosen);
    if (posterior.otherAlternative != kNoAlternative)
      text += fmt::format("the next {:.3f} ({}), ", posterior.other, kernelOf(posterior.otherAlternative));
    return text + fmt::format("none {:.3f}", posterior.unbound);
  }

  std::string decidedBy(const Place& place) const {
    const CallBinding& binding = search_.binding(place);
    if (binding.leftover) return "its own evidence, after the alignment";
    const auto& chosen = binding.option;
    const auto options = search_.options(place);
    if (options.empty()) return "nothing in the graph agrees with the call";
    const Score unbound = unboundScore(place);
    if (!chosen) {
      const bool better =
          std::ranges::any_of(options, [&](const Option& option) { return ownScore(place, option) > unbound; });
      return better ? "the order of calls, because its options would skip or displace others" : "its own evidence";
    }
    const Option* rival = nullptr;
    for (const Option& option : options)
      if (option.unit != chosen->unit && (!rival || ownScore(place, option) > ownScore(place, *rival))) rival = &option;
    if (!rival) return "its own evidence, which leaves one kernel";
    const Score margin = ownScore(place, *chosen) - ownScore(place, *rival);
    const bool ambiguous = permille(run_.probabilities[place.alignment][place.index].chosen) < thresholdPermille_;
    if (margin < kTie)
      return ambiguous ? "nothing, because another kernel fits as well"
                       : "the order of calls, because its own evidence fits another kernel as well";
    const Score byModule = instanceEvidence(place, *chosen) - instanceEvidence(place, *rival);
    return byModule > margin / 2
               ? fmt::format("the module instance, with {} of a margin of {} nats", nats(byModule), nats(margin))
               : fmt::format("its own evidence, by a margin of {} nats", nats(margin));
  }

  const AlignedRun& run_;
  const Search& search_;
  const ir::Module& module_;
  uint16_t thresholdPermille_;
  const ir::Cover& cover_;
  /// By event: its rank among the selected ones; the reason why it belongs to no kernel, or its kernel.
  std::vector<size_t> rankOf_;
  std::vector<const ir::UnboundReason*> reasonOf_;
  std::vector<ir::KernelId> kernelOf_;
};

}  // namespace

void explain(const AlignedRun& run, const BindOptions& options, const ir::Cover& cover, const ir::BoundFacet& facts,
             BoundRun& result) {
  if (options.subjects.empty() && !options.explainsCalls) return;
  const Explainer explainer(run, options.thresholdPermille, cover, facts);
  for (const Subject& subject : options.subjects) {
    std::string& text = result.explanations.emplace_back();
    if (const auto* event = std::get_if<size_t>(&subject))
      text = explainer.ofEvent(*event);
    else
      for (const OpId op : std::get<std::vector<OpId>>(subject)) text += explainer.ofNode(op);
  }
  if (options.explainsCalls) explainer.ofCalls(result.debugLines);
}

}  // namespace amdahlc::binding
