/// The leaves over which expressions are evaluated. Conditions of `where`, attribute tests, tests of constants and
/// kernel tests are one language over different leaves: those of a match, or those of a launch.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>

#include "ir/expression/value.h"
#include "ir/module.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::expression {

/// A match, complete or under construction.
class MatchLeaves {
 public:
  virtual ~MatchLeaves() = default;
  virtual const ir::Module& module() const = 0;
  /// The value to which a pattern value is bound; `kNone` if the operand is omitted or the value is not bound.
  virtual ir::ValueId bound(uint32_t patternValue) const = 0;
  /// In an attribute test, the operator with the attributes; otherwise `kNone`.
  virtual ir::OpId testedOp() const = 0;
  /// In a test of a constant, the constant `it`; otherwise `kNone`.
  virtual ir::ValueId testedConstant() const = 0;
  /// The element of that constant under test.
  virtual double testedElement() const = 0;
  /// An attribute of an operator, or the default of its schema; nullptr if there is neither.
  virtual const ir::AttributeValue* attribute(ir::OpId op, std::string_view name) const = 0;
  virtual bool isConstant(ir::ValueId value) const = 0;
  /// The one element of a constant, if it has one and its data is kept.
  virtual Value constantElement(ir::ValueId value) const = 0;
  /// Number of uses of a value as an operand, plus one if its graph returns it.
  virtual int64_t useCount(ir::ValueId value) const = 0;
  /// Stores a text for as long as the leaves live, because values do not own their text.
  std::string_view keep(std::string text) const { return texts_.emplace_back(std::move(text)); }

 protected:
  MatchLeaves() = default;
  MatchLeaves(const MatchLeaves&) = default;
  MatchLeaves& operator=(const MatchLeaves&) = default;

 private:
  mutable std::list<std::string> texts_;
};

/// An attribute of `op` or its default; unknown if there is neither, or if it is not a number, a string or a list of
/// them.
Value attributeValue(const MatchLeaves& leaves, ir::OpId op, std::string_view name);

/// A device event with the recorded facts of its launch. Facts that are -1 were not recorded and are unknown.
struct LaunchLeaves {
  std::string_view kernelName;
  EventKind kind = EventKind::Kernel;
  LaunchFacts facts;
};

/// One of the two. Leaves of the other kind are unknown.
struct Leaves {
  const MatchLeaves* match = nullptr;
  const LaunchLeaves* launch = nullptr;
};

}  // namespace amdahlc::expression
