/// The adapters of runtimes, each in a file of its own. Others ask `runtimeAdapter` for them.
#pragma once

#include "replay/runtimes/runtime.h"

namespace amdahlc {

const RuntimeAdapter& onnxRuntimeAdapter();
const RuntimeAdapter& pyTorchAdapter();
const RuntimeAdapter& tensorRtAdapter();

}  // namespace amdahlc
