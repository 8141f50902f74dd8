/// What may happen around passes: printing, verifying, timing. Each kind is a class of its own; the manager only calls them.
#pragma once

#include "ir/module.h"
#include "passes/manager/pass.h"
#include "passes/manager/registry.h"

namespace amdahlc {

class PassInstrumentation {
 public:
  virtual ~PassInstrumentation() = default;
  virtual void beforePass(const PassInfo&, const ir::Module&) {}
  /// False stops the pipeline; whoever returns it has reported why.
  virtual bool afterPass(const PassInfo&, const Pass&, const ir::Module&, const PassResult&) { return true; }
  virtual void beforeAnalysis(const char* /*name*/) {}
  virtual void afterAnalysis(const char* /*name*/) {}
};

}  // namespace amdahlc
