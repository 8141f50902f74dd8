#include "ir/facets/bound.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>

#include "ir/invariants.h"
#include "ir/text/printers.h"
#include "ir/text/reader.h"
#include "support/edit_distance.h"

namespace amdahlc::ir {

namespace {

/// By bit.
constexpr std::string_view kEvidence[] = {"name", "operator", "shape", "module", "order", "node", "call"};
static_assert(static_cast<EvidenceSet>(Evidence::Call) == 1u << (std::size(kEvidence) - 1));

}  // namespace

std::string describe(EvidenceSet evidence) {
  std::string out;
  for (size_t bit = 0; bit < std::size(kEvidence); ++bit)
    if ((evidence >> bit & 1u) != 0) out.append(out.empty() ? "" : "+").append(kEvidence[bit]);
  return out;
}

namespace {

void printReason(TextWriter& out, const Module& module, const UnboundReason& reason) {
  const UnboundReasonInfo& row = info(reason.kind);
  out << ' ' << row.keyword;
  switch (row.argument) {
    case ReasonArgument::None:
      return;
    case ReasonArgument::Name:
      (out << ' ').quoted(reason.name);
      return;
    case ReasonArgument::Rule:
    case ReasonArgument::RuleAndCount:
      (out << " @").name(module.rules.rules[reason.rule].name);
      if (row.argument == ReasonArgument::RuleAndCount) out << " kernels " << reason.kernels;
      return;
    case ReasonArgument::Rivals:
      out << " kernel " << reason.kernel << ' ' << reason.permille;
      if (reason.rival != kNone) out << " kernel " << reason.rival << ' ' << reason.rivalPermille;
      return;
  }
}

/// The kinds of evidence that a trace may record, by their words in IR text.
constexpr std::pair<std::string_view, bool RecordedEvidence::*> kRecorded[] = {
    {"operators", &RecordedEvidence::operators}, {"shapes", &RecordedEvidence::shapes},
    {"frames", &RecordedEvidence::frames},       {"marks", &RecordedEvidence::marks},
    {"nodes", &RecordedEvidence::nodes},         {"calls", &RecordedEvidence::calls}};

void printFit(TextWriter& out, const ModelFit& fit) {
  out.line() << "model " << name(fit) << " forwards " << fit.forwards << " millibits " << fit.millibitsPerCall
             << " calls " << fit.callsPermille << " units " << fit.unitsPermille;
  if (fit.weightsPermille) out << " weights " << *fit.weightsPermille;
  out << " recorded";
  bool none = true;
  for (const auto& [word, member] : kRecorded) {
    if (!(fit.evidence.*member)) continue;
    out << ' ' << word;
    none = false;
  }
  if (none) out << " none";
}

}  // namespace

std::string_view name(const ModelFit& fit) {
  if (fit.namesOnly) return "untested";
  return fit.fits ? "fits" : "differs";
}

OpId loopAround(const Module& module, GraphId graph) {
  OpId parent = module.graphs[graph].parent;
  // A branch of `If` runs as often as what is around it.
  while (parent != kNone && module.text(module.ops[parent].type) == "If")
    parent = module.graphs[module.ops[parent].graph].parent;
  return parent;
}

IdVector<OpId, std::optional<int64_t>> tripsOfLoops(const Module& module, const Cover& cover) {
  IdVector<OpId, std::optional<int64_t>> trips(module.ops.size(), std::nullopt);
  const auto* bound = cover.facets.get<BoundFacet>();
  for (const Kernel& kernel : cover.kernels)
    if (bound != nullptr && bound->kernels[kernel.id].tripCount)
      for (const OpId op : kernel.ops) trips[op] = bound->kernels[kernel.id].tripCount;
  return trips;
}

std::vector<KernelId> eventOwners(const Timeline& timeline, const BoundFacet& facts) {
  std::vector<KernelId> owners(timeline.size());
  for (const KernelId kernel : facts.kernels.ids())
    for (const BoundEvent& bound : facts.kernels[kernel].events) owners[bound.event] = kernel;
  return owners;
}

void BoundFacet::print(TextWriter& out, const FacetOwner& owner) const {
  if (fit) printFit(out, *fit);
  for (const KernelId id : kernels.ids()) {
    const KernelBinding& kernel = kernels[id];
    out.line() << "kernel " << id << ' ' << keyword(kernel.state);
    if (kernel.missReason) out << " reason " << keyword(*kernel.missReason);
    if (kernel.tripCount) out << " trips " << *kernel.tripCount;
    if (!kernel.events.empty()) out.open();
    printLabel(out, owner, id);
    if (kernel.events.empty()) continue;
    for (const BoundEvent& bound : kernel.events) {
      out.line() << "event " << bound.event << ' ' << (bound.evidence == 0 ? "none" : describe(bound.evidence)) << ' '
                 << bound.confidencePermille;
    }
    out.close();
  }
  for (const UnboundEvent& event : unbound) {
    out.line() << "unbound " << event.event;
    if (event.scope != kRootScope) (out << " scope ").name(owner.module.scopePath(event.scope));
    printReason(out, owner.module, event.reason);
  }
  for (const ForwardExtent& forward : forwards) out.line() << "forward " << forward.first << ' ' << forward.last;
}

namespace {

/// The index of the word that is read; 0 after an error.
size_t parseWord(TextReader& in, std::span<const std::string_view> words) {
  const auto found = std::ranges::find_if(words, [&](std::string_view word) { return in.accept(word); });
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  in.failExpected({words.begin(), words.end()});
  return 0;
}

EvidenceSet parseEvidence(TextReader& in) {
  EvidenceSet evidence = 0;
  if (in.accept("none")) return evidence;
  do evidence |= static_cast<EvidenceSet>(1u << parseWord(in, kEvidence));
  while (in.accept("+"));
  return evidence;
}

uint16_t parsePermille(TextReader& in, const char* what) {
  const SourceRange where = in.here();
  const uint32_t permille = in.index(what);
  if (permille > 1000) in.failAt(where, std::string(what) + " of " + number(permille) + "; the most is 1000");
  return static_cast<uint16_t>(permille);
}

std::pair<KernelId, uint16_t> parseRival(TextReader& in) {
  in.expect("kernel");
  const KernelId kernel(in.index("a kernel's number"));
  return {kernel, parsePermille(in, "a probability in thousandths")};
}

ModelFit parseFit(TextReader& in) {
  ModelFit fit;
  fit.fits = in.accept("fits");
  fit.namesOnly = !fit.fits && in.accept("untested");
  if (!fit.fits && !fit.namesOnly && !in.accept("differs")) in.failExpected({"fits", "differs", "untested"});
  in.expect("forwards");
  fit.forwards = in.index("a number of forwards");
  in.expect("millibits");
  fit.millibitsPerCall = in.integer("thousandths of a bit");
  in.expect("calls");
  fit.callsPermille = parsePermille(in, "a share in thousandths");
  in.expect("units");
  fit.unitsPermille = parsePermille(in, "a share in thousandths");
  if (in.accept("weights")) fit.weightsPermille = parsePermille(in, "a share in thousandths");
  in.expect("recorded");
  if (!in.accept("none"))
    for (const auto& [word, member] : kRecorded) fit.evidence.*member = in.accept(word);
  return fit;
}

BoundEvent parseBoundEvent(TextReader& in) {
  BoundEvent bound;
  in.expect("event");
  bound.event = in.index("an event's number");
  bound.evidence = parseEvidence(in);
  bound.confidencePermille = parsePermille(in, "a confidence in thousandths");
  return bound;
}

MissReason parseMissReason(TextReader& in) {
  std::vector<std::string_view> keywords;
  for (const MissReasonInfo& known : allMissReasons()) keywords.push_back(known.keyword);
  return allMissReasons()[parseWord(in, keywords)].reason;
}

RuleId parseRule(TextReader& in, const Module& module) {
  const SourceRange where = in.here();
  in.expect("@");
  const std::string name = in.nameOrString("a rule's name");
  std::vector<std::string> names;
  for (const RuleId rule : module.rules.rules.ids()) {
    if (module.rules.rules[rule].name == name) return rule;
    names.push_back(module.rules.rules[rule].name);
  }
  in.unknown(where, "no rule `@" + name + "`" + didYouMean(name, names));
  return kNone;
}

ScopeId parseScope(TextReader& in, const Module& module) {
  const SourceRange where = in.here();
  const std::string path = in.nameOrString("a module scope");
  const ScopeId scope = module.findScope(path);
  if (scope != kNone) return scope;
  in.unknown(where, "no operator is in scope `" + path + "`");
  return kRootScope;
}

UnboundReason parseReason(TextReader& in, const Module& module) {
  UnboundReason reason;
  std::vector<std::string_view> keywords;
  for (const UnboundReasonInfo& row : allUnboundReasons()) keywords.push_back(row.keyword);
  const UnboundReasonInfo& row = allUnboundReasons()[parseWord(in, keywords)];
  if (in.failed()) return reason;
  reason.kind = row.kind;
  if (row.argument == ReasonArgument::Name) reason.name = in.string("a name");
  if (row.argument == ReasonArgument::Rule || row.argument == ReasonArgument::RuleAndCount)
    reason.rule = parseRule(in, module);
  if (row.argument == ReasonArgument::RuleAndCount) {
    in.expect("kernels");
    reason.kernels = in.integer("a number of kernels");
  }
  if (row.argument == ReasonArgument::Rivals) {
    std::tie(reason.kernel, reason.permille) = parseRival(in);
    if (in.at("kernel")) std::tie(reason.rival, reason.rivalPermille) = parseRival(in);
  }
  return reason;
}

}  // namespace

void BoundFacet::parseStatement(TextReader& in, const FacetOwner& owner) {
  const SourceRange where = in.here();
  if (in.accept("model")) {
    if (fit) in.failAt(where, "a second statement `model`");
    fit = parseFit(in);
  } else if (in.accept("kernel")) {
    in.ordinal("a kernel's id", "kernel", kernels.size());
    KernelBinding kernel;
    kernel.state = static_cast<KernelState>(parseWord(in, kKernelStates));
    if (in.accept("reason")) kernel.missReason = parseMissReason(in);
    if (in.accept("trips")) kernel.tripCount = in.integer("a number of trips");
    if (in.at("{")) in.block([&] { kernel.events.push_back(parseBoundEvent(in)); });
    kernels.push_back(std::move(kernel));
  } else if (in.accept("unbound")) {
    UnboundEvent event;
    event.event = in.index("an event's number");
    if (in.accept("scope")) event.scope = parseScope(in, owner.module);
    event.reason = parseReason(in, owner.module);
    unbound.push_back(std::move(event));
  } else if (in.accept("forward")) {
    const EventIndex first = in.index("an event's number");
    forwards.push_back({first, in.index("an event's number")});
  } else {
    in.failExpected({"model", "kernel", "unbound", "forward"});
  }
}

void BoundFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  reporter.rows(kFacet, kernels.size());
  if (kernels.size() != owner.cover.kernels.size()) return;
  if (!fit) reporter.cover("no statement `model` about the binding");
  const Timeline& timeline = *owner.timeline;
  std::vector<bool> served(timeline.size(), false);
  size_t servedCount = 0;
  const auto serve = [&](EventIndex event) {
    if (event >= timeline.size() || !timeline.isSelected(event))
      return reporter.cover("event " + number(event) + " is not a selected device event");
    if (served[event]) return reporter.cover("event " + number(event) + " twice");
    served[event] = true;
    ++servedCount;
  };
  for (const KernelId id : kernels.ids()) {
    const KernelBinding& kernel = kernels[id];
    EventIndex previous = kNoEvent;
    for (const BoundEvent& bound : kernel.events) {
      if (previous != kNoEvent && bound.event <= previous) reporter.kernel(id, "events not ascending");
      previous = bound.event;
      if (bound.confidencePermille > 1000) reporter.kernel(id, "confidence above 1000");
      serve(bound.event);
    }
    const std::string state = '`' + std::string(keyword(kernel.state)) + '`';
    if (!kernel.events.empty() && kernel.state != KernelState::Bound) reporter.kernel(id, "events, but " + state);
    if (kernel.state != KernelState::Unbound && kernel.missReason)
      reporter.kernel(id, "a reason to be missed, but " + state);
    if (kernel.missReason && info(*kernel.missReason).ofRule &&
        *info(*kernel.missReason).ofRule != owner.cover.kernels[id].candidate.has_value())
      reporter.kernel(id, "missed for a rule that it does not have, or without one although it has");
    const bool control = !owner.module.ops[owner.cover.kernels[id].anchor()].regions.empty();
    if (kernel.state == KernelState::Bound && kernel.events.empty() && !control)
      reporter.kernel(id, "bound, but without events");
  }
  EventIndex previous = kNoEvent;
  for (const UnboundEvent& event : unbound) {
    if (previous != kNoEvent && event.event <= previous) reporter.cover("unbound events not ascending");
    previous = event.event;
    serve(event.event);
    if (!owner.module.scopes.contains(event.scope)) reporter.cover("event " + number(event.event) + " in no scope");
    const ReasonArgument argument = info(event.reason.kind).argument;
    const bool namesRule = argument == ReasonArgument::Rule || argument == ReasonArgument::RuleAndCount;
    if (namesRule && !owner.module.rules.rules.contains(event.reason.rule))
      reporter.cover("event " + number(event.event) + " unbound for a rule that does not exist");
    if (argument != ReasonArgument::Rivals) continue;
    if (!kernels.contains(event.reason.kernel) ||
        (event.reason.rival != kNone && !kernels.contains(event.reason.rival)))
      reporter.cover("event " + number(event.event) + " ambiguous for a kernel that does not exist");
  }
  for (const auto& [first, last] : forwards) {
    const bool areSelected =
        std::max(first, last) < timeline.size() && timeline.isSelected(first) && timeline.isSelected(last);
    if (!areSelected || timeline.iteration[first] != timeline.iteration[last])
      reporter.cover("a forward from event " + number(first) + " to " + number(last) + ", not both of one iteration");
  }
  size_t selected = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) selected += timeline.isSelected(event) ? 1 : 0;
  if (servedCount != selected)
    reporter.cover(number(servedCount) + " of " + number(selected) + " selected events are bound or listed as unbound");
}

}  // namespace amdahlc::ir
