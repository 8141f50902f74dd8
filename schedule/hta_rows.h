/// The events of a run as HolisticTraceAnalysis sees them: one list for host and device, with the relations that its
/// critical path needs. A part of `hta_path.h`.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/hta_path.h"
#include "timeline/timeline.h"

namespace amdahlc::schedule {

/// An event of host or device, by its place in the file.
using HtaRowIndex = uint32_t;
using HtaNodeIndex = uint32_t;
using HtaStreamIndex = uint32_t;
inline constexpr uint32_t kNoIndex = std::numeric_limits<uint32_t>::max();

/// What the name of a call says of it, as a set.
struct HtaCall {
  static constexpr uint8_t kLaunches = 1;
  /// Holds a lock of the process.
  static constexpr uint8_t kLocks = 2;
  /// The time before its end is spent waiting.
  static constexpr uint8_t kWaits = 4;
  static constexpr uint8_t kRecords = 8;
};

/// Of `EventKind::Synchronization`: who waits for what.
enum class HtaWait : uint8_t {
  None,
  /// A call for the last event of every stream, or of one.
  Context,
  Stream,
  /// A call for what was launched before the record of an event, and the next event of a stream for that.
  Event,
  StreamForEvent,
};

struct HtaRow {
  EventKind kind = EventKind::Other;
  HtaWait wait = HtaWait::None;
  /// A set of `HtaCall`, by the name alone.
  uint8_t call = 0;
  bool inScope = false;
  /// Of calls: after it the queue of its stream held only what it launched. Of device events: nothing after its start.
  bool foundIdle = false;
  Symbol name;
  uint32_t track = 0;
  int64_t startUs = 0;
  int64_t endUs = 0;
  int64_t correlation = -1;
  /// Of an event, or which waits; kNoIndex for none.
  HtaStreamIndex stream = kNoIndex;
  /// Of a call: what it launched, or the wait that it made. Of these: the call. kNoIndex for none.
  HtaRowIndex partner = kNoIndex;
  const WaitFacts* waitFacts = nullptr;

  int64_t durationUs() const { return endUs - startUs; }
  bool isCall() const { return kind == EventKind::Runtime; }
  bool isDeviceWork() const { return info(kind).deviceWork; }
  bool hasStream() const { return stream != kNoIndex; }
  bool hasPartner() const { return partner != kNoIndex; }
};

class HtaRows {
 public:
  /// `timeline` must outlive it, have starts, and have host events.
  explicit HtaRows(const Timeline& timeline);

  /// Sets `HtaRow::inScope`. False if there is no such annotation.
  bool setScope(const HtaScope& scope);

  const Timeline& timeline() const { return timeline_; }
  HtaRowIndex size() const { return static_cast<HtaRowIndex>(rows_.size()); }
  const HtaRow& operator[](HtaRowIndex row) const { return rows_[row]; }
  size_t streams() const { return streams_.size(); }

  /// Of a wait for an event: the device event that is waited for, which is the last that was launched on the stream of
  /// the record before it; kNoIndex without one, as for the next.
  HtaRowIndex sourceOf(const HtaRow& wait) const;
  /// Of the wait of a stream: the device event that waits, which is the next that the thread launches there.
  HtaRowIndex targetOf(const HtaRow& wait) const;

 private:
  /// A call that launched something on a stream.
  struct Launch {
    HtaStreamIndex stream;
    uint32_t track;
    int64_t us;
    HtaRowIndex row;
  };

  HtaStreamIndex streamOf(const std::string& number);
  void readRows();
  void nameCalls();
  void joinRows();
  void findLaunches();
  void findQueues();
  void findRecords();

  const Timeline& timeline_;
  std::vector<HtaRow> rows_;
  std::map<std::string, HtaStreamIndex, std::less<>> streams_;
  /// By stream and time; by stream, thread and time.
  std::vector<Launch> launches_, threadLaunches_;
  /// By the correlation of a record: as `sourceOf`. Only looked up.
  std::unordered_map<int64_t, HtaRowIndex> recorded_;
};

}  // namespace amdahlc::schedule
