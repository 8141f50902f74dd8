/// Tensors and kernels as outputs write them.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"

namespace amdahlc {

/// The name of a value in its model; of a value in a body, behind the operator and the branch: `loop/body/x`.
std::string tensorName(const ir::Module& module, ir::ValueId value);

/// `f32[64, 64]`, `i64[batch, ?]`, `f32[*]` for an unknown rank: element types as PyTorch abbreviates them.
std::string tensorDimensions(const ir::Type& type);

/// `1.46 MiB`, `640 B`: three digits, units of 1024.
std::string shownBytes(int64_t bytes);

}  // namespace amdahlc
