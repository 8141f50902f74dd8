#include "passes/registry/all_passes.h"

namespace amdahlc {

// The file of each pass defines its function; one that is missing is an error of the linker.
#define AMDAHLC_PASS(NAME, CLASS, SUMMARY) std::unique_ptr<Pass> make##CLASS();
#include "passes/passes.def"

const PassRegistry& allPasses() {
  static const PassRegistry registry({
#define AMDAHLC_PASS(NAME, CLASS, SUMMARY) PassInfo{NAME, SUMMARY, make##CLASS},
#include "passes/passes.def"
  });
  return registry;
}

}  // namespace amdahlc
