#include <algorithm>
#include <utility>

#include "schedule/scenarios.h"

namespace amdahlc::schedule {
namespace {

class Mover {
 public:
  Mover(const RunModel& model, const MovedEvents& moved, StreamIndex stream, Changes& changes)
      : calls_(model.calls), moved_(moved), changes_(changes), home_(model.calls.streams()) {
    const Timeline& timeline = calls_.timeline();
    changes_.waitCallsNs = waitCallsNs(calls_);
    if (changes_.streams.empty())
      for (EventIndex event = 0; event < timeline.size(); ++event) changes_.streams.push_back(calls_.streamOf(event));
    for (EventIndex event = 0; event < timeline.size(); ++event)
      if (isMoved(event)) changes_.streams[event] = stream;
    places_.assign(timeline.size(), 0);
  }

  void run() {
    for (const Call& call : calls_.calls())
      for (const EventIndex event : calls_.launched(call)) {
        places_[event] = ++place_;
        if (isMoved(event))
          order(event);
        else
          keep(event);
      }
  }

 private:
  /// What a stream of the measured run has launched so far.
  struct Home {
    EventIndex last = kNoEvent, lastMoved = kNoEvent, lastUnknown = kNoEvent;
    int32_t iteration = kNoIteration;
  };

  /// An event that was launched before the recording has its measured start.
  bool isMoved(EventIndex event) const { return moved_.events[event] && calls_.launchOf(event) != kNoCall; }

  /// Adds those needs of an event that are moved, or those that are not. Returns whether it has any needs.
  bool addNeeds(EventIndex event, bool areMoved) {
    const auto needs = moved_.needs.find(event);
    if (needs == moved_.needs.end()) return false;
    bool hasNeeds = false;
    for (const EventIndex need : needs->second) {
      if (places_[need] == 0) continue;
      hasNeeds = true;
      if (isMoved(need) == areMoved) wait(event, need);
    }
    return hasNeeds;
  }

  /// A moved event waits for what it needs. Without any it is where the stream forks.
  void order(EventIndex event) {
    Home& home = home_[calls_.streamOf(event)];
    wait(event, addNeeds(event, false) ? home.lastUnknown : home.last);
    home.lastMoved = event;
  }

  void keep(EventIndex event) {
    Home& home = home_[calls_.streamOf(event)];
    const int32_t iteration = calls_.timeline().iteration[event];
    if (moved_.unknown[event] || (home.last != kNoEvent && iteration != home.iteration))
      wait(event, home.lastMoved);
    else
      addNeeds(event, true);
    home.last = event;
    home.iteration = iteration;
    if (moved_.unknown[event]) home.lastUnknown = event;
  }

  void wait(EventIndex event, EventIndex source) {
    if (source != kNoEvent) changes_.sources[event].push_back(source);
  }

  const RunCalls& calls_;
  const MovedEvents& moved_;
  Changes& changes_;
  /// By event: its place in the order of launches, from 1.
  std::vector<size_t> places_;
  size_t place_ = 0;
  std::vector<Home> home_;
};

}  // namespace

void moveEvents(const RunModel& model, const MovedEvents& moved, StreamIndex stream, Changes& changes) {
  Mover(model, moved, stream, changes).run();
}

}  // namespace amdahlc::schedule
