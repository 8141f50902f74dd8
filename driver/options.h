/// The table of options, and its two readers, of the command line and of configuration files. Its rows are those of
/// options.def, then one for each option that a pass declares.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "passes/manager/registry.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// The index of a row. Those after the last enumerator are options of passes.
enum class OptionId : uint8_t {
#define AMDAHLC_OPTION(ID, NAME, ARGUMENT, ARITY, TOPIC, JOBS, SUMMARY, DETAILS) ID,
#include "driver/options.def"
};

enum class Arity : uint8_t { Flag, Once, Many, Optional };
/// `-help=` topics; `Hidden` has none.
enum class Topic : uint8_t { Input, Rules, Pipeline, WhatIf, Output, Debug, General, Hidden };

/// The job of a run. These bits of an option tell for which jobs it has an effect.
enum Job : uint8_t {
  /// The option is a request of its own, answered before any input is read.
  AtOnce = 0,
  OnAnalysis = 1,
  OnRuleCheck = 2,
  OnRulePrint = 4,
  OnLanguageServer = 8,
  OnAnything = OnAnalysis | OnRuleCheck | OnRulePrint,
};

/// The option that asks for a job, without a dash; empty for those that no option asks for.
std::string_view requestOf(Job job);

struct OptionRow {
  OptionId id;
  std::string_view name;
  std::string_view argument;
  Arity arity;
  Topic topic;
  uint8_t jobs;
  /// One sentence.
  std::string_view summary;
  /// Sentences with all else; may be empty.
  std::string_view details;
  /// Set for an option of a pass.
  const PassInfo* pass = nullptr;
  const CommandOption* declared = nullptr;
};

/// Another name of an option.
struct OptionAlias {
  std::string_view name;
  OptionId id;
  /// Nullopt: it is listed beside the name and used like it. Else an older spelling, accepted on the command line only.
  std::optional<Arity> oldArity = std::nullopt;
  /// What precedes its value, or is its value.
  std::string_view value = {};
};

std::span<const OptionAlias> optionAliases();
/// The alias of this name, without dashes, or nullptr.
const OptionAlias* findAlias(std::string_view name);

/// In the order of `OptionId`.
std::span<const OptionRow> optionTable();
inline const OptionRow& row(OptionId id) { return optionTable()[static_cast<size_t>(id)]; }

/// An occurrence of an option.
struct Occurrence {
  OptionId id;
  /// Empty for flags.
  std::string value;
  /// Of the value.
  SourceRange range;
  /// Its name as it is given, without dashes.
  std::string spelling = {};
};

/// The request, before values are parsed.
struct Invocation {
  std::vector<Occurrence> options;
  std::vector<api::ModelArgument> inputs;
  /// Of a front end that has more than a command line: traces beside those of `-trace`.
  std::vector<api::TraceArgument> traces;

  bool has(OptionId id) const;
  /// The occurrence of an option that may occur once, or nullptr.
  const Occurrence* find(OptionId id) const;
};

/// Reads options with one or two dashes, `-name=value` or `-name value`; `--` ends them. Every error is reported. Each
/// argument becomes a buffer `<command line>`, so that messages about a value can point into it.
Invocation readCommandLine(int argc, char** argv, SourceManager& sources, DiagnosticEngine& diagnostics);

/// `-config=run.yaml`: reads a map from option names to values. An option or an input on the command line replaces the
/// key. Flags are `true` or `false`. An option that may be repeated takes one value, a list, or (if its value is
/// `name=value`) a map. `model` is the input; `passes` may be a list. Paths are relative to the current folder, as on
/// the command line. Reports every error; false if there was one.
bool readConfiguration(const std::string& path, Invocation& invocation, SourceManager& sources,
                       DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
