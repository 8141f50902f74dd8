#include "api/rule_check.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "api/inputs.h"
#include "api/plan_check.h"
#include "api/planning.h"
#include "api/trace_files.h"
#include "support/plural.h"

namespace amdahlc::api {
namespace {

/// Reports what was found, with warnings about the files of shipped rules summed up.
void reportFound(const std::vector<Diagnostic>& found, const std::set<BufferId>& shipped,
                 DiagnosticEngine& diagnostics) {
  struct Sum {
    size_t warnings = 0;
    std::set<BufferId> files;
  };
  std::map<DiagId, Sum> sums;
  for (const Diagnostic& diagnostic : found) {
    const auto* place = std::get_if<SourceRange>(&diagnostic.primary.location);
    if (diagnostic.severity != Severity::Warning || place == nullptr || !shipped.contains(place->buffer)) {
      diagnostics.report(diagnostic);
      continue;
    }
    ++sums[diagnostic.id].warnings;
    sums[diagnostic.id].files.insert(place->buffer);
  }
  for (const auto& [id, sum] : sums)
    diagnostics.warning(id, {},
                        fmt::format("{} of this kind in {} of shipped rules; name a file by its path to see them",
                                    plural(sum.warnings, "warning"), plural(sum.files.size(), "file")));
}

}  // namespace

Outcome checkRules(Request request, const PassRegistry& registry, SourceManager& sources, DiagnosticEngine& diagnostics,
                   ir::RuleSet& rules) {
  if (const Outcome sound = checkValues(request, sources, diagnostics); sound != Outcome::Done) return sound;
  if (!completeTraces(request, diagnostics)) return Outcome::RequestFault;
  if (request.traces.empty()) warnUnusedSelection(request, diagnostics);
  std::optional<ir::Module> module;
  if (request.model) {
    module = loadModel(request, sources, diagnostics);
    if (!module) return Outcome::InputFault;
  }
  std::vector<Diagnostic> found;
  std::set<BufferId> shipped;
  DiagnosticEngine collector([&](const Diagnostic& diagnostic) { found.push_back(diagnostic); });
  const bool sumUp = request.checkRules && (module || !request.traces.empty());
  DiagnosticEngine& engine = sumUp ? collector : diagnostics;
  auto loaded = loadRuleSet(request, module ? &*module : nullptr, sources, engine, &shipped);
  if (!loaded) {
    for (const Diagnostic& diagnostic : found) diagnostics.report(diagnostic);
    return Outcome::InputFault;
  }
  rules = std::move(*loaded);
  if (!request.checkRules) return Outcome::Done;
  const auto traces = loadTraces(request, diagnostics);
  for (size_t i = 0; traces && i < traces->size(); ++i)
    for (const PassInfo& info : registry.passes())
      if (const RuleCheck check = registry.declarations(info).ruleCheck()) check(rules, (*traces)[i].timeline, engine);
  reportFound(found, shipped, diagnostics);
  return traces ? Outcome::Done : Outcome::InputFault;
}

}  // namespace amdahlc::api
