// Facts about the format:
//   - `ts` and `dur` are microseconds as decimal text, absolute or relative to `baseTimeNanoseconds`, which is not
//     added.
//   - The category tells whether an event is a device event. Process 0 is the first device, and sometimes also a host
//     thread.
//   - A device event's `External id` collides with unrelated operators in traces before mid 2024, so launches are
//     joined by `correlation`.
//   - Flows (`ac2g`) repeat what correlation says, and are incomplete in old traces.
//   - Each allocation and each release is an instant event with the sum of what is allocated then.
//   - Metadata and `deviceProperties` may come before or after the events.
#include "runs/trace/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "replay/runtimes/device_calls.h"
#include "replay/runtimes/runtime.h"
#include "runs/trace/chrome_event.h"
#include "runs/trace/event_stream.h"
#include "runs/trace/format.h"
#include "support/limits.h"
#include "support/name_list.h"
#include "support/name_table.h"

namespace amdahlc::trace {
namespace {

struct CategoryRow {
  std::string_view name;
  KinetoCategory meaning;
};
constexpr KinetoCategory kIgnored{EventKind::Other, true};
constexpr CategoryRow kCategories[] = {
    {"cpu_op", {EventKind::Operator}},
    {"python_function", {EventKind::Frame}},
    {"cuda_runtime", {EventKind::Runtime}},
    {"cuda_driver", {EventKind::Runtime}},
    {"hip_runtime", {EventKind::Runtime}},
    {"xpu_runtime", {EventKind::Runtime}},
    {"xpu_driver", {EventKind::Runtime}},
    {"mtia_runtime", {EventKind::Runtime}},
    {"privateuse1_runtime", {EventKind::Runtime}},
    {"privateuse1_driver", {EventKind::Runtime}},
    {"kernel", {EventKind::Kernel}},
    {"gpu_memcpy", {EventKind::Copy}},
    {"gpu_memset", {EventKind::Set}},
    {"user_annotation", {EventKind::Annotation}},
    {"gpu_user_annotation", {EventKind::DeviceAnnotation}},
    {"cuda_sync", {EventKind::Synchronization}},
    {"cuda_event", {EventKind::Synchronization}},
    // Names before 2023.
    {"Operator", {EventKind::Operator}},
    {"Runtime", {EventKind::Runtime}},
    {"Kernel", {EventKind::Kernel}},
    {"Memcpy", {EventKind::Copy}},
    {"Memset", {EventKind::Set}},
    // Flows, spans of the profiler itself, counters: not work of the run.
    {"ac2g", kIgnored},
    {"async_cpu", kIgnored},
    {"async_gpu", kIgnored},
    {"fwdbwd", kIgnored},
    {"forward_backward", kIgnored},
    {"cpu_instant_event", kIgnored},
    {"external_correlation", kIgnored},
    {"hardware_counters", kIgnored},
    {"overhead", kIgnored},
    {"Trace", kIgnored},
    // What an annotated copy of a run has beside the events of the run.
    {kAnnotationCategory, kIgnored},
};

// With `profile_memory`, the name of the instant events of allocators.
constexpr std::string_view kMemoryRecord = "[memory]";
constexpr size_t kMaxNamedCategories = 5;
constexpr size_t kMaxShownCategory = 64;

/// What is known of texts that arrive as views of a text that does not last.
template <typename Value>
class ByText {
 public:
  /// The value of `text`; of a new text what `make` returns.
  template <typename Make>
  Value& get(std::string_view text, const Make& make) {
    const auto keep = [this](std::string_view added) { return kept_.text(kept_.intern(added)); };
    const auto [number, isNew] = table_.add(text, keep);
    if (isNew) values_.push_back(make());
    return values_[number];
  }
  /// In the order in which they were made.
  const std::deque<Value>& values() const { return values_; }

 private:
  NameTable table_;
  StringPool kept_;
  /// They stay where they are.
  std::deque<Value> values_;
};

/// Reads one file.
class KinetoReader : public EventHandler {
 public:
  explicit KinetoReader(TimelineBuilder& builder) : builder_(builder) {}

