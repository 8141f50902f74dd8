// Facts about the format:
//   - `ts` and `dur` are microseconds as decimal text, absolute or relative to `baseTimeNanoseconds`, which is not
//     added.
//   - The category tells whether an event is a device event. Process 0 is the first device, and sometimes also a host
//     thread.
//   - A device event's `External id` collides with unrelated operators in traces before mid 2024, so launches are
//     joined by `correlation`.
//   - Flows (`ac2g`) repeat what correlation says, and are incomplete in old traces.
//   - Metadata and `deviceProperties` may come before or after the events.
#include "trace/kineto.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtimes/pytorch.h"
#include "trace/kineto_event.h"
#include "trace/trace_input.h"

namespace amdahlc::trace {
namespace {

namespace ondemand = simdjson::ondemand;

struct CategoryRow {
  std::string_view name;
  KinetoCategory meaning;
};
/// simdjson counts bytes in 32 bits.
constexpr uint64_t kMaxTextBytes = (uint64_t{4} << 30) - 4096;

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
};

/// Reads one file.
class KinetoReader {
 public:
  explicit KinetoReader(TimelineBuilder& builder) : builder_(builder) {}

  void readDocument(ondemand::document& document) {
    if (document.type() == ondemand::json_type::array) {
      readEvents(document.get_array());
      return;
    }
    for (auto field : document.get_object()) {
      const std::string_view key = field.unescaped_key();
      ondemand::value value = field.value();
      if (key == "traceEvents") {
        if (value.type() != ondemand::json_type::array)
          throw InvalidValue("`traceEvents` is not an array", value.raw_json_token().data());
        readEvents(value.get_array());
      } else if (key == "deviceProperties") {
        readDevices(value);
      }
      machine_.hasCudaVersion |= key.starts_with("cuda_") || key.starts_with("cupti_");
      machine_.hasHipVersion |=
          key.starts_with("hip_") || key.starts_with("roctracer_") || key.starts_with("rocprofiler_");
    }
  }

  void finish() {
    for (const auto& [place, name] : threadNames_) {
      const bool device = name.starts_with("stream");
      if (const auto known = tracks_.find({place, device}); known != tracks_.end())
        builder_.nameTrack(known->second, name);
    }
    for (const auto& [category, count] : unknownCategories_)
      builder_.problem("unknown-category `" + category + "`", count, "events of an unknown category are left out");
    builder_.problem("incomplete-event", incomplete_, "events without a time or a name are left out");
    builder_.problem("begin-end-event", beginEnd_, "events written as a begin and an end are left out");
    builder_.facts().target = targetOf(machine_);
  }

 private:
  using Place = std::pair<std::string, std::string>;  // process, thread

  void readEvents(ondemand::array events) {
    for (ondemand::value element : events) {
      if (element.type() != ondemand::json_type::object)
        throw InvalidValue("an element of `traceEvents` is not an object", element.raw_json_token().data());
      addEvent(readChromeEvent(element.get_object()));
    }
  }

  void addEvent(ChromeEvent event) {
    if (event.phase == "M") {
      if (event.name == "thread_name")
        threadNames_[Place(event.process, event.thread)] = trimmedName(event.argumentName);
      return;
    }
    beginEnd_ += event.phase == "B" || event.phase == "E";
    if (event.phase != "X") return;
    const auto category = kinetoCategory(event.category);
    if (!category) ++unknownCategories_[std::string(event.category.substr(0, 64))];
    if (!category || category->ignored) return;
    if (!event.startNs || event.name.empty()) {
      ++incomplete_;
      return;
    }
    RawEvent raw;
    raw.kind = refine(category->kind, event.name);
    raw.startNs = *event.startNs;
    raw.durationNs = event.durationNs.value_or(0);
    raw.name = event.name;
    raw.track = trackOf(event, info(raw.kind).onDevice);
    raw.correlation = event.correlation;
    raw.recordOrder = category->kind == EventKind::Frame ? event.pythonId : event.recordIndex;
    raw.launchFacts = event.launch;
    raw.operatorFacts = std::move(event.op);
    if (raw.kind == EventKind::Runtime) {
      machine_.hipCalls += event.name.starts_with("hip");
      machine_.cudaCalls += event.name.starts_with("cu");
    }
    if (info(raw.kind).deviceWork) ++machine_.deviceEvents[std::string(event.process)];
    builder_.add(raw);
  }

