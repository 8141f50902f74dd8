#include <algorithm>
#include <utility>

#include "replay/schedule/program_changes.h"

namespace amdahlc::schedule {
namespace {

class Mover {
 public:
  Mover(const RunModel& model, const MovedEvents& moved, StreamIndex stream, Changes& changes)
      : calls_(model.calls), moved_(moved), stream_(stream), changes_(changes) {
    const Timeline& timeline = calls_.timeline();
    beginMoves(calls_, changes_);
    home_ = changes_.streams;
    homes_.resize(newStream(calls_, changes_));
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
  /// What a stream has launched so far.
  struct Home {
    EventIndex last = kNoEvent, lastMoved = kNoEvent, lastUnknown = kNoEvent;
    /// The moved event for which the stream waited as a whole.
    EventIndex joined = kNoEvent;
    int32_t iteration = kNoIteration;
  };

  /// An event that was launched before the recording has its measured start.
  bool isMoved(EventIndex event) const {
    return moved_.events[event] && calls_.launchOf(event) != kNoCall && home_[event] != stream_;
  }

  /// Those needs of an event that are moved, or those that are not: of each stream the last, which is over after the
  /// others. The second is whether the event has any needs at all.
  std::pair<std::vector<EventIndex>, bool> needsOf(EventIndex event, bool areMoved) const {
    std::map<StreamIndex, EventIndex> last;
    bool hasAny = false;
    if (const auto needs = moved_.needs.find(event); needs != moved_.needs.end())
      for (const EventIndex need : needs->second) {
        if (places_[need] == 0) continue;
        hasAny = true;
        if (isMoved(need) != areMoved) continue;
        const auto [one, isNew] = last.emplace(changes_.streams[need], need);
        if (!isNew && places_[one->second] < places_[need]) one->second = need;
      }
    std::vector<EventIndex> needs;
    for (const auto& [stream, need] : last) needs.push_back(need);
    return {needs, hasAny};
  }

  /// A moved event waits for what it needs. Without any it is where the stream forks.
  void order(EventIndex event) {
    const StreamIndex stream = home_[event];
    Home& home = homes_[stream];
    auto [needs, hasAny] = needsOf(event, false);
    const EventIndex before = hasAny ? home.lastUnknown : home.last;
    const bool isImplied = std::any_of(needs.begin(), needs.end(), [&](EventIndex need) {
      return home_[need] == stream && before != kNoEvent && places_[before] <= places_[need];
    });
    if (!isImplied) needs.push_back(before);
    for (const EventIndex need : needs) wait(event, need);
    home.lastMoved = event;
  }

  void keep(EventIndex event) {
    Home& home = homes_[home_[event]];
    const int32_t iteration = calls_.timeline().iteration[event];
    if (moved_.unknown[event] || (home.last != kNoEvent && iteration != home.iteration)) {
      if (home.lastMoved != kNoEvent && home.lastMoved != home.joined) wait(event, home.lastMoved);
      home.joined = home.lastMoved;
    } else {
      for (const EventIndex need : needsOf(event, true).first) wait(event, need);
    }
    home.last = event;
    home.iteration = iteration;
    if (moved_.unknown[event]) home.lastUnknown = event;
  }

  void wait(EventIndex event, EventIndex source) {
    if (source == kNoEvent) return;
    std::vector<EventIndex>& sources = changes_.sources[event];
    // Another move may have found the same need.
    if (std::find(sources.begin(), sources.end(), source) == sources.end()) sources.push_back(source);
  }

  const RunCalls& calls_;
  const MovedEvents& moved_;
  StreamIndex stream_;
  Changes& changes_;
  /// By event: its place in the order of launches, from 1.
  std::vector<size_t> places_;
  size_t place_ = 0;
  /// By event: its stream before the move, which another change may have made another one than the measured.
  std::vector<StreamIndex> home_;
  std::vector<Home> homes_;
};

}  // namespace

void moveEvents(const RunModel& model, const MovedEvents& moved, StreamIndex stream, Changes& changes) {
  Mover(model, moved, stream, changes).run();
}

}  // namespace amdahlc::schedule
