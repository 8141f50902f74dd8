#include "replay/runtimes/phase.h"

#include <algorithm>
#include <iterator>

#include "support/case_folding.h"

namespace amdahlc {
namespace {

struct Statement {
  std::string_view text;
  Phase phase;
};
/// In lower case, without the marks around them.
constexpr Statement kStatements[] = {
    {"forward", Phase::Forward},          {"forward pass", Phase::Forward},     {"fwd", Phase::Forward},
    {"backward", Phase::Backward},        {"backward pass", Phase::Backward},   {"bwd", Phase::Backward},
    {"optimizer", Phase::Optimizer},      {"optimizer step", Phase::Optimizer}, {"optimizer.step", Phase::Optimizer},
    {"optimizer_step", Phase::Optimizer}, {"zero_grad", Phase::Optimizer},      {"copy_batch_to_gpu", Phase::Data},
    {"data loading", Phase::Data},        {"dataloader", Phase::Data},          {"load_batch", Phase::Data},
};

}  // namespace

Phase phaseStatedBy(std::string_view annotation) {
  constexpr std::string_view kMarks = "# ";
  const size_t first = annotation.find_first_not_of(kMarks);
  if (first == std::string_view::npos) return Phase::Other;
  annotation = annotation.substr(first, annotation.find_last_not_of(kMarks) + 1 - first);
  const auto* found =
      std::ranges::find_if(kStatements, [&](const Statement& one) { return equalIgnoringCase(one.text, annotation); });
  return found == std::end(kStatements) ? Phase::Other : found->phase;
}

}  // namespace amdahlc
