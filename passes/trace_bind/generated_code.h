/// Kernels that a compiler generated for several operators, bound by what their names list.
///
/// A framework's compiler fuses operators that the framework would run one by one, and names the kernel by them:
/// `triton_poi_fused_add_relu_3`. The rules for the single operators say which nodes each name stands for; a
/// `generated` rule says which of them a kernel may hold. So a generated kernel is a group of other rules' candidates:
///
///   - Parts. Each counted operator of the group is in one candidate whose rule names a listed operator. If the
///     exporter says which operator a node stems from and the rule names it, it must be the listed one.
///   - Names. Each listed operator has a part of its own. Names of views, copies, conversions and new constants
///     need none, because exporters leave these operators out.
///   - Elsewhere. A listed operator may also be one that the group reads from: the bias or the folded normalization of
///     a matrix product or convolution, or an operator of an earlier kernel that is computed again; or one that a
///     library runs on what the group returns, such as attention. No node of the group stands for it.
///   - Extent. A compiler fuses what it can: the group is as large as the list allows. It ends at results that other
///     kernels need before the last operator of the group runs, at matrix products, and at operators that the list
///     lacks. A part at its begin whose result others read as well may be a kernel of its own instead: the group
///     without it is another candidate. Groups of which one kernel of a library reads all, such as the rotated query
///     and key of attention, may be one; they are if no more kernels with the list run in an iteration than such
///     unions.
///
/// What contradicts all groups, or cannot be read, has no candidate.
///
/// Cost: linear in the model for each distinct list; a group has at most kMostParts parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/expression/expression.h"
#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/fuse/cover_builder.h"
#include "passes/trace_bind/kernel_test.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::binding {

/// Adds the candidates of `generated` rules for the runs that are not bound yet. Precondition: `fused`.
void addGeneratedCandidates(ir::Module& module, const ir::OperatorGraph& operators);
/// The same for these runs, whether they are of the module or not.
void addGeneratedCandidates(ir::Module& module, const ir::OperatorGraph& operators,
                            std::span<const Timeline* const> timelines);

/// Which groups of operators explain the names of one runtime's generated kernels.
class GeneratedCode {
 public:
  /// Inductor's own limit for the nodes of a kernel.
  static constexpr size_t kMostParts = 64;

  /// On the target of `grouping`.
  GeneratedCode(const ir::Module& module, const ir::OperatorGraph& operators, TargetGrouping grouping,
                const RuntimeAdapter& runtime);

  /// Whether the operators, ascending, are what a kernel of the rule with this list in its name computes.
  bool explains(ir::RuleId rule, const std::vector<ir::OpId>& ops, std::string_view list) {
    return namesElsewhere(rule, ops, list).has_value();
  }
  /// How many of the listed operators are elsewhere, if the operators explain the list; else nullopt.
  std::optional<size_t> namesElsewhere(ir::RuleId rule, const std::vector<ir::OpId>& ops, std::string_view list);
  /// If the list names only operators that the rule leaves to a library, such as convolutions: the anchors of all
  /// candidates that these may be. A kernel with this list copies what such an operator reads or writes.
  std::vector<ir::OpId> leftToLibrary(ir::RuleId rule, std::string_view list);
  /// The candidates of the rule for this list, in order of their operators. `kernels` with it run in an iteration.
  std::vector<ir::Candidate> groups(ir::RuleId rule, std::string_view list, size_t kernels);

 private:
  /// A set of listed operators, one bit each.
  using Names = uint64_t;

  /// Whether ascending `ops` contain `op`.
  static bool holds(std::span<const ir::OpId> ops, ir::OpId op) { return std::ranges::binary_search(ops, op); }
  /// The operators of a list.
  struct List {
    std::vector<std::string> calls;
    /// Those that some node must stand for.
    Names needed = 0;
  };
  /// What a rule makes of a list: it names each of `one`; or it names all of `all`, because its kernel is the calls of
  /// several operators.
  struct Meaning {
    Names one = 0, all = 0;
    /// All that it names, whatever else its kernel needs.
    Names named = 0;
  };
  /// Candidates that do not overlap.
  struct Tiling {
    std::vector<ir::CandidateId> parts;
    /// kNoIndex for an operator in no part.
    IdVector<ir::OpId, uint32_t> partOf;
  };
  /// Where a rule allows an operator.
  enum class Place : uint8_t { Outside, Inside, Once };

  const List& read(std::string_view list);
  const Meaning& meaning(ir::RuleId rule, std::string_view list);
  Meaning meaning(ir::CandidateId candidate, std::string_view list);
  const IdVector<ir::OpId, Place>& places(ir::RuleId rule, std::string_view list);
  bool mayHold(const IdVector<ir::OpId, Place>& places, ir::CandidateId candidate) const;
  Names elsewhere(ir::RuleId rule, const std::vector<ir::OpId>& ops, std::string_view list);
  Names namedBy(const ir::Kernel& kernel, std::string_view list);
  std::set<ir::KernelId> libraryReaders(ir::RuleId rule, const std::vector<ir::OpId>& ops, std::string_view list);
  void unite(ir::RuleId rule, std::string_view list, size_t kernels, std::set<std::vector<ir::OpId>>& groups);
  Tiling tile(ir::RuleId rule, std::string_view list);
  bool isReturned(ir::OpId op) const;
  bool isLiveBeyond(const Tiling& tiling, const IdVector<ir::OpId, Place>& allowed, ir::OpId op) const;
  std::vector<ir::OpId> grow(const Tiling& tiling, const IdVector<ir::OpId, Place>& allowed, uint32_t last) const;
  std::vector<ir::OpId> withoutFirst(const Tiling& tiling, const std::vector<ir::OpId>& ops) const;
  ir::Candidate candidateOf(ir::RuleId rule, const std::vector<ir::OpId>& ops) const;
  std::vector<ir::OpId> trimmed(std::vector<ir::OpId> ops) const;

  const ir::Module& module_;
  const ir::OperatorGraph& operators_;
  const TargetGrouping grouping_;
  const RuntimeAdapter& runtime_;
  OperatorPatterns operatorPatterns_;
  /// The kernel of `grouping_` that holds the operator; kNone without one.
  IdVector<ir::OpId, ir::KernelId> kernelOf_;
  /// Views and whatever else launches nothing: in a group, but no part of it.
  IdVector<ir::OpId, bool> free_;
  /// Candidates that launch something, by operator; each list in the order of choice.
  IdVector<ir::OpId, std::vector<ir::CandidateId>> holding_;
  /// The same candidates, and the rank of each.
  std::vector<ir::CandidateId> byChoice_;
  IdVector<ir::CandidateId, uint32_t> rank_;
  std::map<std::string, List, std::less<>> lists_;
  std::map<std::pair<ir::RuleId, std::string>, Meaning> meanings_;
  std::map<std::pair<ir::RuleId, std::string>, IdVector<ir::OpId, Place>> places_;
};

}  // namespace amdahlc::binding
