// One run of trtexec has up to three files. The profile has a mean time for each layer and no start. The layer
// information has the nodes of each layer, if the engine was built with detailed verbosity. The times are of whole
// executions, which trtexec measures apart from the layers: a sum of layers is no latency, and a latency no window of
// them.

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

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
constexpr std::string_view kNameBegin = "{ \"name\" : \"", kNameEnd = "\", \"timeMs\" : ";

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

/// A member of an object: text, or the text of a number. Values of other kinds are left out.
struct TensorRtValue {
  std::string text;
  bool isNumber = false;
};
using TensorRtObject = std::map<std::string, TensorRtValue, std::less<>>;

/// Visits the elements of an array. Values deeper than the members of an element are ignored.
class ElementReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ElementReader(const std::function<void(const TensorRtObject*)>& visit) : visit_(visit) {}

  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t value) override { return member({std::to_string(value), true}); }
  bool number_unsigned(number_unsigned_t value) override { return member({std::to_string(value), true}); }
  bool number_float(number_float_t, const string_t& text) override { return member({text, true}); }
  bool string(string_t& text) override { return member({text, false}); }
  bool binary(binary_t&) override { return other(); }
  bool start_object(size_t) override {
    if (++depth_ == 2) object_.clear();
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 2) key_ = name;
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1) visit_(&object_);
    return true;
  }
  bool start_array(size_t) override {
    ++depth_;
    return true;
  }
  bool end_array() override {
    if (--depth_ == 1) visit_(nullptr);
    return true;
  }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception&) override {
    damageAt_ = at;
    return false;
  }
  /// The number, counted from one, of the byte that is wrong.
  size_t damageAt() const { return damageAt_; }

 private:
  bool other() {
    if (depth_ == 1) visit_(nullptr);
    return true;
  }
  bool member(TensorRtValue value) {
    if (depth_ != 2) return other();
    object_[key_] = std::move(value);
    return true;
  }

  const std::function<void(const TensorRtObject*)>& visit_;
  size_t depth_ = 0;
  TensorRtObject object_;
  std::string key_;
  size_t damageAt_ = 0;
};

/// trtexec writes names as they are, so that a quote or a backslash in a name makes other JSON or none. It writes one
/// layer per line in a fixed form. The names of such lines are escaped; other text stays as it is. The result is the
/// number of names that are changed by it.
int64_t escapeNames(std::string& profile) {
  std::string out;
  int64_t escaped = 0;
  size_t done = 0;
  for (size_t line = 0; line < profile.size();) {
    const size_t end = std::min(profile.find('\n', line), profile.size());
    const std::string_view text = std::string_view(profile).substr(line, end - line);
    const size_t begin = text.find(kNameBegin), close = text.rfind(kNameEnd);
    if (begin != std::string_view::npos && close != std::string_view::npos && begin + kNameBegin.size() <= close &&
        text.find_first_not_of(" \t,[") == begin) {
      const size_t first = begin + kNameBegin.size();
      const std::string_view name = text.substr(first, close - first);
      if (name.find_first_of("\"\\") != std::string_view::npos) {
        out.append(profile, done, line + first - done);
        for (const char c : name) {
          if (c == '"' || c == '\\') out += '\\';
          out += c;
        }
        done = line + close;
        ++escaped;
      }
    }
    line = end + 1;
  }
  if (escaped == 0) return 0;
  out.append(profile, done);
  profile = std::move(out);
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

/// Calls `visit` with each element of the top-level array; with none for an element that is no object. Reports
/// `trace-syntax` for damaged JSON and returns false.
bool readElements(const TraceFile& file, std::string_view text,
                  const std::function<void(const TensorRtObject*)>& visit) {
  ElementReader reader(visit);
  if (Json::sax_parse(text.begin(), text.end(), &reader)) return true;
  reportDamage(file, text, reader.damageAt());
  return false;
}

/// The text of a number of milliseconds in nanoseconds; nullopt if it is missing, no number, negative or too large.
std::optional<int64_t> timeOf(const TensorRtObject& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->second.isNumber) return std::nullopt;
  const auto ns = parseDecimalNs(found->second.text, kMillisecondNs);
  return ns && *ns >= 0 && *ns <= kMaxTimeNs ? ns : std::nullopt;
}

