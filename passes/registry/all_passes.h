/// The registry of all passes of amdahlc: `passes/passes.def` as a value.
#pragma once

#include "passes/manager/registry.h"

namespace amdahlc {

PassRegistry allPasses();

}  // namespace amdahlc
