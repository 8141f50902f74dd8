/// The names in a rule file and what each means, for tools that ask about a place in the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/checker.h"
#include "ir/expression/functions.h"
#include "ir/rules.h"
#include "support/source.h"

namespace amdahlc::grammar {

struct Mention {
  enum class Of : uint8_t { Operator, Class, Fragment, Rule, Value, File, Function, ElementType, Attribute };
  Of of = Of::Value;
  SourceRange range;
  /// As it is written, without the domain of an operator and without quotes.
  std::string name;
  /// Where it is declared. None for what no rule file declares. Of a file, its beginning.
  std::optional<SourceRange> declaration;
  /// Operator: itself; several if it is named in any domain. Class: its members. Attribute: those that it is tested of.
  std::vector<ir::OperatorName> operators;
  /// Function, or a name of the expression language; owned by its table.
  const expression::Function* function = nullptr;
};

/// What the names in `files[file]` mean, in the order of the text; each place once. In a declaration with a syntax
/// error, only its own name and those of operators, classes and fragments have a meaning.
std::vector<Mention> mentionsIn(const OpenedRules& rules, size_t file, const SourceManager& sources);

}  // namespace amdahlc::grammar
