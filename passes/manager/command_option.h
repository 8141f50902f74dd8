/// Options of the command that passes declare. The driver reads them like its own and knows no pass by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// The input of a gate.
struct GateInput {
  const ir::Module& module;
  AnalysisManager& analyses;
  /// In thousandths.
  int64_t limit;
  /// The value begins with the option's prefix.
  bool hasPrefix;
};

/// A condition on the module after the last pass. If it does not hold, outputs are written, and the command fails.
struct Gate {
  /// The facet that it reads.
  ir::Facet needs = ir::Facet::Bound;
  /// Reports an error for each reason why the condition does not hold.
  void (*check)(const GateInput&, DiagnosticEngine&) = nullptr;
};

/// Sets an option of the declaring pass, or is a gate, or both.
struct CommandOption {
  /// Without dashes.
  std::string name;
  /// What help calls the value; empty for a flag.
  std::string argument;
  /// One sentence for lists.
  std::string summary = {};
  /// Sentences with all else; may be empty.
  std::string details = {};
  /// The value is a decimal number from 0 to `maximum` with at most three decimals. nullopt: it is any text, and the
  /// option may be repeated.
  std::optional<int64_t> maximum = std::nullopt;
  /// A number may be followed by `%`.
  bool isPercent = false;
  /// A word with a colon that may stand before a number; empty: none.
  std::string prefix = {};
  /// Text: the option may be given once only. A number and a flag always may.
  bool once = false;
  /// The option of the pass that it sets: to thousandths, to each text, or as a flag.
  std::string sets = {};
  /// The flag of the pass that the prefix sets.
  std::string prefixSets = {};
  /// The default pipeline contains the pass if the option is given (see `DefaultUse::IfAskedFor`).
  bool asksForPass = false;
  /// The pass explains something instead of the outputs: the command prints the explanation and stops.
  bool explains = false;
  /// A pass whose findings the explanation has, too: if it is in the pipeline, it runs before the command stops.
  std::string_view explainsAlso = {};
  /// An older spelling of the option of the pass: accepted, but in no list.
  bool isOldSpelling = false;
  /// The facet without which it has no effect, which is an error.
  std::optional<ir::Facet> needs = std::nullopt;
  std::optional<Gate> gate = std::nullopt;
};

/// Whether the value begins with the prefix of the option.
bool hasPrefix(const CommandOption& option, std::string_view text);
/// Reads the value in thousandths; nullopt if it does not fit the option. 0 for text.
std::optional<int64_t> readValue(const CommandOption& option, std::string_view text);
/// `a number from 0 to 100 with at most three decimals`
std::string valuesOf(const CommandOption& option);
/// `-bind-threshold=<probability>`, and `-stat=mean|median`, where the argument has a form of its own.
std::string formOf(std::string_view name, std::string_view argument);
/// A number of thousandths: `91.5`, `90`.
std::string formatThousandths(int64_t thousandths);

}  // namespace amdahlc
