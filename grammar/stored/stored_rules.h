/// Shipped rules as they are once they have been checked. The build reads the files in `rules/` by `loadRules` and
/// stores the result in the program, because to read them takes longer than to analyse a small trace.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "grammar/rule_loader.h"
#include "ir/rules.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// A file that was read for a set: its path below `rules/`, and the hash of its text.
struct StoredFile {
  std::string_view path;
  std::string_view hash;
};

/// What `loadRules` makes of some files of `rules/`, without a message.
struct StoredSet {
  /// The names of these files, each with a blank behind it.
  std::string_view names;
  /// With those that they import, in the order in which they are read.
  std::span<const StoredFile> files;
  /// By `archive.h`.
  std::string_view rules;
};
std::span<const StoredSet> storedSets();

/// What `loadRules` makes of these files, which are paths in one folder. nullopt if they are not stored, or if a text
/// is no longer what it was when the program was built: then they must be read. Adds the texts to `sources` as
/// `loadRules` does.
std::optional<ir::RuleSet> storedRules(std::span<const RequestedName> files, SourceManager& sources);

}  // namespace amdahlc::grammar
