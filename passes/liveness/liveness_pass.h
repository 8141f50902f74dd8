/// The pass `liveness`: how long each tensor lives, how much memory that takes, and what could free some of it.
#pragma once

#include <cstdint>

#include "passes/manager/pass.h"

namespace amdahlc {

class LivenessPass : public Pass {
 public:
  LivenessPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  /// What PCI Express 3.0 x16 carries in practice of its 15.75 GB/s: the slowest way from a GPU to the memory of its
  /// host that is common, so that what is worth moving here is worth it on any other.
  int64_t offloadBytesPerS_ = 12'000'000'000;
  int64_t& tensors_;
  int64_t& periods_;
};

}  // namespace amdahlc
