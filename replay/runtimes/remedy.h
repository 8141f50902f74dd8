/// What makes runs faster, as kinds. How a person does it differs between runtimes: `RuntimeAdapter::remedy`.
#pragma once

#include <cstdint>

namespace amdahlc {

enum class Remedy : uint8_t {
  /// One call computes attention.
  FuseAttention,
  /// A compiler makes one kernel of several operators.
  Compile,
  /// One launch for a sequence of kernels.
  Graph,
  /// Copies beside other work.
  OverlapCopies,
  /// Products in a type of 16 bits.
  NarrowTypes,
  /// Input is prepared beside the iterations that use it.
  LoadAhead,
};

}  // namespace amdahlc
