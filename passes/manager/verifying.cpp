#include "passes/manager/verifying.h"

#include "ir/text.h"
#include "ir/verifier.h"

namespace amdahlc {

void Verifying::beforePass(const PassInfo&, const ir::Module& module) { textBefore_ = ir::print(module); }

bool Verifying::afterPass(const PassInfo& info, const Pass&, const ir::Module& module, const PassResult& result) {
  const std::string note = "found after pass `" + info.name + "`; this is a bug in amdahlc, not in its input";
  // The verifier knows no passes, so what it finds is passed on with the name of the pass.
  DiagnosticEngine local([&](const Diagnostic& found) {
    Diagnostic diagnostic = found;
    diagnostic.notes.push_back(note);
    diagnostics_.report(std::move(diagnostic));
  });
  if (!ir::verify(module, local)) return false;
  if (result.kind != PassResult::Kind::Unchanged || ir::print(module) == textBefore_) return true;
  diagnostics_.error(DiagId::IrInvariant, {}, "pass `" + info.name + "` reported `unchanged` and changed the module")
      .note(note);
  return false;
}

}  // namespace amdahlc
