/// Which events of the host run code that a compiler generated.
#pragma once

#include "replay/timeline/timeline.h"

namespace amdahlc {

/// By host event: whether it is an operator that runs generated code, so that its own time is that of several
/// operators. A region of the compiler without generated code inside of it is none if it states its steps: it calls
/// operators one by one. The host facts are those of the timeline, or of captures. Linear in the events.
IdVector<HostEventId, bool> generatedCode(const Timeline& timeline, const HostFacts& host);

}  // namespace amdahlc
