#include "replay/schedule/time_pieces.h"

#include <iterator>

namespace amdahlc::schedule {

std::string_view name(PieceKind kind) {
  // In the order of the enumeration.
  static constexpr std::string_view kTexts[] = {
      "device-work",    "host",       "synchronization", "input",     "launch-call",
      "launch-latency", "kernel-gap", "dependency",      "hand-over", "unknown",
  };
  static_assert(std::size(kTexts) == static_cast<size_t>(PieceKind::Unknown) + 1);
  return kTexts[static_cast<size_t>(kind)];
}

std::string_view describe(PieceNote note) {
  // In the order of the enumeration.
  static constexpr std::string_view kTexts[] = {
      "", "nothing recorded", "launched before the recording", "unexplained wait", "queue of launches full",
  };
  static_assert(std::size(kTexts) == static_cast<size_t>(PieceNote::QueueFull) + 1);
  return kTexts[static_cast<size_t>(note)];
}

void PieceSums::add(PieceKind kind, Symbol name, PieceNote note, int64_t ns) {
  if (ns <= 0) return;
  const auto [found, isNew] = indexOf_.try_emplace({kind, name.index, note}, pieces_.size());
  if (isNew) pieces_.push_back({kind, name, note, 0});
  pieces_[found->second].ns += ns;
}

void addHostPieces(const RunCalls& calls, const HostActivity& activity, ThreadIndex thread, int64_t fromNs,
                   int64_t toNs, const std::function<void(const TimePiece&)>& add) {
  const HostFacts& host = calls.host();
  activity.forEach(thread, fromNs, toNs, [&](const HostSegment& segment) {
    const auto piece = [&](PieceKind kind, HostEventId event) {
      add({kind, host.name[event], PieceNote::None, segment.endNs - segment.startNs});
    };
    if (segment.event.isNone())
      return add({PieceKind::Host, {}, PieceNote::NothingRecorded, segment.endNs - segment.startNs});
    if (!segment.input.isNone()) return piece(PieceKind::Input, segment.input);
    const bool waits =
        host.kind[segment.event] == EventKind::Runtime && isSynchronization(calls.meaningOf(segment.event));
    piece(waits ? PieceKind::Synchronization : PieceKind::Host, segment.event);
  });
}

}  // namespace amdahlc::schedule
