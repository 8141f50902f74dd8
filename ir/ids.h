/// The ids of the entities in a module.
#pragma once

#include <cstdint>
#include <limits>

#include "support/id.h"

namespace amdahlc::ir {

/// The node's index in the model; operators of bodies follow their operator, depth first.
using OpId = Id<struct OpTag>;
/// In order of definition.
using ValueId = Id<struct ValueTag>;
using GraphId = Id<struct GraphTag>;
/// Memory of a program, for as long as it has one owner.
using StorageId = Id<struct StorageTag>;
/// A module scope; 0 is the root.
using ScopeId = Id<struct ScopeTag>;
/// In order of declaration, imports in text order.
using RuleId = Id<struct RuleTag>;
/// In order of (rule, alternative, root, operators).
using CandidateId = Id<struct CandidateTag>;
/// Of one cover: rank in Kahn's order of the kernel graph.
using KernelId = Id<struct KernelTag>;
/// Position in `Module::covers`.
using CoverId = Id<struct CoverTag>;

/// The invalid id of every id type: no operator, no value, ...
inline constexpr NoneId kNone;
inline constexpr GraphId kMainGraph{0};
inline constexpr ScopeId kRootScope{0};
/// The invalid index where plain integers are used, such as for the values of a pattern.
inline constexpr uint32_t kNoIndex = std::numeric_limits<uint32_t>::max();

}  // namespace amdahlc::ir
