#include "passes/manager/verifying.h"

#include <fmt/format.h>

#include "ir/text.h"
#include "ir/verifier.h"

namespace amdahlc {
namespace {

std::string noteAfter(const PassRun& run) {
  return fmt::format("found after pass `{}`; this is a bug in amdahlc, not in its input", run.info.name);
}

}  // namespace

void IrVerifying::beforePass(const PassRun& run) { textBefore_ = ir::print(run.module); }

bool IrVerifying::afterPass(const PassRun& run, const PassResult& result) {
  // The verifier knows no pass, so the name of the pass is added to its diagnostics.
  DiagnosticEngine local([&](const Diagnostic& found) {
    Diagnostic diagnostic = found;
    diagnostic.notes.push_back(noteAfter(run));
    diagnostics_.report(diagnostic);
  });
  if (!ir::verify(run.module, local)) return false;
  if (result.kind != PassResult::Kind::Unchanged || ir::print(run.module) == textBefore_) return true;
  diagnostics_
      .error(DiagId::IrInvariant, {},
             fmt::format("pass `{}` reported `unchanged` and changed the module", run.info.name))
      .note(noteAfter(run));
  return false;
}

bool AnalysisVerifying::afterPass(const PassRun& run, const PassResult&) {
  const std::vector<std::string> stale = run.analyses.findStale();
  for (const std::string& analysis : stale)
    diagnostics_
        .error(DiagId::IrInvariant, {},
               fmt::format("{} is stale; pass `{}` claims to preserve it", analysis, run.info.name))
        .note(noteAfter(run));
  return stale.empty();
}

}  // namespace amdahlc
