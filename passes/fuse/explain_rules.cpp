
#include <fmt/format.h>

#include <algorithm>

#include "passes/fuse/applicability.h"
#include "passes/fuse/fuse_remarks.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

// Causes and rivals that are listed; the rest is counted.
constexpr size_t kMaxListed = 8;

/// `3  operators that another rule took`, the most frequent first.
std::string listed(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < rows.size() && i < kMaxListed; ++i)
    text += fmt::format("{:>8}  {}\n", rows[i].second, rows[i].first);
  int64_t others = 0;
  for (size_t i = kMaxListed; i < rows.size(); ++i) others += rows[i].second;
  if (others > 0) text += fmt::format("{:>8}  of {}\n", others, plural(rows.size() - kMaxListed, "other cause"));
  return text;
}

}  // namespace

std::string explainRule(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                        const CoverBuilder& builder, ir::RuleId id, const RuleAttempts& attempts) {
  const ir::Rule& rule = module.rules.rules[id];
  std::string text = fmt::format("rule `{}` ({}):\n", printable(rule.name), printable(rule.file));
  if (rule.generated) return text + "  it is `generated`: `trace-bind` makes its kernels\n";
  if (!isApplicable(module, rule)) return text + "  it does not apply to the target of the model or of its runs\n";
  if (attempts.tried == 0) return text + "  tried at no operator: the model has none that could be its first result\n";
  if (rule.patterns.size() > 1)
    text += fmt::format("  each of its {} is tried by itself:\n", plural(rule.patterns.size(), "alternative"));
  text += fmt::format("  tried {}, matched {}\n", plural(attempts.tried, "time"), plural(attempts.matched, "time"));

  int64_t kernels = 0;
  std::map<std::string, int64_t> losses;
  for (const ir::CandidateId candidate : module.candidates.ids()) {
    if (module.candidates[candidate].rule != id) continue;
    if (builder.decision(candidate).choice == Choice::Chosen)
      ++kernels;
    else
      ++losses[describeLoss(module, graph, builder, candidate)];
  }
  text += fmt::format("  {} of the default cover\n", plural(kernels, "kernel"));
  if (!losses.empty()) text += "  candidates that are no kernel, by cause:\n" + listed(losses);
  if (attempts.nearest.pattern == ir::kNoIndex) return text;
  std::map<std::string, int64_t> causes;
  for (const auto& [reason, count] : attempts.failures) causes[std::string(describe(reason))] += count;
  text += "  attempts that failed, by cause:\n" + listed(causes);
  const CompiledPattern& pattern = index.patterns()[attempts.nearest.pattern];
  const std::string which =
      rule.patterns.size() > 1 ? fmt::format("match {} of {}, ", pattern.alternative + 1, rule.patterns.size()) : "";
  text += fmt::format("  nearest miss: {}from `{}`, after {}: {}\n", which,
                      printable(module.displayName(attempts.nearest.failure.root)),
                      plural(attempts.nearest.failure.matched.size(), "operator"),
                      printable(describe(module, pattern, attempts.nearest.failure)));
  return text;
}

}  // namespace amdahlc
