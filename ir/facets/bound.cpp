#include "ir/facets/bound.h"

#include "ir/facets/kernel_rows.h"
#include "ir/text/printers.h"
#include "support/edit_distance.h"

namespace amdahlc::ir {

template <>
std::unique_ptr<StoredFacet> makeFacet<Facet::Bound>() {
  return std::make_unique<BoundFacet>();
}

std::string toString(EvidenceSet evidence) {
  static constexpr std::pair<Evidence, const char*> kNames[] = {{Evidence::Name, "name"},
                                                                {Evidence::Operator, "operator"},
                                                                {Evidence::Shape, "shape"},
                                                                {Evidence::Module, "module"},
                                                                {Evidence::Order, "order"}};
  std::string out;
  for (const auto& [bit, word] : kNames) {
    if ((evidence & static_cast<EvidenceSet>(bit)) == 0) continue;
    if (!out.empty()) out += '+';
    out += word;
  }
  return out;
}

std::string_view name(KernelState state) {
  switch (state) {
    case KernelState::Unbound:
      return "unbound";
    case KernelState::Bound:
      return "bound";
    case KernelState::NoDeviceWork:
      return "no-device-work";
    case KernelState::NotExecuted:
      return "not-executed";
  }
  return {};
}

void BoundFacet::print(TextWriter& out, const FacetOwner& owner) const {
  for (const KernelId id : kernels.ids()) {
    const KernelBinding& kernel = kernels[id];
    out.line() << "kernel " << id << ' ' << name(kernel.state);
    if (!kernel.missReason.empty()) (out << " reason ").quoted(kernel.missReason);
    if (kernel.tripCount) out << " trips " << *kernel.tripCount;
    if (!kernel.events.empty()) out.open();
    printLabel(out, owner, id);
    if (kernel.events.empty()) continue;
    for (const BoundEvent& bound : kernel.events) {
      out.line() << "event " << bound.event << ' ' << (bound.evidence == 0 ? "none" : toString(bound.evidence)) << ' '
                 << bound.confidencePermille;
    }
    out.close();
  }
  for (const UnboundEvent& event : unbound) {
    (out.line() << "unbound " << event.event << ' ').name(event.category);
    if (!event.scope.empty()) (out << " scope ").name(event.scope);
    (out << ' ').quoted(event.reason);
  }
}

namespace {

EvidenceSet parseEvidence(TextReader& in) {
  EvidenceSet evidence = 0;
  if (in.accept("none")) return evidence;
  do {
    bool known = false;
    for (const Evidence bit :
         {Evidence::Name, Evidence::Operator, Evidence::Shape, Evidence::Module, Evidence::Order}) {
      if (known = in.accept(toString(static_cast<EvidenceSet>(bit))); !known) continue;
      evidence |= static_cast<EvidenceSet>(bit);
      break;
    }
    if (!known) {
      in.failExpected({"name", "operator", "shape", "module", "order"});
      return evidence;
    }
  } while (in.accept("+"));
  return evidence;
}

BoundEvent parseBoundEvent(TextReader& in) {
  BoundEvent bound;
  in.expect("event");
  bound.event = in.index("an event's number");
  bound.evidence = parseEvidence(in);
  const SourceRange where = in.here();
  const uint32_t confidence = in.index("a confidence in thousandths");
  if (confidence > 1000) in.failAt(where, "confidence " + number(confidence) + "; the most is 1000");
  bound.confidencePermille = static_cast<uint16_t>(confidence);
  return bound;
}

KernelState parseState(TextReader& in) {
  for (uint8_t row = 0; row < kKernelStateCount; ++row) {
    if (in.accept(name(static_cast<KernelState>(row)))) return static_cast<KernelState>(row);
  }
  in.failExpected({name(KernelState::Unbound), name(KernelState::Bound), name(KernelState::NoDeviceWork),
                   name(KernelState::NotExecuted)});
  return KernelState::Unbound;
}

}  // namespace

void BoundFacet::parseStatement(TextReader& in, const FacetOwner&) {
  if (in.accept("kernel")) {
    parseKernelId(in, kernels.nextId());
    KernelBinding kernel;
    kernel.state = parseState(in);
    if (in.accept("reason")) kernel.missReason = in.string("a reason");
    if (in.accept("trips")) kernel.tripCount = in.integer("a number of trips");
    if (in.at("{")) in.block([&] { kernel.events.push_back(parseBoundEvent(in)); });
    kernels.push_back(std::move(kernel));
  } else if (in.accept("unbound")) {
    UnboundEvent event;
    event.event = in.index("an event's number");
    event.category = in.nameOrString("a class");
    if (in.accept("scope")) event.scope = in.nameOrString("a module scope");
    event.reason = in.string("a reason");
    unbound.push_back(std::move(event));
  } else {
    in.failExpected({"kernel", "unbound"});
  }
}

void BoundFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  verifyRowCount(owner, kFacet, kernels.size(), reporter);
  if (kernels.size() != owner.cover.kernels.size()) return;
  const Timeline& timeline = *owner.timeline;
  std::vector<bool> served(timeline.size(), false);
  size_t servedCount = 0;
  const auto serve = [&](EventIndex event) {
    if (event >= timeline.size() || !timeline.isSelected(event))
      return reporter.cover("event " + number(event) + " is no selected device event");
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
    const std::string state = '`' + std::string(name(kernel.state)) + '`';
    if (!kernel.events.empty() && kernel.state != KernelState::Bound) reporter.kernel(id, "events, but " + state);
    if (kernel.state != KernelState::Unbound && !kernel.missReason.empty())
      reporter.kernel(id, "a reason to be missed, but " + state);
    const bool control = !owner.module.ops[owner.cover.kernels[id].anchor()].regions.empty();
    if (kernel.state == KernelState::Bound && kernel.events.empty() && !control)
      reporter.kernel(id, "bound, but without events");
  }
  EventIndex previous = kNoEvent;
  for (const UnboundEvent& event : unbound) {
    if (previous != kNoEvent && event.event <= previous) reporter.cover("unbound events not ascending");
    previous = event.event;
    serve(event.event);
  }
  size_t selected = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) selected += timeline.isSelected(event) ? 1 : 0;
  if (servedCount != selected)
    reporter.cover(number(servedCount) + " of " + number(selected) + " selected events are bound or listed as unbound");
}

}  // namespace amdahlc::ir
