#include "passes/registry/all_passes.h"

#include "pass_headers.inc"

namespace amdahlc {

const PassRegistry& allPasses() {
  static const PassRegistry registry({
#define AMDAHLC_PASS(NAME, CLASS, SUMMARY) PassInfo{NAME, SUMMARY, [] { return std::make_unique<CLASS>(); }},
#include "passes/passes.def"
  });
  return registry;
}

}  // namespace amdahlc
