/// Which operator of the forward pass each step of the backward pass is about.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/timeline/phases.h"
#include "replay/timeline/timeline.h"

namespace amdahlc {

/// By the numbers that autograd gives. A thread counts the nodes of autograd's graph that its operators create. The
/// call of an operator has the number of the next node, and a step of the backward pass that of its own node. So the
/// last call with a number created the node, as Kineto's links of both say.
///
/// Where several threads use a number, the step's number of the forward thread decides. It is autograd's own and no
/// track's, but it is the same in all steps: it is that of the only track with the numbers of all of them. Linear in
/// the number of calls.
class ForwardCalls {
 public:
  /// The arguments must outlive the object. Precondition: the timeline has host events.
  ForwardCalls(const Timeline& timeline, const Phases& phases);

  /// The forward call of the innermost step of the backward pass around the call, or of the call itself; none outside
  /// of steps, and where the trace does not tell.
  HostEventId of(HostEventId call) const;

 private:
  struct Creator {
    uint32_t track = 0;
    /// The last one.
    HostEventId call;
  };
  /// Of a number and the process of a step: by track.
  std::vector<Creator> creators(HostEventId step) const;
  void findThreads();

  const Timeline& timeline_;
  const Phases& phases_;
  /// By number; looked up only.
  std::unordered_map<int64_t, std::vector<Creator>> byNumber_;
  /// By process and number of the forward thread.
  std::map<std::pair<std::string_view, int32_t>, uint32_t> trackOf_;
};

}  // namespace amdahlc
