/// The pass `emit`: renders the facts of the module as outputs for people and programs.
#pragma once

#include <string>
#include <vector>

#include "passes/manager/pass.h"

namespace amdahlc {

class EmitPass : public Pass {
 public:
  EmitPass();
  PassResult run(ir::Module& module, PassContext& context) override;
  /// Adds the option `output`, which accepts the kinds of all passes.
  void completeOptions(const PassRegistry& registry) override;

 private:
  void declareOptionsOfPictures();
  void declareOptionsOfReports();

  std::vector<OutputKind> kinds_;
  std::vector<ReportSection> sections_;
  std::vector<OutputRequest> outputs_;
  int64_t& written_;
  std::string fold_ = "auto", rankdir_ = "TB";
  bool docStrings_ = false;
  std::string stat_ = "mean", segments_ = "auto";
  int64_t top_ = 0, regressionLimit_ = 0;
  bool singleKernels_ = false;
};

}  // namespace amdahlc
