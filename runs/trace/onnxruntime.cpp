// Facts about the format:
//   - `ts` and `dur` are whole microseconds since profiling began. Both are cut, so that an event below 1 us has no
//     duration.
//   - A run of a node is a row `NODE_kernel_time`, beside it `NODE_fence_before` and `NODE_fence_after`, which only
//     wait. NODE is the name of a node of the optimised graph, or the operator's type and a number for one without a
//     name; the oldest files have no NODE. A node with a body encloses the rows of its body.
//   - On the CPU such a row is the work itself. For a provider that launches work on a device it is the time of the
//     launch; the work are the rows `Kernel`, which name the row that launched them and follow it.
//   - The runtime finds the row that launched a kernel by the microsecond of its start. So of several rows that start
//     in one microsecond it takes one.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/time_limits.h"
#include "runs/trace/chrome_event.h"
#include "runs/trace/event_stream.h"
#include "runs/trace/format.h"

namespace amdahlc::trace {
namespace {

/// The limit of ONNX Runtime's profiler. Kernels are added to the events later.
constexpr int64_t kMaxRecordedEvents = 1'000'000;

constexpr std::string_view kNodeSuffix = "_kernel_time";
constexpr std::string_view kWaitSuffixes[] = {"_fence_before", "_fence_after"};

struct ProviderRow {
  std::string_view name;
  std::string_view vendor;
  /// It returns before the work is done, so that the row of a node is the time of the launch.
  bool launches = false;
};
/// A provider that is not in the list has no vendor, and its rows count as work.
constexpr ProviderRow kProviders[] = {
    {"CPUExecutionProvider", "cpu"},
    {"CUDAExecutionProvider", "nvidia", true},
    {"CoreMLExecutionProvider", "apple"},
    {"DmlExecutionProvider", "", true},
    {"DnnlExecutionProvider", "cpu"},
    {"JsExecutionProvider", "", true},
    {"MIGraphXExecutionProvider", "amd", true},
    {"NvTensorRTRTXExecutionProvider", "nvidia", true},
    {"OpenVINOExecutionProvider", "intel"},
    {"ROCMExecutionProvider", "amd", true},
    {"TensorrtExecutionProvider", "nvidia", true},
    {"WebGpuExecutionProvider", "", true},
    {"XnnpackExecutionProvider", "cpu"},
};

ProviderRow providerOf(std::string_view name) {
  const auto* row = std::ranges::find_if(kProviders, [&](const ProviderRow& r) { return r.name == name; });
  return row == std::end(kProviders) ? ProviderRow{name, ""} : *row;
}

struct OnnxRuntimeEvent : EventHead {
  /// Of a node: the operator's type without its domain, and who ran it (`CPUExecutionProvider`).
  std::string_view operatorType, provider;
  /// Of a kernel: the name of the node's event, and the stream.
  std::string_view parentName, stream;
  /// The operands; dimensions and types only.
  OperatorFacts op;
};

/// `[{"float":[1,576]},{"int64":[]}]`: one entry for each operand.
bool readOperands(JsonCursor& cursor, OnnxRuntimeEvent& event) {
  JsonCursor behind = cursor;
  std::string_view text;
  if (!readOperandText(behind, text, event.hasLongShapes)) return false;
  if (event.hasLongShapes) {
    cursor = behind;
    return true;
  }
  OperatorFacts& op = event.op;
  if (cursor.peek() != '[') return cursor.skip();
  return cursor.array([&] {
    if (cursor.peek() != '{') return cursor.skip();
    return cursor.object([&](std::string_view type) {
      op.inputTypes.push_back(unescapedJson(type));
      std::vector<int64_t>& dims = op.inputDims.emplace_back();
      if (cursor.peek() != '[') return cursor.skip();
      return cursor.array([&] { return readInteger(cursor, dims.emplace_back()); });
    });
  });
}

/// The place for an argument that is a fact of a launch; null for another key.
int64_t* launchFact(std::string_view key, LaunchFacts& launch) {
  const std::pair<std::string_view, int64_t*> facts[] = {
      {"grid_x", &launch.grid[0]},   {"grid_y", &launch.grid[1]},   {"grid_z", &launch.grid[2]},
      {"block_x", &launch.block[0]}, {"block_y", &launch.block[1]}, {"block_z", &launch.block[2]},
  };
  const auto* found = std::ranges::find_if(facts, [&](const auto& row) { return row.first == key; });
  return found == std::end(facts) ? nullptr : found->second;
}

bool readNodeArguments(JsonCursor& cursor, OnnxRuntimeEvent& event) {
  LaunchFacts launch;
  return cursor.object([&](std::string_view key) {
    if (key == "op_name") return readText(cursor, event.operatorType);
    if (key == "provider") return readText(cursor, event.provider);
    if (key == "parent_name") return readText(cursor, event.parentName);
    if (key == "stream") return readText(cursor, event.stream);
    if (key == "input_type_shape") return readOperands(cursor, event);
    int64_t* const fact = launchFact(key, launch);
    if (fact == nullptr) return cursor.skip();
    if (!readInteger(cursor, *fact)) return false;
    event.launch = launch;
    return true;
  });
}

/// Collects what the events of a file say, in the order of the file.
class OnnxRuntimeReader : public EventHandler {
 public:
  explicit OnnxRuntimeReader(TimelineBuilder& builder) : builder_(builder) {}