  void field(std::string_view key, std::string_view json) override {
    if (key == "deviceProperties") readDevices(json);
    if (key == "distributedInfo") readRank(json);
    if (key == "baseTimeNanoseconds") readClockOrigin(json);
    if (key == kExcerptKey) {
      try {
        builder_.setExcerpt(readExcerpt(json));
      } catch (const std::runtime_error& error) {
        throw InvalidValue(fmt::format("`{}` is not what an excerpt states: {}", key, error.what()), json.data());
      }
    }
    machine_.hasCudaVersion |= key.starts_with("cuda_") || key.starts_with("cupti_");
    machine_.hasHipVersion |=
        key.starts_with("hip_") || key.starts_with("roctracer_") || key.starts_with("rocprofiler_");
  }

  bool event(JsonCursor& cursor) override {
    ChromeEvent event;
    if (!readChromeEvent(cursor, event)) return false;
    ++events_;
    if (event.phase == "X")
      addEvent(event);
    else if (event.phase == "i" && event.name == kMemoryRecord)
      addMemory(event);
    else if (event.phase == "M" && event.name == "thread_name")
      threadNames_[Place(event.process, event.thread)] = trimmedName(unescapedJson(event.argumentName));
    else
      beginEnd_ += event.phase == "B" || event.phase == "E";
    return true;
  }

  void finish() override {
    for (const KnownTrack& track : tracks_.values()) {
      // A stream's name is of a device's track, any other one of the host's: process 0 may be both.
      const auto named = threadNames_.find({track.process, track.thread});
      if (named != threadNames_.end() && named->second.starts_with("stream") == track.device)
        builder_.nameTrack(track.track, named->second);
    }
    reportUnknownCategories();
    builder_.problem("incomplete-event", incomplete_, "events without a time or a name are left out");
    builder_.problem("shapes-too-long", longShapes_, kLongShapes);
    builder_.problem("invalid-shapes", invalidShapes_,
                     "operators have shapes or types that are no JSON; they are unknown");
    builder_.problem("begin-end-event", beginEnd_, "events written as a begin and an end are left out");
    for (const KnownTrack& track : tracks_.values())
      if (track.deviceWork > 0) machine_.deviceEvents[track.process] += track.deviceWork;
    builder_.facts().target = targetOf(machine_);
    for (const auto& [device, events] : machine_.deviceEvents)
      builder_.deviceTarget(device, targetOf(machine_, device));
  }

 private:
  using Place = std::pair<std::string, std::string>;  // process, thread
  struct KnownTrack {
    std::string process, thread;
    bool device;
    uint32_t track;
    int64_t deviceWork = 0;
  };

  /// Of the operators with the same shapes and types.
  struct ShapeFacts {
    /// kNoFacts if the text is damaged or too long.
    uint32_t facts;
    bool isTooLong;
  };

  static std::string shownCategory(std::string_view category) {
    return unescapedJson(beginningOfJson(category, kMaxShownCategory));
  }

  void reportUnknownCategories() {
    int64_t events = 0;
    for (const auto& [category, count] : unknownCategories_) events += count;
    const auto counted = [](const auto& category) { return fmt::format("`{}` ({})", category.first, category.second); };
    builder_.problem(
        "unknown-category", events,
        "events of unknown categories are left out: " + firstFew(unknownCategories_, counted, kMaxNamedCategories));
  }

  void addEvent(const ChromeEvent& event) {
    const std::optional<KinetoCategory>& category = categoryOf(event.category);
    if (!category) ++unknownCategories_[shownCategory(event.category)];
    if (!category || category->ignored) return;
    if (!event.startNs || event.name.empty()) {
      ++incomplete_;
      return;
    }
    std::string unescaped;
    RawEvent raw;
    raw.name = event.name;
    if (event.name.find('\\') != std::string_view::npos) raw.name = unescaped = unescapedJson(event.name);
    raw.kind = refine(category->kind, raw.name);
    raw.startNs = *event.startNs;
    raw.durationNs = event.durationNs.value_or(0);
    KnownTrack& track = trackOf(event, info(raw.kind).onDevice);
    raw.track = track.track;
    raw.correlation = event.correlation;
    raw.fileEvent = events_ - 1;
    if (event.iteration >= 0 && event.iteration <= limits::kExcerptIterations)
      raw.iteration = static_cast<int32_t>(event.iteration);
    raw.recordOrder = category->kind == EventKind::Frame ? event.pythonId : event.recordIndex;
    if (info(raw.kind).deviceWork) {
      if (event.launch) raw.facts = builder_.facts(*event.launch);
      ++track.deviceWork;
    } else if (raw.kind == EventKind::Operator) {
      longShapes_ += event.hasLongShapes;
      raw.facts = operatorFactsOf(event);
      raw.sequenceNumber = event.sequenceNumber;
      raw.forwardThread = std::in_range<int32_t>(event.forwardThread) ? static_cast<int32_t>(event.forwardThread) : 0;
    } else if (raw.kind == EventKind::Synchronization) {
      if (event.wait != WaitFacts()) raw.facts = builder_.facts(waitFactsOf(event));
    } else if (raw.kind == EventKind::Runtime) {
      machine_.hipCalls += isOfHip(raw.name);
      machine_.cudaCalls += isOfCuda(raw.name);
    }
    builder_.add(raw);
    if (raw.kind == EventKind::Runtime && (event.launch || !event.kernel.empty())) addStatedLaunch(event);
    if (event.recordFunction >= 0 && (raw.kind == EventKind::Operator || raw.kind == EventKind::Annotation))
      builder_.recordFunction(events_ - 1, event.recordFunction);
    if (event.collective && (info(raw.kind).deviceWork || raw.kind == EventKind::Operator)) addCollective(event);
  }

