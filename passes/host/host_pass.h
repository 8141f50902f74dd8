/// The pass `host`: what the operators and calls of the host cost, and what the streams of the device do.
#pragma once

#include <cstdint>
#include <string>

#include "passes/manager/pass.h"

namespace amdahlc {

class HostPass : public Pass {
 public:
  HostPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t recordingNs_ = 0;
  int64_t batchSize_ = 0;
  std::string overheads_ = "recorded";
  int64_t& runs_;
  int64_t& operators_;
  int64_t& streams_;
};

}  // namespace amdahlc