  bool event(JsonCursor& cursor) override {
    OnnxRuntimeEvent event;
    if (!readEvent(cursor, event, [&] { return readNodeArguments(cursor, event); })) return false;
    // Before ONNX Runtime 1.32 names are written between quotes as they are.
    literalNames_ += !isEscapedName(event.name) || !isEscapedName(event.parentName);
    const std::string name = nameOf(event.name), parentName = nameOf(event.parentName);
    event.name = name;
    event.parentName = parentName;
    add(event);
    return true;
  }

  void add(const OnnxRuntimeEvent& event) {
    const int64_t number = events_++;
    if (event.phase != "X") {
      // Wrapped files may have metadata.
      otherPhases_ += event.phase != "M";
      return;
    }
    kernels_ += event.category == "Kernel";
    if (!event.startNs || event.name.empty()) {
      ++incomplete_;
      return;
    }
    RawEvent raw;
    raw.startNs = *event.startNs;
    raw.durationNs = event.durationNs.value_or(0);
    raw.name = event.name;
    raw.track = builder_.track(event.process, event.thread, false);
    // A row is written when its node ends, so that the outer one of two equal intervals comes later.
    raw.recordOrder = raw.durationNs > 0 ? INT64_MAX - number : number;
    raw.fileEvent = static_cast<uint32_t>(number);
    if (event.category == "Node") {
      addNode(event, raw);
    } else if (event.category == "Kernel") {
      addKernel(event, raw);
    } else if (event.category == "Session") {
      raw.kind = EventKind::Annotation;
      if (runtime_.isStep(event.name))
        executions_.push_back({raw, std::string(event.name)});
      else
        builder_.add(raw);
    } else if (event.category == "Api") {
      raw.kind = EventKind::Runtime;
      builder_.add(raw);
    } else {
      ++unknownCategories_[std::string(event.category.substr(0, 64))];
    }
  }

