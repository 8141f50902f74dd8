/// A measured run: events by column, on tracks, with the relations between them. Knows no file format and no model.
///
/// Times are int64 nanoseconds as the file states them (no rebasing). Events are sorted by (start, longer first, outer kind first, the
/// recorder's own order, file order), so an event's index is its rank in time. Relations are event indices; `kNoEvent` means none.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/string_pool.h"
#include "timeline/target.h"

namespace amdahlc {

using EventIndex = uint32_t;
inline constexpr EventIndex kNoEvent = std::numeric_limits<EventIndex>::max();
inline constexpr int32_t kNoIteration = -1;

enum class EventKind : uint8_t {
  Kernel,            ///< device: a kernel
  Copy,              ///< device: a memory copy
  Set,               ///< device: a memory set
  Operator,          ///< host: a framework operator (`aten::addmm`)
  Runtime,           ///< host: a driver or runtime call (`cudaLaunchKernel`)
  Annotation,        ///< host: a user annotation or profiler step
  DeviceAnnotation,  ///< device-side copy of an annotation: never an iteration, never device work
  Frame,             ///< host: a Python function
  ModuleFrame,       ///< host: a call of an `nn.Module`
  Synchronization,   ///< waits; not device work
  Other,
};
std::string_view name(EventKind kind);  ///< `kernel`, `copy`, ...

/// A device stream or a host thread.
struct Track {
  std::string process;  ///< pid as written
  std::string thread;   ///< tid as written; the stream of a device track
  bool device = false;
  std::string name;  ///< from metadata; may be empty
};

/// Facts of a kernel launch; -1 where the trace does not say.
struct LaunchFacts {
  int64_t grid[3] = {-1, -1, -1};
  int64_t block[3] = {-1, -1, -1};
  int64_t registers = -1;
  int64_t sharedMemoryBytes = -1;
  int64_t bytes = -1;  ///< of a copy or a set
};

/// Facts of a framework operator call.
struct OperatorFacts {
  std::vector<std::vector<int64_t>> inputDims;  ///< one per argument; empty for a scalar or a non-tensor
  std::vector<std::string> inputTypes;          ///< as written: `c10::BFloat16`, `float`, `Scalar`, ...
  int64_t sequenceNumber = -1;
};

/// One repetition of the measured work.
struct Iteration {
  std::string name;                ///< `ProfilerStep#3`, `model_inference`, `repeat 2`, or `whole trace`
  std::optional<int64_t> startNs;  ///< host extent of the enclosing annotation or step; none where there is none
  std::optional<int64_t> endNs;
  bool selected = true;
};

struct Timeline {
  std::string label;        ///< unique in a module
  std::string file;         ///< file name without folders
  std::string format;       ///< `kineto`
  std::string contentHash;  ///< of the file's bytes
  /// As the trace states it.
  Target target;
  bool hasDevice = true;   ///< false: device events are leaf CPU operators
  bool hostEvents = true;  ///< false once read back from IR text, which carries device events only

  StringPool strings;
  std::vector<Track> tracks;

  // One entry per event.
  std::vector<EventKind> kind;
  std::vector<int64_t> startNs;
  std::vector<int64_t> durationNs;
  std::vector<Symbol> name;
  std::vector<uint32_t> track;
  std::vector<int64_t> correlation;  ///< -1 for none
  std::vector<EventIndex> parent;  ///< host: the innermost enclosing operator, frame or runtime call of the same thread
  std::vector<EventIndex> launch;  ///< device: the runtime call that launched it; a leaf operator: itself
  std::vector<EventIndex> launchOp;  ///< device: the innermost framework operator around the launch
  std::vector<int32_t> iteration;    ///< index into `iterations`, by the launch; kNoIteration outside all
  std::vector<bool>
      deviceWork;  ///< counts as an "event" of the definitions: kernel, copy, set; without a device a leaf CPU operator
  std::vector<uint32_t> factsIndex;  ///< into launchFacts (device) or operatorFacts (operators); kNoFacts for none
  static constexpr uint32_t kNoFacts = std::numeric_limits<uint32_t>::max();
  std::vector<LaunchFacts> launchFacts;
  std::vector<OperatorFacts> operatorFacts;

  std::vector<Iteration> iterations;  ///< in time order; never empty after reading
  /// Odd but usable data by kind, as the reader met it: (name, count, one sentence).
  struct Problem {
    std::string name;
    int64_t count = 0;
    std::string what;
  };
  std::vector<Problem> problems;

  size_t size() const { return kind.size(); }
  std::string_view text(Symbol symbol) const { return strings.text(symbol); }
  int64_t endNs(EventIndex event) const { return startNs[event] + durationNs[event]; }
  bool isDeviceKind(EventIndex event) const {
    return kind[event] == EventKind::Kernel || kind[event] == EventKind::Copy || kind[event] == EventKind::Set;
  }
  /// Selected: device work of a selected iteration.
  bool isSelected(EventIndex event) const {
    return deviceWork[event] && iteration[event] != kNoIteration &&
           iterations[static_cast<size_t>(iteration[event])].selected;
  }
  /// Selected device events in order of start.
  std::vector<EventIndex> selectedEvents() const;
  int64_t selectedIterationCount() const;
  /// The launching operator chain of a device event, innermost first; empty without one.
  std::vector<EventIndex> operatorChain(EventIndex event) const;
  /// The module frames around the launch, outermost first.
  std::vector<EventIndex> moduleFrames(EventIndex event) const;
  const OperatorFacts* operatorFactsOf(EventIndex event) const;
  const LaunchFacts* launchFactsOf(EventIndex event) const;
};

/// Which iterations count. `Auto` drops the first as warm-up where there are three or more.
enum class StepSelection : uint8_t { Auto, All };

}  // namespace amdahlc
