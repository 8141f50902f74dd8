/// Segments: the parts of a model that every run executes as a whole, so that runs that group operators differently can
/// be compared part by part.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace amdahlc::ir {

/// A set of operators that share no kernel with any other operator, in any of the covers.
struct Segment {
  /// The path of the scope; without one the name of the first operator, and how many others there are. Unique: of equal
  /// ones, those of operators get `#` and the number of the segment.
  std::string name;
  /// The root if the segment is no scope.
  ScopeId scope = kRootScope;
  /// Live operators, ascending.
  std::vector<OpId> ops;
};

struct Segments {
  /// By their first operators.
  std::vector<Segment> segments;
  /// For each cover the segment of each of its kernels: that of its first operator that no earlier kernel has, if there
  /// is one, else that of its anchor.
  std::vector<IdVector<KernelId, uint32_t>> ofKernel;
};

/// How operators are put together. An atom is a class of operators under the transitive closure of "share a kernel in
/// some cover"; an operator that a cover computes several times counts for its first kernel there. A module scope is
/// respected if no atom has operators inside and outside.
struct SegmentChoice {
  enum class Kind : uint8_t {
    /// The outermost respected scope around the atom whose last component is a number, else the innermost respected
    /// one, else the atom.
    Auto,
    /// Each atom.
    Atoms,
    /// The innermost respected scope of at most `depth` components, else the outermost respected one, else the atom.
    Depth,
  };
  Kind kind = Kind::Auto;
  uint32_t depth = 0;
};

/// What `parseSegmentChoice` takes: `auto`, `atoms`, `1` to `9`.
std::vector<std::string> segmentChoices();
/// Precondition: one of `segmentChoices`.
SegmentChoice parseSegmentChoice(std::string_view text);

Segments segmentsOf(const Module& module, std::span<const Cover* const> covers, SegmentChoice choice);

}  // namespace amdahlc::ir
