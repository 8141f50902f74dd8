#include "passes/registry/all_passes.h"

#include "pass_headers.inc"

namespace amdahlc {

PassRegistry allPasses() {
  return PassRegistry({
#define AMDAHLC_PASS(NAME, CLASS, SUMMARY) PassInfo{NAME, SUMMARY, [] { return std::make_unique<CLASS>(); }},
#include "passes/passes.def"
  });
}

}  // namespace amdahlc
