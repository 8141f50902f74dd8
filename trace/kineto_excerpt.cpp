// The file, one event a line:
//
//   {"schemaVersion":1,"deviceProperties":[],
//   "amdahlc":{"version":1,"format":"kineto","target":{...},"devices":[],"device":"",
//              "iterations":[{"name":"ProfilerStep#3","start_ns":1,"end_ns":2,"left_out":null,"spill_in_ns":0}],
//              "data_problems":[{"name":"no-launch","count":3,"what":"..."}]},
//   "traceEvents":[
//   {"ph":"M","name":"thread_name",...},
//   {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":7,"ts":1.500,"dur":2.000,"args":{...}},
//   ...
//   ]}
#include "trace/kineto_excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "support/decimal_time.h"
#include "support/json_text.h"
#include "support/limits.h"
#include "trace/json_copy.h"
#include "trace/kineto.h"

namespace amdahlc::trace {
namespace {

/// Written keys keep their order.
using OrderedJson = nlohmann::ordered_json;

constexpr int64_t kVersion = 1;
// `LeftOutInfo::name` of it is empty.
constexpr std::string_view kWarmUp = "warm-up";

std::string_view wordOf(LeftOut reason) {
  const auto row = std::find_if(std::begin(kLeftOutReasons), std::end(kLeftOutReasons),
                                [&](const LeftOutInfo& known) { return known.reason == reason; });
  return row->name.empty() ? kWarmUp : row->name;
}

/// A process or a thread: a number if it is one, as viewers demand.
std::string place(const std::string& text) {
  const bool isNumber = !text.empty() && text.size() < 18 && (text == "0" || text.front() != '0') &&
                        text.find_first_not_of("0123456789") == std::string::npos;
  return isNumber ? text : jsonText(text);
}

/// `file.py(12): forward` of `/opt/nets/file.py(12): forward`: where the file lies tells of the machine. Names of
/// folders may contain parentheses.
std::string_view withoutFolders(std::string_view frame) {
  std::string_view file = frame.substr(0, frame.find('('));
  for (size_t at = frame.rfind("): "); at != std::string_view::npos && at > 0; at = frame.rfind("): ", at - 1)) {
    const size_t line = frame.find_last_not_of("0123456789", at - 1);
    if (line == std::string_view::npos || line + 1 == at || frame[line] != '(') continue;
    file = frame.substr(0, line);
    break;
  }
  const size_t slash = file.find_last_of("/\\");
  return slash == std::string_view::npos ? frame : frame.substr(slash + 1);
}

OrderedJson statementOf(const Excerpt& excerpt) {
  OrderedJson json{{"version", kVersion}, {"format", excerpt.format}};
  json["target"] = {{"runtime", excerpt.target.runtime},
                    {"vendor", excerpt.target.vendor},
                    {"arch", excerpt.target.arch},
                    {"device", excerpt.target.device}};
  json["devices"] = excerpt.devices;
  json["device"] = excerpt.device;
  const auto orNull = [](const std::optional<int64_t>& number) {
    return number ? OrderedJson(*number) : OrderedJson(nullptr);
  };
  json["clock_resolution_ns"] = excerpt.clockResolutionNs;
  json["iterations"] = OrderedJson::array();
  // Of what is left out the excerpt has no events, so that nothing is known of their launches.
  for (const Iteration& iteration : excerpt.iterations)
    json["iterations"].push_back(
        {{"name", iteration.name},
         {"start_ns", orNull(iteration.startNs)},
         {"end_ns", orNull(iteration.endNs)},
         {"left_out", iteration.selected() ? OrderedJson(nullptr) : OrderedJson(wordOf(iteration.leftOut))},
         {"spill_in_ns", orNull(iteration.selected() ? iteration.spillInNs : std::nullopt)}});
  json["data_problems"] = OrderedJson::array();
  for (const DataProblem& problem : excerpt.problems)
    json["data_problems"].push_back({{"name", problem.name}, {"count", problem.count}, {"what", problem.what}});
  return json;
}

class Writer {
 public:
  explicit Writer(const Timeline& timeline)
      : timeline_(timeline),
        host_(*timeline.host),
        hasExtents_(haveOrderedExtents(timeline.iterations)),
        names_(timeline.strings.size()),
        frames_(timeline.strings.size()) {}

