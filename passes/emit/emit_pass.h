/// The pass `emit`: renders what the module knows as outputs for people and programs.
#pragma once

#include <string>
#include <vector>

#include "passes/manager/pass.h"

namespace amdahlc {

class EmitPass : public Pass {
 public:
  EmitPass();
  PassResult run(ir::Module& module, PassContext& context) override;

  /// A kind of output: its name, one line for help, and the facet without which it cannot exist.
  struct Kind {
    std::string_view name;
    std::string_view summary;
    std::optional<ir::Facet> needs;
  };
  static const std::vector<Kind>& kinds();

 private:
  std::vector<std::string> outputs_;  ///< `kind` or `kind=path`
  int64_t& written_;
};

}  // namespace amdahlc
