#include "grammar/stored/stored_rules.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "grammar/stored/archive.h"
#include "support/content_hash.h"
#include "support/diagnostic.h"
#include "support/file.h"
#include "support/limits.h"

namespace amdahlc::grammar {

namespace fs = std::filesystem;

std::optional<ir::RuleSet> storedRules(std::span<const RequestedName> files, SourceManager& sources) {
  std::string names;
  for (const RequestedName& file : files) names += fs::path(file.text).filename().string() + ' ';
  const auto set = std::ranges::find(storedSets(), names, &StoredSet::names);
  if (set == storedSets().end()) return std::nullopt;
  // Whoever reads the rules instead reports what is wrong with a file.
  DiagnosticEngine ignored([](const Diagnostic&) {});
  std::vector<std::pair<std::string, std::string>> texts;
  for (const StoredFile& file : set->files) {
    std::string path = (fs::path(files.front().text).parent_path() / file.path).string();
    // Paths of files that are imported have no detours.
    if (std::ranges::find(files, path, &RequestedName::text) == files.end())
      path = fs::path(path).lexically_normal().string();
    auto text = readFile(path, limits::kRuleFileBytes, ignored);
    if (!text || contentHash(*text) != file.hash) return std::nullopt;
    texts.emplace_back(std::move(path), std::move(*text));
  }
  Unpacker unpacker(set->rules, static_cast<BufferId>(sources.size()));
  for (auto& [path, text] : texts) sources.add(std::move(path), std::move(text));
  ir::RuleSet rules;
  unpacker.take(rules);
  return rules;
}

}  // namespace amdahlc::grammar