  void addMemory(const ChromeEvent& event) {
    const ChromeMemory& memory = event.memory;
    if (!event.startNs || memory.deviceType < 0 || (memory.deviceType > 0 && memory.device < 0)) return;
    builder_.memory(memory.deviceType == 0 ? "" : std::to_string(memory.device),
                    {*event.startNs, memory.allocatedBytes, memory.reservedBytes, memory.bytes, memory.address},
                    event.process, event.thread);
  }

  static WaitFacts waitFactsOf(const ChromeEvent& event) {
    WaitFacts facts = event.wait;
    // CUPTI's number for all streams, as traces of 2023 write it. Later ones write -1.
    constexpr int64_t kAllStreams = std::numeric_limits<uint32_t>::max();
    if (facts.stream == kAllStreams) facts.stream = -1;
    return facts;
  }

  void addStatedLaunch(const ChromeEvent& event) {
    const std::string kernel = unescapedJson(event.kernel), stream = unescapedJson(event.stream);
    builder_.statedLaunch(events_ - 1, kernel, stream, event.launch.value_or(LaunchFacts()));
  }

  void addCollective(const ChromeEvent& event) {
    const RawCollective& stated = *event.collective;
    const std::string operation = unescapedJson(stated.operation), group = unescapedJson(stated.group),
                      ranks = unescapedJson(stated.groupRanks);
    builder_.collective(events_ - 1, {operation, group, ranks, stated.groupSize, stated.sequence});
  }

  const std::optional<KinetoCategory>& categoryOf(std::string_view category) {
    return categories_.get(category, [&] { return kinetoCategory(category); });
  }

  /// Calls of modules are Python frames with a name of their own; traces of 2021 write steps as operators.
  EventKind refine(EventKind kind, std::string_view name) const {
    if (kind == EventKind::Frame && runtime_.isModuleCall(name)) return EventKind::ModuleFrame;
    if (kind == EventKind::Operator && runtime_.isStep(name)) return EventKind::Annotation;
    return kind;
  }

  /// Few operators differ in shapes and types from all before.
  uint32_t operatorFactsOf(const ChromeEvent& event) {
    if (event.inputDims.empty() && event.inputTypes.empty() && event.node.empty()) return kNoFacts;
    key_.assign(event.inputDims).append(1, '\n').append(event.inputTypes).append(1, '\n').append(event.inputValues);
    key_.append(1, '\n').append(event.inputStrides).append(1, '\n').append(event.node);
    const ShapeFacts& known = shapes_.get(key_, [&]() -> ShapeFacts {
      OperatorFacts facts;
      bool isTooLong = false;
      const bool valid = readOperatorFacts(event, facts, isTooLong);
      facts.node = unescapedJson(event.node);
      return {valid ? builder_.facts(std::move(facts)) : kNoFacts, isTooLong};
    });
    if (known.facts == kNoFacts && !event.hasLongShapes) ++(known.isTooLong ? longShapes_ : invalidShapes_);
    return known.facts;
  }

  KnownTrack& trackOf(const ChromeEvent& event, bool device) {
    // Most events are on the track of the last one of their side.
    KnownTrack*& last = lastTracks_[device ? 1 : 0];
    if (last != nullptr && last->process == event.process && last->thread == event.thread) return *last;
    key_.assign(event.process).append(1, '\n').append(event.thread).append(1, device ? 'd' : 'h');
    last = &tracks_.get(key_, [&]() -> KnownTrack {
      return {std::string(event.process), std::string(event.thread), device,
              builder_.track(unescapedJson(event.process), unescapedJson(event.thread), device)};
    });
    return *last;
  }