std::optional<int64_t> optimizationProfile(std::string_view layer) { return TensorRtRuntime::ofProfile(layer).profile; }

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
  void keepOneProfile();
  std::string nameOf(const Json& text) {
    return std::string(builder_.nameWithinLimit(text.get_ref<const std::string&>()));
  }

  TimelineBuilder& builder_;
  DiagnosticEngine& diagnostics_;
  std::vector<Layer> layers_;
  /// Of the layer information: metadata by the layer's name; empty where it names no node.
  std::optional<std::map<std::string, std::string, std::less<>>> metadata_;
};

bool Reader::readProfile(const TraceFile& file, std::string_view text) {
  std::optional<int64_t> count;
  bool badCount = false;
  int64_t counts = 0, unknown = 0, withoutTime = 0;
  const bool sound = readElements(file, text, [&](const TensorRtObject* element) {
    if (element == nullptr) {
      ++unknown;
    } else if (const auto found = element->find("count"); found != element->end()) {
      if (++counts > 1) return;
      const auto value = found->second.isNumber ? parseDecimalNs(found->second.text, 1) : std::nullopt;
      // A fraction would be rounded.
      badCount = !value || *value < 1 || *value > limits::kMeanOf || !isDigits(found->second.text);
      if (!badCount) count = value;
    } else if (const auto name = element->find("name"); name == element->end() || name->second.isNumber) {
      ++unknown;
    } else if (const auto ns = timeOf(*element, "averageMs")) {
      layers_.push_back({std::string(builder_.nameWithinLimit(name->second.text)), *ns});
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
    std::string& nodes = (*metadata_)[nameOf(*name)];
    const auto metadata = layer.find("Metadata");
    if (metadata == layer.end() || !metadata->is_string()) continue;
    const auto& own = metadata->get_ref<const std::string&>();
    if (own.find(TensorRtRuntime::kOnnxLayer) == std::string::npos) continue;
    // Of two layers of one name, the times do not say which is which.
    if (!nodes.empty()) nodes += '\x1E';
    nodes += own;
  }
  builder_.problem("unknown-layer", unknown, "layers of the layer information have no name");
  builder_.problem("layer-without-details", withoutDetails,
                   "layers have a name only: the engine was not built with --profilingVerbosity=detailed");
  return true;
}

bool Reader::readTimes(const TraceFile& file, std::string_view text) {
  std::vector<int64_t> latenciesNs;
  int64_t withoutTime = 0;
  __int128 sumNs = 0;
  const bool sound = readElements(file, text, [&](const TensorRtObject* element) {
    const auto ns = element == nullptr ? std::nullopt : timeOf(*element, "latencyMs");
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
  const auto kept = std::max_element(timeOfProfile.begin(), timeOfProfile.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
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
  facts.target.runtime = TensorRtRuntime::kName;
  facts.target.vendor = "nvidia";
  const uint32_t track = builder_.track("engine", "layers", true);
  std::set<std::string_view> names;
  int64_t repeated = 0, withoutInfo = 0;
  for (const Layer& layer : layers_) {
    RawEvent event;
    event.kind = EventKind::Kernel;
    event.durationNs = layer.durationNs;
    event.name = layer.name;
    event.track = track;
    builder_.add(event);
    repeated += !names.insert(layer.name).second;
    if (!metadata_) continue;
    const auto found = metadata_->find(layer.name);
    withoutInfo += found == metadata_->end();
    if (found != metadata_->end() && !found->second.empty()) facts.nodesByName[layer.name] = found->second;
  }
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