  std::string write() {
    constexpr auto kReplace = OrderedJson::error_handler_t::replace;
    print("{{\"schemaVersion\":1,\"deviceProperties\":[],\n");
    if (const auto& rank = timeline_.rank) {
      print("\"distributedInfo\":{{\"rank\":{}", rank->rank);
      if (rank->worldSize >= 0) print(",\"world_size\":{}", rank->worldSize);
      print("}},\n");
    }
    if (timeline_.clockOriginNs > 0) print("\"baseTimeNanoseconds\":{},\n", timeline_.clockOriginNs);
    print("{}:{},\n\"traceEvents\":[", jsonText(kExcerptKey),
          withEscapedControls(statementOf(excerptOf(timeline_)).dump(-1, ' ', false, kReplace)));
    const std::vector<HostEventId> kept = hostEventsOfExcerpt(timeline_);
    const std::vector<EventIndex> selected = timeline_.selectedEvents();
    writeTrackNames(kept, selected);
    if (!timeline_.hasDevice) findMisplacedOperators(selected);
    // In a trace with calls of the device's runtime, only they launch.
    for (const HostEventId event : host_.kind.ids())
      operatorsLaunch_ &= host_.kind[event] != EventKind::Runtime || host_.correlation[event] < 0;
    for (const HostEventId event : kept) writeHostEvent(event);
    if (timeline_.hasDevice)
      for (const EventIndex event : selected) writeDeviceEvent(event);
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  template <typename... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  void beginLine() {
    out_ += isFirst_ ? "\n" : ",\n";
    isFirst_ = false;
  }

  /// As JSON.
  const std::string& nameText(Symbol name, bool isFrame) {
    std::string& text = (isFrame ? frames_ : names_)[name.index];
    if (text.empty()) {
      const std::string_view plain = timeline_.text(name);
      text = jsonText(isFrame ? withoutFolders(plain) : plain);
    }
    return text;
  }

  /// In the order in which the events name them.
  void writeTrackNames(const std::vector<HostEventId>& kept, const std::vector<EventIndex>& selected) {
    std::vector<bool> isKnown(timeline_.tracks.size(), false);
    const auto write = [&](uint32_t index) {
      const Track& track = timeline_.tracks[index];
      if (isKnown[index] || track.name.empty()) return;
      isKnown[index] = true;
      beginLine();
      print(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"ts":0,"args":{{"name":{}}}}})", place(track.process),
            place(track.thread), jsonText(track.name));
    };
    for (const HostEventId event : kept) write(host_.track[event]);
    for (const EventIndex event : selected) write(timeline_.track[event]);
  }

  /// Operators some of whose self time belongs to another iteration than its place in time tells.
  void findMisplacedOperators(const std::vector<EventIndex>& selected) {
    iterationOf_.assign(host_.size(), kNoIteration);
    for (const EventIndex event : selected) {
      const int32_t iteration = timeline_.iteration[event];
      if (!hasExtents_ || iterationAt(timeline_.iterations, timeline_.startNs[event]) != iteration)
        iterationOf_[host_.launchOp[event]] = iteration;
    }
  }

  void beginEvent(EventKind kind, Symbol name, uint32_t track, int64_t startNs, int64_t durationNs) {
    const Track& on = timeline_.tracks[track];
    beginLine();
    print(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{})",
          kinetoCategoryOf(kind, timeline_.target.vendor), nameText(name, kind == EventKind::Frame), place(on.process),
          place(on.thread), formatUs(startNs), formatUs(durationNs));
    arguments_.clear();
  }

  template <typename... T>
  void argument(std::string_view key, fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(arguments_), "{}\"{}\":", arguments_.empty() ? "" : ",", key);
    fmt::format_to(std::back_inserter(arguments_), format, std::forward<T>(values)...);
  }
  void argumentIfKnown(std::string_view key, int64_t number) {
    if (number >= 0) argument(key, "{}", number);
  }

  void endEvent() {
    if (!arguments_.empty()) print(",\"args\":{{{}}}", arguments_);
    out_ += '}';
  }

  void writeHostEvent(HostEventId event) {
    const EventKind kind = host_.kind[event];
    if (kind == EventKind::Other) return;  // nothing reads them, and no category stands for them
    beginEvent(kind, host_.name[event], host_.track[event], host_.startNs[event], host_.durationNs[event]);
    if (kind != EventKind::Operator || operatorsLaunch_) argumentIfKnown("correlation", host_.correlation[event]);
    argumentIfKnown("Sequence number", host_.sequenceNumber[event]);
    if (!iterationOf_.empty()) argumentIfKnown(kIterationArgument, iterationOf_[event]);
    if (const OperatorFacts* facts = host_.operatorFactsOf(event)) {
      if (!facts->inputDims.empty()) argument("Input Dims", "{}", nlohmann::json(facts->inputDims).dump());
      if (!facts->inputTypes.empty()) {
        std::vector<std::string> types;
        for (const std::string& type : facts->inputTypes) types.push_back(jsonText(type));
        argument("Input type", "[{}]", fmt::join(types, ","));
      }
      if (!facts->node.empty()) argument(kNodeArgument, "{}", jsonText(facts->node));
    }
    endEvent();
  }

  void writeDeviceEvent(EventIndex event) {
    beginEvent(timeline_.kind[event], timeline_.name[event], timeline_.track[event], timeline_.startNs[event],
               timeline_.durationNs[event]);
    argument(kIterationArgument, "{}", timeline_.iteration[event]);
    argumentIfKnown("correlation", timeline_.correlation[event]);
    if (const LaunchFacts* facts = timeline_.launchFactsOf(event)) {
      if (facts->grid[0] >= 0) argument("grid", "[{}]", fmt::join(facts->grid, ","));
      if (facts->block[0] >= 0) argument("block", "[{}]", fmt::join(facts->block, ","));
      argumentIfKnown("registers per thread", facts->registers);
      argumentIfKnown("shared memory", facts->sharedMemoryBytes);
      argumentIfKnown("bytes", facts->bytes);
    }
    if (const auto found = host_.collectives.find(event); found != host_.collectives.end()) {
      const CollectiveFacts& facts = found->second;
      const auto textIfKnown = [&](std::string_view key, Symbol text) {
        if (!text.empty()) argument(key, "{}", jsonText(timeline_.text(text)));
      };
      textIfKnown("Collective name", facts.operation);
      textIfKnown("Process Group Name", facts.group);
      textIfKnown("Process Group Ranks", facts.groupRanks);
      argumentIfKnown("Group size", facts.groupSize);
      argumentIfKnown("Seq", facts.sequence);
    }
    endEvent();
  }

  const Timeline& timeline_;
  const HostFacts& host_;
  const bool hasExtents_;
  bool operatorsLaunch_ = true;
  bool isFirst_ = true;
  /// Of operators that must state it; empty if there is a device.
  IdVector<HostEventId, int32_t> iterationOf_;
  /// By symbol, as JSON; empty if not used yet.
  std::vector<std::string> names_, frames_;
  std::string arguments_;
  std::string out_;
};

