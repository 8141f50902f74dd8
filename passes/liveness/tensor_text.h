/// Tensors and kernels as outputs write them.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"

namespace amdahlc {

/// The name of a value in its model; of a value in a body, behind the operator and the branch: `loop/body/x`.
std::string tensorName(const ir::Module& module, ir::ValueId value);

/// `1.46 MiB`, `640 B`: three digits, units of 1024.
std::string formatBytes(int64_t bytes);

}  // namespace amdahlc