  /// Calls of modules are Python frames with a name of their own; traces of 2021 write steps as operators.
  EventKind refine(EventKind kind, std::string_view name) const {
    if (kind == EventKind::Frame && runtime_.isModuleCall(name)) return EventKind::ModuleFrame;
    if (kind == EventKind::Operator && runtime_.isStep(name)) return EventKind::Annotation;
    return kind;
  }

  static std::string trimmedName(std::string_view name) {
    while (name.ends_with(' ')) name.remove_suffix(1);
    return std::string(name);
  }

  uint32_t trackOf(const ChromeEvent& event, bool device) {
    const auto key = std::pair(Place(event.process, event.thread), device);
    if (const auto known = tracks_.find(key); known != tracks_.end()) return known->second;
    return tracks_[key] = builder_.track(event.process, event.thread, device);
  }

  void readDevices(ondemand::value value) {
    if (value.type() != ondemand::json_type::array) return;
    for (ondemand::value element : value.get_array()) {
      if (element.type() != ondemand::json_type::object) continue;
      KinetoMachine::Device device;
      for (auto field : element.get_object()) {
        const std::string_view key = field.unescaped_key();
        ondemand::value property = field.value();
        if (key == "id")
          device.id = scalarText(property);
        else if (key == "name")
          device.name = scalarText(property);
        else if (key == "computeMajor")
          device.computeMajor = integerOr(property);
        else if (key == "computeMinor")
          device.computeMinor = integerOr(property);
      }
      machine_.devices.push_back(std::move(device));
    }
  }

  const PyTorchRuntime runtime_;
  TimelineBuilder& builder_;
  KinetoMachine machine_;
  std::map<std::pair<Place, bool>, uint32_t> tracks_;
  std::map<Place, std::string> threadNames_;
  std::map<std::string, int64_t> unknownCategories_;
  int64_t incomplete_ = 0;
  int64_t beginEnd_ = 0;
};

}  // namespace

std::optional<KinetoCategory> kinetoCategory(std::string_view category) {
  const auto row = std::find_if(std::begin(kCategories), std::end(kCategories),
                                [&](const CategoryRow& r) { return r.name == category; });
  return row == std::end(kCategories) ? std::nullopt : std::optional(row->meaning);
}

bool looksLikeKineto(const Beginning& beginning) {
  if (!beginning.json) return false;
  const JsonSketch& sketch = *beginning.json;
  if (!sketch.isArray) return sketch.has("traceEvents");
  // Other profilers also write arrays of chrome events. The category of the first event decides; metadata has none.
  return sketch.has("ph") && (kinetoCategory(sketch.firstCategory).has_value() || sketch.firstCategory.empty());
}

bool readKineto(TraceFiles files, TimelineBuilder& builder, DiagnosticEngine& diagnostics) {
  TraceFile& file = *files.front();
  auto text = file.readAll(kMaxTextBytes, simdjson::SIMDJSON_PADDING);
  if (!text) return false;
  const TraceInput input = TraceInput::padded(std::move(*text), file.name());
  ondemand::parser parser;
  ondemand::document document;
  try {
    document = parser.iterate(input.text.data(), input.text.size(), input.text.capacity());
    KinetoReader reader(builder);
    reader.readDocument(document);
    const char* rest = nullptr;
    if (!document.current_location().get(rest)) {  // succeeds only before the end
      reportJsonDamage(input, "text follows the end of the document", input.offsetOf(rest), diagnostics);
      return false;
    }
    reader.finish();
    return true;
  } catch (const InvalidValue& error) {
    diagnostics.error(DiagId::TraceInvalid, input.at(input.offsetOf(error.place)), error.what());
  } catch (const simdjson::simdjson_error& error) {
    const char* place = nullptr;
    if (!document.is_alive() || document.current_location().get(place)) place = nullptr;
    reportJsonDamage(input, error.what(), input.offsetOf(place), diagnostics);
  }
  return false;
}

}  // namespace amdahlc::trace
