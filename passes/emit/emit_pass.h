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
  /// What an output may set for itself.
  struct Looks {
    std::string fold = "auto", rankdir = "TB", stat = "mean", segments = "auto";
    bool docStrings = false;
    int64_t top = 0;
  } looks_;
  int64_t regressionLimit_ = 0;
  bool singleKernels_ = false;
};

}  // namespace amdahlc
