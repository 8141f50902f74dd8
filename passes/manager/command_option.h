/// Options of the command that passes declare. The driver reads them like its own and knows no pass by name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// A condition on the module after the last pass. If it does not hold, outputs are written, and the command fails.
struct Gate {
  /// The facet that it reads.
  ir::Facet needs = ir::Facet::Bound;
  /// Reports an error for each reason why the condition does not hold. The limit is in thousandths.
  void (*check)(const ir::Module&, int64_t limit, DiagnosticEngine&) = nullptr;
};

/// Sets an option of the declaring pass, or is a gate.
struct CommandOption {
  /// Without dashes.
  std::string name;
  /// What help calls the value; empty for a flag.
  std::string argument;
  /// A complete text up to its first `;`, `:` or `(`.
  std::string help;
  /// The value is a decimal number from 0 to `maximum` with at most three decimals. nullopt: it is any text, and the
  /// option may be repeated.
  std::optional<int64_t> maximum = std::nullopt;
  /// Text: the option may be given once only. A number and a flag always may.
  bool once = false;
  /// The option of the pass that it sets: to thousandths, to each text, or as a flag.
  std::string sets = {};
  /// The kinds of outputs that it changes: without one of them it is an error. Empty for an option that is not about
  /// outputs.
  std::vector<std::string> outputs = {};
  std::optional<Gate> gate = std::nullopt;
};

/// Reads the value in thousandths; nullopt if it does not fit the option. 0 for text.
std::optional<int64_t> readValue(const CommandOption& option, std::string_view text);
/// `a number from 0 to 100 with at most three decimals`
std::string valuesOf(const CommandOption& option);
/// `-bind-threshold=<probability>`, `-rankdir=TB|LR`, `-embed-doc-strings`
std::string formOf(const CommandOption& option);
/// A number of thousandths: `91.5`, `90`.
std::string formatThousandths(int64_t thousandths);

}  // namespace amdahlc