LeftOut leftOutOf(const nlohmann::json& reason) {
  if (reason.is_null()) return LeftOut::None;
  const auto name = reason.get<std::string>();
  for (const LeftOutInfo& row : kLeftOutReasons)
    if (wordOf(row.reason) == name) return row.reason;
  throw std::runtime_error(fmt::format("`{}` is not a reason to leave out an iteration", name));
}

/// The library casts fractions, also those that no integer can hold.
int64_t integerOf(const nlohmann::json& value) {
  if (!value.is_number_integer()) throw std::runtime_error("a number is not an integer");
  return value.get<int64_t>();
}

Excerpt excerptFrom(const nlohmann::json& json) {
  if (!json.is_object()) throw std::runtime_error("it is no object");
  if (const auto version = integerOf(json.at("version")); version != kVersion)
    throw std::runtime_error(
        fmt::format("it was written by another version of the command: {} instead of {}", version, kVersion));
  Excerpt excerpt;
  excerpt.format = json.at("format").get<std::string>();
  const nlohmann::json& target = json.at("target");
  for (const auto& [key, member] : {std::pair{"runtime", &Target::runtime},
                                    {"vendor", &Target::vendor},
                                    {"arch", &Target::arch},
                                    {"device", &Target::device}})
    excerpt.target.*member = target.at(key).get<std::string>();
  excerpt.devices = json.at("devices").get<std::vector<std::string>>();
  excerpt.device = json.at("device").get<std::string>();
  excerpt.clockResolutionNs = integerOf(json.at("clock_resolution_ns"));
  if (excerpt.clockResolutionNs < 1 || excerpt.clockResolutionNs > 1000)
    throw std::runtime_error("the resolution of the clock is not between 1 and 1000 ns");
  const auto optionalNumber = [](const nlohmann::json& value) {
    return value.is_null() ? std::nullopt : std::optional(integerOf(value));
  };
  for (const nlohmann::json& stated : json.at("iterations")) {
    Iteration& iteration = excerpt.iterations.emplace_back();
    iteration.name = stated.at("name").get<std::string>();
    iteration.startNs = optionalNumber(stated.at("start_ns"));
    iteration.endNs = optionalNumber(stated.at("end_ns"));
    iteration.leftOut = leftOutOf(stated.at("left_out"));
    iteration.spillInNs = optionalNumber(stated.at("spill_in_ns"));
  }
  if (excerpt.iterations.empty()) throw std::runtime_error("it has no iterations");
  if (static_cast<int64_t>(excerpt.iterations.size()) > limits::kExcerptIterations)
    throw std::runtime_error("it has too many iterations");
  for (const nlohmann::json& problem : json.at("data_problems")) {
    const auto count = integerOf(problem.at("count"));
    if (count < 0) throw std::runtime_error("a data problem has a negative count");
    excerpt.problems.add(problem.at("name").get<std::string>(), count, problem.at("what").get<std::string>());
  }
  return excerpt;
}

}  // namespace

std::string writeExcerpt(const Timeline& timeline) { return Writer(timeline).write(); }

Excerpt readExcerpt(std::string_view json) {
  try {
    return excerptFrom(nlohmann::json::parse(json));
  } catch (const nlohmann::json::exception& error) {
    const std::string_view what = error.what();
    throw std::runtime_error(std::string(what.substr(std::min(what.find("] ") + 2, what.size()))));
  }
}

}  // namespace amdahlc::trace
