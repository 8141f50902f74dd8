#include "runs/trace/annotations.h"

#include <algorithm>

namespace amdahlc {
namespace {

void extend(AnnotatedSlice& slice, int64_t endNs, int64_t events, int64_t workNs) {
  slice.endNs = std::max(slice.endNs, endNs);
  slice.events += events;
  slice.workNs += workNs;
}

/// From the outermost one inwards, without the root.
std::vector<uint32_t> scopesAround(const TraceAnnotations& annotations, uint32_t scope) {
  std::vector<uint32_t> chain;
  for (; annotations.scopes[scope].parent != TraceAnnotations::kNone; scope = annotations.scopes[scope].parent)
    chain.push_back(scope);
  std::ranges::reverse(chain);
  return chain;
}

void addScopes(const TraceAnnotations& annotations, AnnotatedTrack& track) {
  std::vector<size_t> open;
  int32_t iteration = kNoIteration;
  for (const AnnotatedSlice& slice : track.subjects) {
    const uint32_t scope = annotations.subjects[slice.of].scope;
    if (scope == TraceAnnotations::kNone) continue;
    const std::vector<uint32_t> chain = scopesAround(annotations, scope);
    size_t same = 0;
    if (slice.iteration == iteration)
      while (same < open.size() && same < chain.size() && track.scopes[open[same]].of == chain[same]) ++same;
    iteration = slice.iteration;
    open.resize(same);
    for (const size_t around : open) extend(track.scopes[around], slice.endNs, slice.events, slice.workNs);
    for (; same < chain.size(); ++same) {
      open.push_back(track.scopes.size());
      track.scopes.push_back(slice);
      track.scopes.back().of = chain[same];
    }
  }
}

}  // namespace

std::vector<AnnotatedTrack> annotatedTracks(const Timeline& timeline, const TraceAnnotations& annotations) {
  std::vector<AnnotatedTrack> tracks;
  std::vector<size_t> position(timeline.tracks.size(), SIZE_MAX);
  for (const EventIndex event : timeline.selectedEvents()) {
    const uint32_t subject = annotations.subjectOf[event];
    if (subject == TraceAnnotations::kNone) continue;
    size_t& at = position[timeline.track[event]];
    if (at == SIZE_MAX) {
      at = tracks.size();
      tracks.push_back({timeline.track[event], {}, {}});
    }
    std::vector<AnnotatedSlice>& slices = tracks[at].subjects;
    const int32_t iteration = timeline.iteration[event];
    if (!slices.empty() && slices.back().of == subject && slices.back().iteration == iteration) {
      extend(slices.back(), timeline.endNs(event), 1, timeline.durationNs[event]);
      continue;
    }
    const int64_t startNs =
        slices.empty() ? timeline.startNs[event] : std::max(timeline.startNs[event], slices.back().endNs);
    slices.push_back(
        {subject, startNs, std::max(startNs, timeline.endNs(event)), 1, timeline.durationNs[event], iteration});
  }
  for (AnnotatedTrack& track : tracks) addScopes(annotations, track);
  return tracks;
}

}  // namespace amdahlc
