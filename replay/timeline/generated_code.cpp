#include "replay/timeline/generated_code.h"

#include "replay/runtimes/runtime.h"

namespace amdahlc {

IdVector<HostEventId, bool> generatedCode(const Timeline& timeline, const HostFacts& host) {
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  struct Meaning {
    bool isGenerated, isStep;
  };
  SymbolMemo<Meaning> meanings(timeline.strings);
  IdVector<HostEventId, bool> found(host.size(), false), states(host.size(), false), holds(host.size(), false);
  for (const HostEventId event : host.kind.ids()) {
    // The call of a compiled graph is an annotation.
    const bool isOperator = host.kind[event] == EventKind::Operator;
    if (!isOperator && host.kind[event] != EventKind::Annotation) continue;
    const Meaning& meaning = meanings.of(host.name[event], [&](std::string_view text) {
      return Meaning{runtime.isGeneratedCode(text), runtime.isStepOfRegion(text)};
    });
    found[event] = isOperator && meaning.isGenerated;
    if (!meaning.isGenerated && !meaning.isStep) continue;
    IdVector<HostEventId, bool>& marks = meaning.isStep ? states : holds;
    for (HostEventId at = host.parent[event]; !at.isNone() && !marks[at]; at = host.parent[at]) marks[at] = true;
  }
  for (const HostEventId event : host.kind.ids())
    if (states[event] && !holds[event]) found[event] = false;
  return found;
}

}  // namespace amdahlc
