/// The registry of all passes of amdahlc: `passes/passes.def` as a value.
#pragma once

#include "passes/manager/registry.h"

namespace amdahlc {

const PassRegistry& allPasses();

}  // namespace amdahlc
