#include "replay/schedule/time_pieces.h"

#include "replay/schedule/host_pieces.h"

namespace amdahlc::schedule {

std::string_view name(PieceKind kind) {
  switch (kind) {
    case PieceKind::DeviceWork:
      return "device-work";
    case PieceKind::Host:
      return "host";
    case PieceKind::Synchronization:
      return "synchronization";
    case PieceKind::Input:
      return "input";
    case PieceKind::LaunchCall:
      return "launch-call";
    case PieceKind::LaunchLatency:
      return "launch-latency";
    case PieceKind::KernelGap:
      return "kernel-gap";
    case PieceKind::Dependency:
      return "dependency";
    case PieceKind::HandOver:
      return "hand-over";
    case PieceKind::Unknown:
      return "unknown";
  }
  return {};
}

std::string_view describe(PieceNote note) {
  switch (note) {
    case PieceNote::None:
      return {};
    case PieceNote::NothingRecorded:
      return "nothing recorded";
    case PieceNote::BeforeRecording:
      return "launched before the recording";
    case PieceNote::Unexplained:
      return "unexplained wait";
    case PieceNote::QueueFull:
      return "queue of launches full";
  }
  return {};
}

void PieceSums::add(PieceKind kind, Symbol name, PieceNote note, int64_t ns) {
  if (ns <= 0) return;
  const auto [found, isNew] = indexOf_.try_emplace({kind, name.index, note}, pieces_.size());
  if (isNew) pieces_.push_back({kind, name, note, 0});
  pieces_[found->second].ns += ns;
}

void addHostPieces(const RunCalls& calls, const HostActivity& activity, ThreadIndex thread, int64_t fromNs,
                   int64_t toNs, const PieceSink& add) {
  const HostFacts& host = calls.host();
  activity.forEach(thread, fromNs, toNs, [&](const HostSegment& segment) {
    const auto piece = [&](PieceKind kind, HostEventId event) {
      add({kind, host.name[event], PieceNote::None, segment.endNs - segment.startNs});
    };
    if (segment.event.isNone())
      return add({PieceKind::Host, {}, PieceNote::NothingRecorded, segment.endNs - segment.startNs});
    if (!segment.input.isNone()) return piece(PieceKind::Input, segment.input);
    if (host.kind[segment.event] == EventKind::Runtime) {
      const DeviceCall meaning = calls.meaningOf(segment.event);
      if (meaning == DeviceCall::DeviceSync || meaning == DeviceCall::StreamSync || meaning == DeviceCall::EventSync)
        return piece(PieceKind::Synchronization, segment.event);
    }
    piece(PieceKind::Host, segment.event);
  });
}

}  // namespace amdahlc::schedule
