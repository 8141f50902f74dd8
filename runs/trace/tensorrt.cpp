// One run of trtexec has up to three files. The profile has a mean time for each layer and no start. The layer
// information has the nodes and tensors of each layer, if the engine was built with detailed verbosity. The times are
// of whole executions, which trtexec measures apart from the layers: a sum of layers is no latency, and a latency no
// window of them.

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "replay/runtimes/runtime.h"
#include "replay/runtimes/tensorrt.h"
#include "replay/timeline/time_limits.h"
#include "runs/trace/format.h"
#include "support/decimal_time.h"
#include "support/json_tree.h"
#include "support/limits.h"
#include "support/name_list.h"
#include "support/utf8.h"

namespace amdahlc::trace {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMillisecondNs = 1'000'000;

enum class Kind : uint8_t { Profile, Layers, Times };
struct KindInfo {
  /// The option of trtexec that writes such a file.
  std::string_view option;
  std::string_view content;
};
/// In the order of `Kind`.
constexpr KindInfo kKinds[] = {{"--exportProfile", "times of layers"},
                               {"--exportLayerInfo", "layers of an engine"},
                               {"--exportTimes", "times of executions"}};
const KindInfo& info(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::optional<Kind> kindOf(const Beginning& beginning) {
  if (!beginning.json) return std::nullopt;
  const JsonSketch& sketch = *beginning.json;
  if (!sketch.isArray) return sketch.has("Layers") ? std::optional(Kind::Layers) : std::nullopt;
  if (sketch.has("count") && sketch.keys.size() == 1) return Kind::Profile;
  return sketch.has("latencyMs") && sketch.has("computeMs") ? std::optional(Kind::Times) : std::nullopt;
}

/// trtexec writes names as they are, so that a quote or a backslash in a name makes other JSON or none. It writes one
/// layer per line in a fixed form. The names of such lines are escaped; other text stays as it is. The result is the
/// number of names that are changed by it.
int64_t escapeNames(std::string& profile) {
  static const re2::RE2 kLine(R"re((?m)^[ \t,\[]*\{ "name" : "(.*)", "timeMs" : )re", re2::RE2::Latin1);
  std::string out;
  int64_t escaped = 0;
  const char* done = profile.data();
  re2::StringPiece rest(profile), name;
  while (re2::RE2::FindAndConsume(&rest, kLine, &name)) {
    const std::string_view text(name.data(), name.size());
    if (text.find_first_of("\"\\") == std::string_view::npos) continue;
    out.append(done, name.data());
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    done = name.data() + name.size();
    ++escaped;
  }
  if (escaped > 0) profile = out.append(done, profile.c_str() + profile.size());
  return escaped;
}

/// Reports damaged JSON. `at` counts bytes from one.
void reportDamage(const TraceFile& file, std::string_view text, size_t at) {
  const size_t offset = std::min(at == 0 ? 0 : at - 1, text.size());
  if (text.find_first_not_of(" \t\r\n", offset) == std::string_view::npos)
    file.reportJsonEnd(text.size());
  else
    file.reportJsonDamage(offset, text, 0);
}

/// Calls `visit` with each element of the top-level array, without the members that nothing reads. Reports
/// `trace-syntax` for damaged JSON and returns false.
bool readElements(const TraceFile& file, std::string_view text, const std::function<void(Json)>& visit) {
  static constexpr std::string_view kRead[] = {"count", "name", "averageMs", "latencyMs"};
  const auto isSkipped = [](size_t depth, std::string_view key) { return depth == 2 && !contains(kRead, key); };
  const JsonTree document = parseJsonTree(text, SIZE_MAX, isSkipped, visit);
  if (!document.value) reportDamage(file, text, document.at);
  return document.value.has_value();
}

/// A number of milliseconds in nanoseconds; nullopt if it is missing, no number, negative or too large.
std::optional<int64_t> timeOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  // The shortest text that means the number is the text of the file, unless that has more than 15 digits.
  const auto ns = parseDecimalNs(found->dump(), kMillisecondNs);
  return ns && *ns >= 0 && *ns <= kMaxTimeNs ? ns : std::nullopt;
}

/// By the words of a tensor's format, such as `Channel major FP16 format where channel % 8 == 0`.
std::string elementTypeOf(std::string_view format) {
  struct Word {
    std::string_view text, type;
  };
  // A word that ends another one comes behind it.
  constexpr Word kWords[] = {{"BF16", "bfloat16"},    {"FP16", "float16"}, {"Half", "float16"}, {"FP32", "float32"},
                             {"Float", "float32"},    {"UINT8", "uint8"},  {"UInt8", "uint8"},  {"UINT4", "uint4"},
                             {"Int8", "int8"},        {"INT8", "int8"},    {"Int32", "int32"},  {"INT32", "int32"},
                             {"Int64", "int64"},      {"INT64", "int64"},  {"Bool", "bool"},    {"BOOL", "bool"},
                             {"FP8", "float8e4m3fn"}, {"INT4", "int4"}};
  const auto* const found =
      std::ranges::find_if(kWords, [&](const Word& word) { return format.find(word.text) != std::string_view::npos; });
  return found == std::end(kWords) ? std::string() : std::string(found->type);
}

std::optional<int64_t> optimizationProfile(std::string_view layer) { return tensorRtLayer(layer).profile; }

class Reader {
 public:
  Reader(TimelineBuilder& builder, DiagnosticEngine& diagnostics) : builder_(builder), diagnostics_(diagnostics) {}

