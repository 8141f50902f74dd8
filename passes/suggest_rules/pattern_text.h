/// The `match` of a rule, written for operators of a model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "ir/rules.h"
#include "passes/trace_bind/alternatives.h"

namespace amdahlc::suggestions {

/// A `match`, with what it was written for. Equal groups of operators have equal texts.
struct Form {
  explicit Form(ir::Pattern written);

  ir::Pattern pattern;
  /// Its text.
  std::string match;
  /// Of the operators, in order.
  std::vector<std::string> types;
};

class PatternWriter {
 public:
  PatternWriter(const ir::Module& module, const binding::AlternativeGraph& graph) : module_(module), graph_(graph) {}

  /// The operators of `ops` that depend on each other, directly or through views, in groups. A group also has the views
  /// between its operators. Both are in the order of `ops`, which is that of a program.
  std::vector<std::vector<ir::OpId>> groups(std::span<const ir::OpId> ops) const;
  /// Exactly these operators, with constants where they have constants. nullopt if no pattern can describe them: too
  /// many operators, operators of several graphs, or no result.
  std::optional<Form> exact(std::span<const ir::OpId> ops) const;
  /// An operator of this type with any operands; nullopt if it has no operand or several results.
  std::optional<Form> general(ir::OpId op) const;

  const ir::OperatorGraph& operators() const { return graph_.operators(); }

 private:
  bool isUsedOutside(ir::ValueId value, std::span<const ir::OpId> sorted) const;
  ir::PatternValue constant(ir::ValueId value) const;
  ir::PatternNode node(ir::OpId op) const;
  /// Whether its names are words of the rule language.
  bool canBeWritten(ir::OpId op) const;

  const ir::Module& module_;
  const binding::AlternativeGraph& graph_;
};

}  // namespace amdahlc::suggestions
