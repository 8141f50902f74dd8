/// A pass that shows an analysis: it asks for it with the options of the pass, so that reports and later passes have
/// it, and tells what it found. It changes nothing.
#pragma once

#include <optional>

#include "passes/manager/pass.h"

namespace amdahlc {

template <typename A>
class ShowingPass : public Pass {
 public:
  PassResult run(ir::Module& module, PassContext& context) final {
    auto options = optionsFor(module, context);
    if (!options) return PassResult::failed();
    context.analyses.request<A>(std::move(*options));
    for (const ir::CoverId id : reportedCovers(module))
      if (const A* facts = context.analyses.requested<A>(id)) tell(module, id, *facts, context);
    return PassResult::unchanged();
  }

 private:
  /// nullopt after an error.
  virtual std::optional<OptionsOf<A>> optionsFor(const ir::Module&, PassContext&) { return OptionsOf<A>(); }
  /// Counts, and gives remarks and warnings.
  virtual void tell(const ir::Module&, ir::CoverId, const A&, PassContext&) {}
};

}  // namespace amdahlc