  bool read(TraceFile& file, Kind kind) {
    auto text = file.readAll(limits::kTensorRtBytes);
    if (!text) return false;
    // Blanks replace a byte order mark, so that offsets stay.
    if (text->starts_with(utf8::kByteOrderMark)) text->replace(0, 3, "   ");
    switch (kind) {
      case Kind::Profile:
        builder_.problem("unescaped-name", escapeNames(*text), "layers have a quote or a backslash in their names");
        return readProfile(file, *text);
      case Kind::Layers:
        // Separators, which may not stand in JSON as they are.
        boost::replace_all(*text, "\x1E", "\\u001e");
        boost::replace_all(*text, "\x1F", "\\u001f");
        return readLayers(file, *text);
      case Kind::Times:
        return readTimes(file, *text);
    }
    return false;
  }
  void finish();

 private:
  struct Layer {
    std::string name;
    int64_t durationNs = 0;
  };
  bool readProfile(const TraceFile& file, std::string_view text);
  bool readLayers(const TraceFile& file, std::string_view text);
  bool readTimes(const TraceFile& file, std::string_view text);
  void readTensors(const Json& layer, const std::string& name);
  std::optional<std::vector<uint32_t>> tensorsIn(const Json& layer, const char* key);
  void keepOneProfile();
  std::string nameOf(const Json& text) {
    return std::string(builder_.nameWithinLimit(text.get_ref<const std::string&>()));
  }

