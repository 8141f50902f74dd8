/// Binds one timeline: computes a cover with events from launches, rules and graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/module.h"
#include "passes/trace_bind/align.h"
#include "passes/trace_bind/choose_cover.h"
#include "passes/trace_bind/explain.h"
#include "passes/trace_bind/forwards.h"
#include "passes/trace_bind/instances.h"
#include "passes/trace_bind/named_nodes.h"

namespace amdahlc::binding {

/// Where no option says otherwise: the probability, in thousandths, below which a binding is ambiguous.
inline constexpr uint16_t kDefaultThresholdPermille = 900;

struct BindCounts {
  int64_t boundEvents = 0, unboundEvents = 0;
  int64_t boundKernels = 0, missedKernels = 0;
  int64_t alignedSegments = 0, transferredSegments = 0;
  int64_t cells = 0;
};

/// How the result was found, for remarks.
struct BindDetails {
  OrderKind order = OrderKind::Model;
  bool weightsCompared = false;
  /// The module frame that is the model; empty if none was found.
  std::string root;
  int64_t forwards = 0;
  /// Log-odds of the alignments, in hundredths of a nat; 0 where nothing was aligned.
  int64_t score = 0;
  struct InstanceScope {
    std::string instance, scope;
    bool known = false;
  };
  /// All module instances around calls, by name.
  std::vector<InstanceScope> instances;
  std::vector<Decision> decisions;
  /// Every hypothesis that was tried, in order, with the score of its alignments in hundredths of a nat.
  struct Hypothesis {
    OrderKind order = OrderKind::Model;
    /// Module frame; empty without one.
    std::string root;
    int64_t score = 0;
  };
  std::vector<Hypothesis> hypotheses;
  /// Parallel to the subjects; empty for an event that the run does not have, and where rules bind by names only.
  std::vector<std::string> explanations;
  /// One line per call, if asked for.
  std::vector<std::string> calls;
  /// Alternatives that the alignment used but that would close a cycle between kernels or overlap others; where events
  /// name nodes, kernels of nodes that one event names.
  int64_t refused = 0;
  /// The events name nodes: nothing was aligned.
  bool named = false;
  /// More tests of rules on launches than the limits allow: nothing was bound.
  struct Excess {
    size_t tests = 0, kinds = 0;
  };
  std::optional<Excess> excess;
};

class TimelineBinder {
 public:
  /// Bindings of a lower probability than `thresholdPermille` are ambiguous.
  TimelineBinder(const ir::Module& module, const ir::OperatorGraph& operators, const AlternativeGraph& graph,
                 uint16_t thresholdPermille)
      : module_(module), operators_(operators), graph_(graph), thresholdPermille_(thresholdPermille) {}

  /// What `bind` explains in its details: the subjects; with `calls`, also every call.
  void explains(std::vector<Subject> subjects, bool calls) {
    subjects_ = std::move(subjects);
    explainsCalls_ = calls;
  }
  /// nullopt where the operators form a cycle, or the details say what is too much.
  std::optional<ir::Cover> bind(const Timeline& timeline);
  const BindCounts& counts() const { return counts_; }
  const BindDetails& details() const { return details_; }

 private:
  struct Search;
  class Explainer;
  /// The result of the search, by which events are distributed.
  struct Found {
    const Search& search;
    const ChosenCover& chosen;
    const Instances& instances;
    /// By alignment and call.
    const std::vector<std::vector<Posterior>>& probabilities;
  };
  std::optional<ir::Cover> bindNamed(const Timeline& timeline, const NamedNodes& named, const Launches& launches,
                                     RuleLaunches& rules);
  std::unique_ptr<Search> searchOrders(const Launches& launches, RuleLaunches& rules);
  static Score instanceBonus(const Search& search, const Instances& instances, std::optional<Symbol> instance,
                             const Option& option);
  void alignSegments(Search& search, const Launches& launches, const Instances& instances);
  bool inOrder(const Search& search) const;
  /// Rank of each operator in an order that the graph allows, in which calls may have run it; nullopt if no call stays
  /// unbound that fits a unit well.
  std::optional<IdVector<ir::OpId, uint32_t>> orderOfCalls(const Search& search) const;
  /// Where the order of calls is not that of the program, it does not tell units apart that agree equally with a call
  /// and do not wait for each other: each may be the one.
  void shareAmongEquals(const Search& search, std::vector<std::vector<Posterior>>& probabilities) const;
  Instances voteInstances(const Search& search, const Launches& launches) const;
  void pairLeftovers(Search& search, const Launches& launches, const Instances& instances,
                     const std::vector<bool>& inCover) const;
  bool haveNamesOnly(const IdVector<ir::RuleId, bool>& active) const;
  void addOutside(const ir::Cover& cover, const Launches& launches, const Instances& instances,
                  ir::BoundFacet& facts) const;
  void finish(const ir::Cover& cover, ir::BoundFacet& facts, const std::map<ir::OpId, int64_t>& trips,
              RuleLaunches& rules, const Launches& launches);
  ir::ModelFit measureFit(const Search& search, const Launches& launches) const;
  std::vector<AlternativeId> usedAlternatives(const Search& search) const;
  void setStates(const ir::Cover& cover, ir::BoundFacet& facts, const std::map<ir::OpId, int64_t>& trips,
                 RuleLaunches& rules, const Launches& launches) const;
  void distribute(const Found& found, const Launches& launches, ir::BoundFacet& facts) const;
  ir::UnboundReason ambiguity(ir::KernelId kernel, uint16_t confidence, const Posterior& posterior,
                              const ChosenCover& chosen) const;
  ir::UnboundReason explain(const Call& call, uint32_t kind, bool outside, const Found& found, const Launches& launches,
                            const ir::BoundFacet& facts) const;

  const ir::Module& module_;
  const ir::OperatorGraph& operators_;
  const AlternativeGraph& graph_;
  uint16_t thresholdPermille_;
  std::vector<Subject> subjects_;
  bool explainsCalls_ = false;
  BindCounts counts_;
  BindDetails details_;
};

}  // namespace amdahlc::binding
