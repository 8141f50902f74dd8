/// What expressions are evaluated over. Where conditions, attribute tests, tests of constants and kernel tests are one
/// language over different leaves: whoever holds a match or a launch answers for it here.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>

#include "ir/expression/value.h"
#include "ir/module.h"
#include "timeline/timeline.h"

namespace amdahlc::expression {

/// A match, complete or under construction.
class MatchLeaves {
 public:
  virtual ~MatchLeaves() = default;
  virtual const ir::Module& module() const = 0;
  /// What a value of the pattern is bound to; `kNone` where the operand is omitted or the value is not bound.
  virtual ir::ValueId bound(uint32_t patternValue) const = 0;
  /// The operator whose attributes names are, in an attribute test; otherwise `kNone`.
  virtual ir::OpId testedOp() const = 0;
  /// The constant that `it` is, in a test of a constant; otherwise `kNone`.
  virtual ir::ValueId testedConstant() const = 0;
  /// The element of that constant which is tested now.
  virtual double testedElement() const = 0;
  /// An attribute of an operator, or the default of its schema; nullptr where there is neither.
  virtual const ir::AttributeValue* attribute(ir::OpId op, std::string_view name) const = 0;
  virtual bool isConstant(ir::ValueId value) const = 0;
  /// The one element of a constant, if it has one and its data is kept.
  virtual Value constantElement(ir::ValueId value) const = 0;
  /// How many operands a value is, plus one where its graph returns it.
  virtual int64_t useCount(ir::ValueId value) const = 0;
  /// Keeps a text that a function made for as long as the leaves live: values do not own theirs.
  std::string_view keep(std::string text) const { return texts_.emplace_back(std::move(text)); }

 protected:
  MatchLeaves() = default;
  MatchLeaves(const MatchLeaves&) = default;
  MatchLeaves& operator=(const MatchLeaves&) = default;

 private:
  mutable std::list<std::string> texts_;
};

/// A device event with what the profiler recorded of its launch. Facts that are -1 were not recorded and are unknown.
struct LaunchLeaves {
  std::string_view kernelName;
  EventKind kind = EventKind::Kernel;
  LaunchFacts facts;
};

/// One of the two; what the other would answer is unknown.
struct Leaves {
  const MatchLeaves* match = nullptr;
  const LaunchLeaves* launch = nullptr;
};

}  // namespace amdahlc::expression
