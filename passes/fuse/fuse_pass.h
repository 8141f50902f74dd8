/// The pass `fuse`: groups operators into the kernels that rules describe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/fuse/enumeration.h"
#include "passes/fuse/matcher.h"
#include "passes/manager/pass.h"

namespace amdahlc {

class FusePass : public Pass {
 public:
  FusePass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  /// The rules to explain, without attempts yet; nullopt after an error.
  std::optional<std::map<ir::RuleId, RuleAttempts>> rulesToExplain(const ir::Module& module,
                                                                   PassContext& context) const;

  int64_t maxMatchesPerRoot_ = MatchLimits{}.matchesPerRoot;
  int64_t maxStepsPerRoot_ = MatchLimits{}.stepsPerRoot;
  /// Names of rules.
  std::vector<std::string> explain_;
  int64_t& attempts_;
  int64_t& steps_;
  int64_t& candidates_;
  int64_t& kernels_;
  int64_t& covered_;
  int64_t& truncatedRoots_;
};

}  // namespace amdahlc
