/// Rules compiled for the operators of a module. A test of an operator reads one bit, and rules that cannot apply cost
/// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/expression/expression.h"
#include "ir/module.h"
#include "support/compressed_rows.h"

namespace amdahlc {

/// Operators that no rule distinguishes have one class. The number of classes is at most the number of operator names
/// in the rules, plus two per domain.
using OperatorClass = uint32_t;

/// A set of operator classes.
class ClassSet {
 public:
  explicit ClassSet(size_t classes = 0) : words_((classes + 63) / 64, 0) {}
  void insert(OperatorClass c) { words_[c / 64] |= uint64_t{1} << (c % 64); }
  bool contains(OperatorClass c) const { return (words_[c / 64] >> (c % 64)) & 1u; }
  void add(const ClassSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }

 private:
  std::vector<uint64_t> words_;
};

/// A compiled pattern node.
struct CompiledNode {
  ClassSet operators;
  std::vector<expression::Expression> attributes;
  /// Matches a chain: any number of operators but exactly one.
  bool chain = false;
  /// Swapped operands can give another match.
  bool bothOrders = false;
};

/// A necessary condition on a root: operand `operand` comes from an operator of `producers`.
struct RequiredProducer {
  uint32_t operand = 0;
  /// The producer may also be that of the other one of the first two operands.
  bool eitherOrder = false;
  ClassSet producers;
};

/// One `match` of one rule.
struct CompiledPattern {
  ir::RuleId rule;
  uint32_t alternative = 0;
  const ir::Pattern* pattern = nullptr;
  std::vector<CompiledNode> nodes;
  /// By value.
  std::vector<std::optional<expression::Expression>> constantTests;
  std::vector<expression::Expression> where;
  /// By value: a result, or `shared`.
  std::vector<bool> result;
  /// Into the index: the operators that do not count.
  uint32_t uncounted = 0;
  /// Which outputs of the root operator can be the first result, ascending.
  std::vector<uint32_t> rootOutputs;
  /// Classes of operators that can produce the first result.
  ClassSet roots;
  std::vector<RequiredProducer> requiredProducers;
};

/// All patterns of the applicable rules, indexed by root operator.
class RuleIndex {
 public:
  explicit RuleIndex(const ir::Module& module);

  const std::vector<CompiledPattern>& patterns() const { return patterns_; }
  OperatorClass classOf(ir::OpId op) const { return classOf_[op]; }
  /// Patterns that `op` may be the root of, in order of (rule, alternative).
  std::span<const uint32_t> rootedAt(ir::OpId op) const { return rooted_[classOf_[op]]; }
  /// Whether two matches of `rule` can have the same operators: by two alternatives, or from two results.
  bool mayRepeat(ir::RuleId rule) const { return mayRepeat_[rule]; }
  /// Whether the operator costs nothing on the targets of the pattern or is hidden, and so does not count as owned.
  /// `node` is what it matched. Rules that come without declarations of views say it of their nodes alone.
  bool isUncounted(const CompiledPattern& pattern, const ir::PatternNode& node, ir::OpId op) const {
    return uncounted_[pattern.uncounted].contains(classOf_[op]) || (node.view && !declaresViews_);
  }

 private:
  void classify(const ir::Module& module);
  ClassSet classesOf(const ir::OperatorSet& set) const;
  void compile(const ir::Rule& rule, ir::RuleId id, uint32_t alternative);
  /// `root` is the only node that can be the root.
  void addRequiredProducers(uint32_t root, CompiledPattern& compiled) const;
  void indexRoots();
  /// Into `uncounted_`.
  uint32_t uncountedFor(const ir::Module& module, const ir::Applicability& where);

  /// The name of each class. The type `*` is for operators of a domain that no rule names, the domain `*` for all other
  /// domains.
  std::vector<ir::OperatorName> classes_;
  IdVector<ir::OpId, OperatorClass> classOf_;
  /// What does not count, for rules of one applicability.
  std::vector<ClassSet> uncounted_;
  std::vector<ir::Applicability> applicabilities_;
  bool declaresViews_ = false;
  IdVector<ir::RuleId, bool> mayRepeat_;
  std::vector<CompiledPattern> patterns_;
  /// Pattern indices by class.
  CompressedRows<OperatorClass, uint32_t> rooted_;
};

}  // namespace amdahlc
