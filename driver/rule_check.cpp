#include "driver/rule_check.h"

#include <fmt/format.h>

#include <map>
#include <variant>

#include "support/plural.h"

namespace amdahlc::driver {

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

}  // namespace amdahlc::driver
