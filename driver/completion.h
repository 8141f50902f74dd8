/// Completion of the command line by shells, from the same tables as the command line itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/options.h"
#include "passes/manager/registry.h"

namespace amdahlc::driver {

/// A value that can be typed, and what it means.
struct CompletionWord {
  std::string text;
  /// May be empty.
  std::string summary;
};

/// What can be typed as the value of an option.
struct CompletionValues {
  std::vector<CompletionWord> words;
  /// Names of files, too.
  bool files = false;
  /// Several of them, separated by commas.
  bool list = false;
  /// A word may be followed by `=` and the name of a file: `kind[=path]`.
  bool fileAfterWord = false;
  /// Files may be preceded by a text of the user and `=`: `[label=]files`.
  bool label = false;
};

CompletionValues completionValues(const OptionRow& row, const PassRegistry& registry);

/// The names of an option: its own, then its aliases.
std::vector<std::string_view> namesOf(const OptionRow& row);

/// A shell, and its script.
struct CompletionShell {
  std::string_view name;
  std::string (*script)(const PassRegistry&);
};
std::span<const CompletionShell> completionShells();

}  // namespace amdahlc::driver
