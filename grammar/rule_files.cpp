// Where rule files are read from.

#include <algorithm>
#include <system_error>

#include "grammar/rule_loader.h"
#include "support/file.h"
#include "support/limits.h"

namespace amdahlc::grammar {

namespace fs = std::filesystem;

bool RuleFiles::isFile(const fs::path& path) const {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::optional<std::string> RuleFiles::read(const fs::path& path, DiagnosticEngine& diagnostics) const {
  return readFile(path, limits::kRuleFileBytes, diagnostics);
}

std::vector<fs::path> RuleFiles::rulesIn(const fs::path& folder) const {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kRuleExtension && it->is_regular_file(error)) out.push_back(it->path());
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) { return a.filename() < b.filename(); });
  return out;
}

const RuleFiles& ruleFilesOnDisk() {
  static const RuleFiles kDisk;
  return kDisk;
}

}  // namespace amdahlc::grammar
