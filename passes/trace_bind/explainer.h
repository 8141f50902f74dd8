/// Explains decisions of one finished search. Private to the binder.
#pragma once

#include <string>
#include <vector>

#include "passes/trace_bind/bind_search.h"

namespace amdahlc::binding {

class TimelineBinder::Explainer {
 public:
  Explainer(const TimelineBinder& binder, const Found& found, const Launches& launches, const ir::Cover& cover,
            const ir::BoundFacet& facts);

  /// The call of the selected event of that rank, its options with their scores, and what decided. Empty if there are
  /// not as many.
  std::string ofEvent(size_t rank) const;
  /// The kernel of the operator, and the calls that have an option for it.
  std::string ofNode(ir::OpId op) const;
  /// One line for each call of each distinct segment: where it went, and by what margin.
  std::vector<std::string> ofCalls() const;

 private:
  /// A call of a segment.
  struct Place {
    const Segment& segment;
    uint32_t alignment;
    uint32_t call;
  };
  const Call& callAt(const Place& place) const;
  Score instanceEvidence(const Place& place, const Option& option) const;
  /// The evidence for the option, apart from the calls before and after it.
  Score ownScore(const Place& place, const Option& option) const;
  std::string kernelOf(const Option& option) const;
  std::string outcome(EventIndex event) const;
  std::string probabilities(const Place& place) const;
  std::string decidedBy(const Place& place) const;
  std::string describeCall(const Place& place) const;
  template <typename Visit>
  void forEachDistinctCall(const Visit& visit) const;

  const TimelineBinder& binder_;
  const Found& found_;
  const Launches& launches_;
  const ir::Cover& cover_;
  /// By event: its rank among the selected ones; the reason why it belongs to no kernel, or its kernel.
  std::vector<size_t> rankOf_;
  std::vector<const ir::UnboundReason*> reasonOf_;
  std::vector<ir::KernelId> kernelOf_;
};

}  // namespace amdahlc::binding
