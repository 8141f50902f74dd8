#include <algorithm>

#include "replay/runtimes/device_calls.h"
#include "replay/schedule/program_changes.h"

namespace amdahlc::schedule {
namespace {

class CopyOverlap {
 public:
  CopyOverlap(const RunModel& model, const EventSet& events, Changes& changes)
      : calls_(model.calls), timeline_(model.calls.timeline()), events_(events), changes_(changes) {
    beginMoves(calls_, changes_);
    toDevice_ = newStream(calls_, changes_);
    changes_.unawaited.resize(timeline_.size());
    home_.resize(calls_.streams());
    hasWork_.resize(calls_.streams());
    for (EventIndex event = 0; event < timeline_.size(); ++event)
      if (timeline_.kind[event] != EventKind::Copy) hasWork_[calls_.streamOf(event)] = true;
  }

  OverlappedCopies run() {
    for (const Call& call : calls_.calls())
      for (const EventIndex event : calls_.launched(call)) visit(event);
    return copies_;
  }

 private:
  struct Home {
    EventIndex last = kNoEvent;
    /// Copies to the device since then.
    std::vector<EventIndex> arriving;
  };

  CopyDirection directionOf(EventIndex event) const {
    // A copy in a stream without kernels is overlapped already.
    if (!events_[event] || timeline_.kind[event] != EventKind::Copy || !hasWork_[calls_.streamOf(event)])
      return CopyDirection::Other;
    return copyDirection(timeline_.text(timeline_.name[event]));
  }

  void visit(EventIndex event) {
    Home& home = home_[calls_.streamOf(event)];
    switch (directionOf(event)) {
      case CopyDirection::ToDevice:
        ++copies_.toDevice;
        changes_.streams[event] = toDevice_;
        changes_.unawaited[event] = true;
        return home.arriving.push_back(aheadOf(event));
      case CopyDirection::FromDevice:
        ++copies_.fromDevice;
        changes_.streams[event] = toDevice_ + 1;
        if (home.last != kNoEvent) changes_.sources[event].push_back(home.last);
        return;
      case CopyDirection::Other:
        break;
    }
    for (const EventIndex copy : home.arriving)
      if (copy != kNoEvent) changes_.sources[event].push_back(copy);
    home.arriving.clear();
    home.last = event;
  }

  /// The copy at the same place in the iteration before: where what is copied now is copied in the changed program.
  EventIndex aheadOf(EventIndex copy) {
    const int32_t iteration = timeline_.iteration[copy];
    if (iteration != iteration_) {
      before_ = std::move(current_);
      if (iteration != iteration_ + 1) before_.clear();
      current_.clear();
      iteration_ = iteration;
    }
    current_.push_back(copy);
    return current_.size() <= before_.size() ? before_[current_.size() - 1] : kNoEvent;
  }

  const RunCalls& calls_;
  const Timeline& timeline_;
  const EventSet& events_;
  Changes& changes_;
  StreamIndex toDevice_ = 0;
  std::vector<Home> home_;
  std::vector<bool> hasWork_;
  int32_t iteration_ = kNoIteration;
  /// The copies to the device of the iteration, and of the one before it, in the order of their launches.
  std::vector<EventIndex> current_, before_;
  OverlappedCopies copies_;
};

}  // namespace

OverlappedCopies overlapCopies(const RunModel& model, const EventSet& events, Changes& changes) {
  return CopyOverlap(model, events, changes).run();
}

}  // namespace amdahlc::schedule