  static std::string trimmedName(std::string name) {
    name.erase(name.find_last_not_of(' ') + 1);
    return name;
  }

  /// -1 if the object has no such integer.
  static int64_t numberIn(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_integer() ? found->get<int64_t>() : -1;
  }

  void readDevices(std::string_view json) {
    if (json.size() > static_cast<size_t>(limits::kOperandTextBytes)) return;
    const auto devices = nlohmann::json::parse(json, nullptr, false);
    if (!devices.is_array()) return;
    for (const nlohmann::json& properties : devices) {
      if (!properties.is_object()) continue;
      KinetoMachine::Device& device = machine_.devices.emplace_back();
      if (const auto id = properties.find("id"); id != properties.end())
        device.id = id->is_string() ? id->get<std::string>() : id->dump();
      if (const auto name = properties.find("name"); name != properties.end() && name->is_string())
        device.name = name->get<std::string>();
      device.computeMajor = numberIn(properties, "computeMajor");
      device.computeMinor = numberIn(properties, "computeMinor");
    }
  }

  /// What cannot be read is not known.
  void readRank(std::string_view json) {
    const auto info = nlohmann::json::parse(json, nullptr, false);
    if (!info.is_object()) return;
    const int64_t rank = numberIn(info, "rank"), size = numberIn(info, "world_size");
    const auto isPossible = [](int64_t number) { return number >= 0 && number <= limits::kRankNumber; };
    if (isPossible(rank)) builder_.facts().rank = {rank, isPossible(size) ? size : -1};
  }

  void readClockOrigin(std::string_view json) {
    const auto origin = nlohmann::json::parse(json, nullptr, false);
    if (origin.is_number_unsigned() && origin.get<uint64_t>() <= static_cast<uint64_t>(limits::kTimeNs))
      builder_.facts().clockOriginNs = origin.get<int64_t>();
  }

  const RuntimeAdapter& runtime_ = runtimeAdapter(kPyTorch);
  TimelineBuilder& builder_;
  KinetoMachine machine_;
  ByText<std::optional<KinetoCategory>> categories_;
  /// By process, thread and side.
  ByText<KnownTrack> tracks_;
  std::array<KnownTrack*, 2> lastTracks_ = {};
  /// By shapes, types and node.
  ByText<ShapeFacts> shapes_;
  std::string key_;
  std::map<Place, std::string> threadNames_;
  std::map<std::string, int64_t> unknownCategories_;
  uint32_t events_ = 0;
  int64_t incomplete_ = 0;
  int64_t longShapes_ = 0, invalidShapes_ = 0;
  int64_t beginEnd_ = 0;
};

}  // namespace

std::optional<KinetoCategory> kinetoCategory(std::string_view category) {
  const auto row = std::ranges::find_if(kCategories, [&](const CategoryRow& r) { return r.name == category; });
  return row == std::end(kCategories) ? std::nullopt : std::optional(row->meaning);
}

std::string_view kinetoCategoryOf(EventKind kind, std::string_view vendor) {
  if (kind == EventKind::Runtime && vendor == "amd") return "hip_runtime";
  if (kind == EventKind::ModuleFrame) kind = EventKind::Frame;
  const auto row = std::ranges::find_if(
      kCategories, [&](const CategoryRow& r) { return !r.meaning.ignored && r.meaning.kind == kind; });
  return row == std::end(kCategories) ? "" : row->name;
}

namespace {

bool looksLikeKineto(const Beginning& beginning) {
  if (!beginning.json) return false;
  const JsonSketch& sketch = *beginning.json;
  // Metadata of any length may come before the events.
  if (!sketch.isArray)
    return sketch.has("traceEvents") || (sketch.has("schemaVersion") && sketch.has("deviceProperties"));
  // Other profilers also write arrays of chrome events. The category of the first event decides; metadata has none.
  return sketch.has("ph") && (kinetoCategory(sketch.firstCategory).has_value() || sketch.firstCategory.empty());
}

}  // namespace

const Format kKinetoFormat{"kineto", "PyTorch profiler (Kineto) JSON", 1, looksLikeKineto, readEvents<KinetoReader>};

}  // namespace amdahlc::trace