  TimelineBuilder& builder_;
  DiagnosticEngine& diagnostics_;
  std::vector<Layer> layers_;
  /// Of the layer information: metadata by the layer's name; empty where it names no node.
  std::optional<std::map<std::string, std::string, std::less<>>> metadata_;
  StatedTensors stated_;
  /// By name: their places there.
  std::map<std::string, uint32_t> tensors_;
  /// Layers of equal names, of which the times do not say which is which.
  std::set<std::string> repeatedLayers_;
};

bool Reader::readProfile(const TraceFile& file, std::string_view text) {
  std::optional<int64_t> count;
  bool badCount = false;
  int64_t counts = 0, unknown = 0, withoutTime = 0;
  const bool sound = readElements(file, text, [&](const Json& element) {
    if (const auto found = element.find("count");
        found != element.end() && found->is_primitive() && !found->is_null()) {
      if (++counts > 1) return;
      const uint64_t value = found->is_number_unsigned() ? found->get<uint64_t>() : 0;
      badCount = value < 1 || value > static_cast<uint64_t>(limits::kMeanOf);
      if (!badCount) count = static_cast<int64_t>(value);
    } else if (const auto name = element.find("name"); name == element.end() || !name->is_string()) {
      ++unknown;
    } else if (const auto ns = timeOf(element, "averageMs")) {
      layers_.push_back({nameOf(*name), *ns});
    } else {
      ++withoutTime;
    }
  });
  if (!sound) return false;
  if (badCount || !count) {
    diagnostics_.error(DiagId::TraceInvalid, file.at(0),
                       "the profile does not say of how many executions its times are means: `count` is no positive "
                       "whole number");
    return false;
  }
  builder_.facts().meanOf = *count;
  builder_.problem("further-count", counts - 1, "further numbers of executions: the file may be two profiles in one");
  builder_.problem("unknown-element", unknown, "elements of the profile are no layers");
  builder_.problem("layer-without-time", withoutTime,
                   "layers have no mean time, or an impossible one, and are left out");
  return true;
}

bool Reader::readLayers(const TraceFile& file, std::string_view text) {
  const JsonTree document = parseJsonTree(text, SIZE_MAX);
  if (!document.value) {
    reportDamage(file, text, document.at);
    return false;
  }
  const auto layers = document.value->find("Layers");
  if (layers == document.value->end() || !layers->is_array()) {
    diagnostics_.error(DiagId::TraceInvalid, file.at(0), "`Layers` is no array");
    return false;
  }
  metadata_.emplace();
  int64_t unknown = 0, withoutDetails = 0;
  for (const Json& layer : *layers) {
    if (layer.is_string()) {
      ++withoutDetails;
      metadata_->try_emplace(nameOf(layer));
      continue;
    }
    const auto name = layer.is_object() ? layer.find("Name") : layer.end();
    if (!layer.is_object() || name == layer.end() || !name->is_string()) {
      ++unknown;
      continue;
    }
    readTensors(layer, nameOf(*name));
    std::string& nodes = (*metadata_)[nameOf(*name)];
    const auto metadata = layer.find("Metadata");
    if (metadata == layer.end() || !metadata->is_string()) continue;
    const auto& own = metadata->get_ref<const std::string&>();
    if (own.find(kTensorRtOnnxLayer) == std::string::npos) continue;
    // Of two layers of one name, the times do not say which is which.
    if (!nodes.empty()) nodes += '\x1E';
    nodes += own;
  }
  builder_.problem("unknown-layer", unknown, "layers of the layer information have no name");
  builder_.problem("layer-without-details", withoutDetails,
                   "layers have a name only: the engine was not built with --profilingVerbosity=detailed");
  return true;
}

/// The tensors of a list; nullopt if it is none.
std::optional<std::vector<uint32_t>> Reader::tensorsIn(const Json& layer, const char* key) {
  const auto list = layer.find(key);
  if (list == layer.end() || !list->is_array()) return std::nullopt;
  std::vector<uint32_t> found;
  for (const Json& tensor : *list) {
    const auto name = tensor.is_object() ? tensor.find("Name") : tensor.end();
    if (!tensor.is_object() || name == tensor.end() || !name->is_string()) return std::nullopt;
    const auto [known, isNew] = tensors_.try_emplace(nameOf(*name), static_cast<uint32_t>(stated_.tensors.size()));
    found.push_back(known->second);
    if (!isNew) continue;
    StatedTensors::Tensor& made = stated_.tensors.emplace_back();
    made.name = known->first;
    const auto dims = tensor.find("Dimensions");
    const auto format = tensor.find("Format/Datatype");
    if (dims == tensor.end() || !dims->is_array()) continue;
    if (format != tensor.end() && format->is_string())
      made.elementType = elementTypeOf(format->get_ref<const std::string&>());
    for (const Json& dim : *dims) made.dims.push_back(dim.is_number_unsigned() ? dim.get<int64_t>() : -1);
  }
  return found;
}

void Reader::readTensors(const Json& layer, const std::string& name) {
  auto reads = tensorsIn(layer, "Inputs"), makes = tensorsIn(layer, "Outputs");
  if (!reads || !makes) return;
  if (!stated_.layers.try_emplace(name, StatedTensors::Layer{std::move(*reads), std::move(*makes)}).second)
    repeatedLayers_.insert(name);
}

bool Reader::readTimes(const TraceFile& file, std::string_view text) {
  std::vector<int64_t> latenciesNs;
  int64_t withoutTime = 0;
  __int128 sumNs = 0;
  const bool sound = readElements(file, text, [&](const Json& element) {
    const auto ns = timeOf(element, "latencyMs");
    if (!ns || sumNs + *ns > kMaxTimeNs) {
      ++withoutTime;
      return;
    }
    sumNs += *ns;
    latenciesNs.push_back(*ns);
  });
  if (!sound) return false;
  builder_.problem("execution-without-latency", withoutTime,
                   "executions have no latency, or an impossible one, and are left out");
  builder_.facts().latenciesNs = std::move(latenciesNs);
  return true;
}

/// An execution runs the layers of one optimization profile. If the file has those of several, they are not of one
/// execution: the profile of most time is kept, of equal ones the first.
void Reader::keepOneProfile() {
  const auto impossible = std::erase_if(layers_, [](const Layer& layer) { return !optimizationProfile(layer.name); });
  builder_.problem("impossible-shape-profile", static_cast<int64_t>(impossible),
                   "layers are of an optimization profile whose number no engine can have, and are left out");
  std::map<int64_t, __int128> timeOfProfile;
  for (const Layer& layer : layers_) timeOfProfile[*optimizationProfile(layer.name)] += layer.durationNs;
  if (timeOfProfile.size() < 2) return;
  const auto kept = std::ranges::max_element(timeOfProfile, {}, [](const auto& one) { return one.second; });
  const auto dropped =
      std::erase_if(layers_, [&](const Layer& layer) { return optimizationProfile(layer.name) != kept->first; });
  builder_.problem(
      "other-shape-profile", static_cast<int64_t>(dropped),
      fmt::format("layers are of other optimization profiles than {}, which has most time, and are left out",
                  kept->first == 0 ? std::string("the first") : fmt::format("profile {}", kept->first)));
}

void Reader::finish() {
  keepOneProfile();
  Timeline& facts = builder_.facts();
  facts.hasStarts = false;
  facts.target.runtime = kTensorRt;
  facts.target.vendor = "nvidia";
  const uint32_t track = builder_.track("engine", "layers", true);
  std::set<std::string_view> names;
  int64_t repeated = 0, withoutInfo = 0;
  for (const std::string& name : repeatedLayers_) stated_.layers.erase(name);
  for (const Layer& layer : layers_) {
    RawEvent event;
    event.kind = EventKind::Kernel;
    event.durationNs = layer.durationNs;
    event.name = layer.name;
    event.track = track;
    builder_.add(event);
    const bool isNew = names.insert(layer.name).second;
    repeated += !isNew;
    if (!isNew) stated_.layers.erase(layer.name);
    if (!metadata_) continue;
    const auto found = metadata_->find(layer.name);
    withoutInfo += found == metadata_->end();
    if (found != metadata_->end() && !found->second.empty()) facts.nodesByName[layer.name] = found->second;
  }
  facts.stated = std::move(stated_);
  builder_.problem("repeated-layer-name", repeated, "layers have the name of an earlier one");
  if (!metadata_) return;
  builder_.problem("layer-not-in-layer-info", withoutInfo,
                   "layers with a time are not in the layer information: the files may be of two engines");
  int64_t withoutTime = 0;
  for (const auto& [name, text] : *metadata_)
    withoutTime +=
        !names.contains(name) && (names.empty() || optimizationProfile(name) == optimizationProfile(*names.begin()));
  builder_.problem("layer-without-profile", withoutTime, "layers of the layer information have no time in the profile");
}

bool looksLikeTensorRt(const Beginning& beginning) { return kindOf(beginning).has_value(); }

bool readTensorRt(TraceFiles files, TimelineBuilder& builder, DiagnosticEngine& diagnostics) {
  std::map<Kind, TraceFile*> byKind;
  for (const auto& file : files) {
    const Kind kind = *kindOf(look(file->beginning()));
    const auto [other, added] = byKind.try_emplace(kind, file.get());
    if (added) continue;
    diagnostics.error(DiagId::TraceInvalid, FileLocation{file->name()},
                      fmt::format("`{}` and `{}` both have {} (`{}`), of which a run has one file; give each run a "
                                  "`-trace=` of its own",
                                  other->second->name(), file->name(), info(kind).content, info(kind).option));
    return false;
  }
  if (!byKind.contains(Kind::Profile)) {
    const Kind first = byKind.begin()->first;
    diagnostics.error(
        DiagId::TraceInvalid, FileLocation{files.front()->name()},
        fmt::format("the file has {} (`{}`), but no times of layers; give the file of `{}` too, as "
                    "`-trace=PROFILE,{}`",
                    info(first).content, info(first).option, info(Kind::Profile).option, files.front()->name()));
    return false;
  }
  Reader reader(builder, diagnostics);
  for (const auto& [kind, file] : byKind)
    if (!reader.read(*file, kind)) return false;
  reader.finish();
  return true;
}

}  // namespace

const Format kTensorRtFormat{"tensorrt", "TensorRT profile (trtexec JSON)", 3, looksLikeTensorRt, readTensorRt};

}  // namespace amdahlc::trace