  void finish() override {
    const bool anyKernel = linked_ + unlinked_ > 0;
    const bool launchesOnly = launches_ > 0 && !anyKernel;
    for (NodeRow& row : rows_) {
      // Without kernels nothing is known of the work: neither the time of a launch is a measure of it, nor that of the
      // few nodes that ran on the host beside the device.
      row.raw.kind = launchesOnly ? EventKind::Runtime : EventKind::Operator;
      row.raw.name = row.operatorType;
      builder_.add(row.raw);
    }
    const auto rows = static_cast<int64_t>(rows_.size());
    builder_.problem(
        "launch-times-only", launchesOnly ? rows : 0,
        "rows of nodes are left out: on a device they are the time to launch the work, and the file has no "
        "kernels");
    builder_.problem("host-nodes", anyKernel ? rows - launches_ : 0,
                     "nodes ran on the host beside a device; their time is no device time");
    addExecutions();
    builder_.problem("ambiguous-parent", ambiguousParents(),
                     "kernels may belong to another node, because two began in the microsecond that links them");
    builder_.problem("unknown-parent", unlinked_, "kernels name no row of a node that comes before them");
    builder_.problem("incomplete-event", incomplete_, "events without a time or a name are left out");
    builder_.problem("shapes-too-long", longShapes_, kLongShapes);
    builder_.problem("unknown-phase", otherPhases_, "events that are neither complete nor metadata are left out");
    builder_.problem("unknown-node-event", unknownNodeEvents_, "rows of nodes of an unknown kind are left out");
    for (const auto& [category, count] : unknownCategories_)
      builder_.problem("unknown-category `" + category + "`", count, "events of an unknown category are left out");
    builder_.problem("literal-name", literalNames_, "names are not escaped, and read as written");
    builder_.problem("recording-stopped", events_ - kernels_ >= kMaxRecordedEvents ? 1 : 0,
                     "recording stopped at its limit of 1000000 events: what ran later is missing");
    setTarget();
  }

 private:
  /// A row of a node. Whether it is work, a launch or neither is known at the end.
  struct NodeRow {
    RawEvent raw;
    std::string operatorType;
    int64_t kernels = 0;
  };

  /// An execution of the graph, or of the body of a node.
  struct Execution {
    RawEvent raw;
    std::string name;
    int64_t endNs() const { return raw.startNs + raw.durationNs; }
  };

  /// An execution inside another one of its thread is that of a body, and no iteration.
  void addExecutions() {
    std::ranges::stable_sort(executions_, [](const Execution& a, const Execution& b) {
      return std::tuple(a.raw.startNs, b.raw.durationNs, a.raw.recordOrder) <
             std::tuple(b.raw.startNs, a.raw.durationNs, b.raw.recordOrder);
    });
    std::map<uint32_t, int64_t> endOnThread;
    int64_t endNs = INT64_MIN, overlapping = 0;
    for (Execution& execution : executions_) {
      execution.raw.name = execution.name;
      // The builder leaves it out. Its end may be no number.
      if (!isPossibleTime(execution.raw.startNs, execution.raw.durationNs)) {
        builder_.add(execution.raw);
        continue;
      }
      const auto [onThread, isFirst] = endOnThread.try_emplace(execution.raw.track, execution.endNs());
      const bool inside = !isFirst && execution.raw.startNs < onThread->second;
      if (inside) {
        execution.raw.kind = EventKind::Other;
      } else {
        onThread->second = execution.endNs();
        overlapping += execution.raw.startNs < endNs;
        endNs = std::max(endNs, execution.endNs());
      }
      builder_.add(execution.raw);
    }
    builder_.problem("overlapping-executions", overlapping,
                     "executions of the graph begin before an earlier one ended, on another thread; iterations hold "
                     "nodes of several");
  }

  void addNode(const OnnxRuntimeEvent& event, RawEvent raw) {
    const auto isWait = [&](std::string_view suffix) { return event.name.ends_with(suffix); };
    if (std::ranges::any_of(kWaitSuffixes, isWait)) return;
    if (!event.name.ends_with(kNodeSuffix)) {
      ++unknownNodeEvents_;
      return;
    }
    const std::string_view node = event.name.substr(0, event.name.size() - kNodeSuffix.size());
    // The oldest files name the operator only, later ones may lack it.
    const std::string_view type = event.operatorType.empty() ? node : event.operatorType;
    if (type.empty()) {
      ++incomplete_;
      return;
    }
    OperatorFacts facts = event.op;
    facts.node = node;
    longShapes_ += event.hasLongShapes;
    raw.facts = builder_.facts(std::move(facts));
    ++providers_[std::string(event.provider)];
    if (providerOf(event.provider).launches) {
      ++launches_;
      raw.correlation = static_cast<int64_t>(rows_.size());
      lastRow_[std::string(event.name)] = rows_.size();
      ++rowsAt_[raw.startNs];
    }
    rows_.push_back({raw, std::string(type), 0});
  }

  void addKernel(const OnnxRuntimeEvent& event, RawEvent raw) {
    raw.kind = event.name.starts_with("Memcpy")   ? EventKind::Copy
               : event.name.starts_with("Memset") ? EventKind::Set
                                                  : EventKind::Kernel;
    raw.track = builder_.track(event.process, event.stream.empty() ? event.thread : event.stream, true);
    raw.recordOrder = -1;
    if (event.launch) raw.facts = builder_.facts(*event.launch);
    if (const auto row = lastRow_.find(std::string(event.parentName)); row != lastRow_.end()) {
      raw.correlation = static_cast<int64_t>(row->second);
      ++rows_[row->second].kernels;
      ++linked_;
    } else {
      ++unlinked_;
    }
    builder_.add(raw);
  }

  int64_t ambiguousParents() const {
    int64_t count = 0;
    for (const NodeRow& row : rows_)
      if (row.kernels > 0 && rowsAt_.at(row.raw.startNs) > 1) count += row.kernels;
    return count;
  }

  /// The provider with the most rows, of those that use a device if there is any: the nodes that it cannot run go to
  /// the CPU.
  void setTarget() {
    Target& target = builder_.facts().target;
    target.runtime = kOnnxRuntime;
    std::tuple<bool, int64_t> most{false, 0};
    for (const auto& [name, rows] : providers_) {
      const ProviderRow provider = providerOf(name);
      const std::tuple rank{provider.vendor != "cpu" && !name.empty(), rows};
      if (rank <= most) continue;
      most = rank;
      target.vendor = provider.vendor;
    }
  }

  const RuntimeAdapter& runtime_ = runtimeAdapter(kOnnxRuntime);
  TimelineBuilder& builder_;
  std::vector<Execution> executions_;
  std::vector<NodeRow> rows_;
  // Of rows that launch, by the name of the event; looked up only.
  std::unordered_map<std::string, size_t> lastRow_;
  // Launch rows by start; looked up only.
  std::unordered_map<int64_t, int64_t> rowsAt_;
  /// By name; empty in old files.
  std::map<std::string, int64_t> providers_;
  std::map<std::string, int64_t> unknownCategories_;
  int64_t events_ = 0, kernels_ = 0, linked_ = 0, unlinked_ = 0, launches_ = 0;
  int64_t literalNames_ = 0, incomplete_ = 0, otherPhases_ = 0, unknownNodeEvents_ = 0, longShapes_ = 0;
};

bool looksLikeOnnxRuntime(const Beginning& beginning) {
  if (!beginning.json) return false;
  const JsonSketch& sketch = *beginning.json;
  const auto has = [&](std::string_view text) { return beginning.bytes.find(text) != std::string_view::npos; };
  // Other categories are also those of Kineto. A program that wraps the array keeps the names of events.
  if (sketch.isArray &&
      (sketch.firstCategory == "Session" || sketch.firstCategory == "Node" || sketch.firstCategory == "Api"))
    return true;
  return (sketch.isArray ? sketch.firstCategory.empty() && sketch.has("ph") : sketch.has("traceEvents")) &&
         has(R"(_kernel_time")") && has("\"Node\"");
}

}  // namespace

const Format kOnnxRuntimeFormat{"onnxruntime", "ONNX Runtime profile", 1, looksLikeOnnxRuntime,
                                readEvents<OnnxRuntimeReader>};

}  // namespace amdahlc::trace
