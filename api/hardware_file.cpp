// Descriptions of hardware as YAML, and `-hardware=`.
//
//     name: NVIDIA H100 SXM
//     devices: ['NVIDIA H100 80GB HBM3']        # regular expressions of names in traces
//     sources: ['the data sheet, 2023']
//     memory-bandwidth: 3.35 TB/s
//     memory-size: 80 GB
//     cache-size: 50 MB
//     launch-cost: 2us
//     matrix: {float16: 989.4 TFLOP/s, tfloat32: 494.7 TFLOP/s}
//     vector: {float32: 66.9 TFLOP/s}
//
// `name`, `sources`, `memory-bandwidth` and `vector` are needed. Units are powers of 1000, or of 1024 with an `i`.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "api/inputs.h"
#include "api/shipped_files.h"
#include "api/yaml_text.h"
#include "support/bytes.h"
#include "support/decimal_time.h"
#include "support/edit_distance.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/words.h"

namespace amdahlc::api {
namespace {

/// The key for float32 that matrix units round to TF32, which is no type of values.
constexpr std::string_view kTf32 = "tfloat32";

/// `66.9 TFLOP/s`; operations on integers may also be `TOP/s`.
std::optional<int64_t> parseOperationRate(std::string_view text) {
  constexpr int64_t kMega = 1'000'000, kGiga = 1000 * kMega, kTera = 1000 * kGiga, kPeta = 1000 * kTera;
  static constexpr UnitSuffix kUnits[] = {{"MFLOP/s", kMega}, {"GFLOP/s", kGiga}, {"TFLOP/s", kTera},
                                          {"PFLOP/s", kPeta}, {"MOP/s", kMega},   {"GOP/s", kGiga},
                                          {"TOP/s", kTera},   {"POP/s", kPeta}};
  return parseInUnits(text, kUnits);
}

/// A size is written as a rate is, without the second.
std::optional<int64_t> parseSize(const std::string& text) { return parseByteRate(text + "/s"); }

class HardwareFileReader {
 public:
  explicit HardwareFileReader(const YamlText& text) : text_(text) {}

  ir::HardwareDescription read(std::string key) {
    ir::HardwareDescription found;
    found.key = std::move(key);
    const YAML::Node& root = text_.root();
    if (!root.IsDefined() || !root.IsMap()) {
      text_.fault(root, fmt::format("expected a map with keys such as `memory-bandwidth`, but got {}", kindName(root)));
      return found;
    }
    text_.checkKeys(root, {"name", "devices", "sources", "memory-bandwidth", "memory-size", "cache-size", "launch-cost",
                           "matrix", "vector"});
    for (const std::string needed : {"name", "sources", "memory-bandwidth", "vector"})
      if (!root[needed].IsDefined()) text_.fault(root, fmt::format("the key `{}` is missing", needed));
    found.name = text_.string(root, "name").value_or("");
    found.devices = readTexts(root, "devices");
    found.sources = readTexts(root, "sources");
    checkPatterns(root["devices"]);
    if (const auto rate = readQuantity(root, "memory-bandwidth", parseByteRate, "3.35 TB/s"))
      found.memoryBytesPerS = *rate;
    found.memoryBytes = readQuantity(root, "memory-size", parseSize, "80 GB");
    found.cacheBytes = readQuantity(root, "cache-size", parseSize, "50 MB");
    found.launchNs = readQuantity(root, "launch-cost", parseDuration, "2us");
    found.matrixPerS = readPeaks(root, "matrix", &found.tf32PerS);
    found.vectorPerS = readPeaks(root, "vector", nullptr);
    return found;
  }

 private:
  /// A text, or a list of texts.
  std::vector<std::string> readTexts(const YAML::Node& root, const std::string& key) {
    std::vector<std::string> texts;
    const YAML::Node node = root[key];
    if (!node.IsDefined()) return texts;
    if (node.IsScalar() && !node.Scalar().empty()) return {node.Scalar()};
    if (!node.IsSequence()) {
      text_.fault(node, fmt::format("`{}` takes a list of strings", key));
      return texts;
    }
    for (const YAML::Node& one : node) {
      if (text_.hasTooManyErrors()) break;
      if (one.IsScalar() && !one.Scalar().empty())
        texts.push_back(one.Scalar());
      else
        text_.fault(one, fmt::format("`{}` takes a list of strings, but one is {}", key, kindName(one)));
    }
    return texts;
  }

  void checkPatterns(const YAML::Node& devices) {
    const auto check = [&](const YAML::Node& one) {
      if (!one.IsScalar()) return;
      const re2::RE2 compiled(one.Scalar(), re2::RE2::Quiet);
      if (!compiled.ok())
        text_.fault(one, fmt::format("`{}` is not a regular expression: {}", one.Scalar(), compiled.error()));
    };
    if (!devices.IsDefined()) return;
    check(devices);
    if (devices.IsSequence())
      for (const YAML::Node& one : devices) check(one);
  }

  template <typename Parse>
  std::optional<int64_t> readQuantity(const YAML::Node& map, const std::string& key, const Parse& parse,
                                      std::string_view example) {
    const YAML::Node node = map[key];
    if (!node.IsDefined()) return std::nullopt;
    if (node.IsScalar())
      if (const std::optional<int64_t> value = parse(node.Scalar()); value && *value > 0) return value;
    text_.fault(node, fmt::format("`{}` takes a number above 0 with its unit, such as `{}`{}", key, example,
                                  node.IsScalar() ? fmt::format(", not `{}`", node.Scalar())
                                                  : fmt::format(", but got {}", kindName(node))));
    return std::nullopt;
  }

  /// `tf32` is null where that is no key.
  ir::PeakByType readPeaks(const YAML::Node& root, const std::string& key, std::optional<int64_t>* tf32) {
    ir::PeakByType peaks;
    const YAML::Node node = root[key];
    if (!node.IsDefined()) return peaks;
    if (!node.IsMap()) {
      text_.fault(node, fmt::format("`{}` takes a map of element types, such as {{float32: 66.9 TFLOP/s}}", key));
      return peaks;
    }
    std::vector<std::string> known = ir::elementTypeNames();
    if (tf32 != nullptr) known.emplace_back(kTf32);
    text_.checkKeys(node, known);
    for (const auto& entry : node) {
      if (text_.hasTooManyErrors()) break;
      if (!entry.first.IsScalar()) continue;
      const std::string& name = entry.first.Scalar();
      if (std::ranges::find(known, name) == known.end()) continue;
      const auto peak = readQuantity(node, name, parseOperationRate, "66.9 TFLOP/s");
      if (!peak) continue;
      if (name == kTf32)
        *tf32 = peak;
      else
        peaks[*ir::elementTypeFromName(name)] = *peak;
    }
    return peaks;
  }

  const YamlText& text_;
};

bool isPath(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  return name == "-" || name.find('/') != std::string::npos || ending == ".yaml" || ending == ".yml" ||
         ending == ".json";
}

bool namesDevice(const ir::Module& module) {
  return !module.target.device.empty() ||
         std::ranges::any_of(module.timelines, [](const Timeline& run) { return !run.target.device.empty(); });
}

/// `NVIDIA T4: 16 GB of memory at 320 GB/s, 65 TFLOP/s with matrices of float16`: what tells descriptions apart.
std::string describe(const ir::HardwareDescription& hardware) {
  std::string text = hardware.name + ": ";
  const auto inUnits = [](int64_t number, int64_t unit) {
    return fmt::format("{:g}", static_cast<double>(number) / static_cast<double>(unit));
  };
  constexpr int64_t kGiga = 1'000'000'000;
  if (hardware.memoryBytes) text += inUnits(*hardware.memoryBytes, kGiga) + " GB of ";
  text += fmt::format("memory at {} GB/s", inUnits(hardware.memoryBytesPerS, kGiga));
  for (const auto& [peaks, units] : {std::pair(&hardware.matrixPerS, "matrices"), {&hardware.vectorPerS, "vectors"}})
    for (const ir::ElementType type : {ir::ElementType::Float16, ir::ElementType::Float})
      if (const auto peak = peaks->find(type); peak != peaks->end())
        return text +
               fmt::format(", {} TFLOP/s with {} of {}", inUnits(peak->second, 1000 * kGiga), units, ir::name(type));
  return text;
}

/// Finds the shipped descriptions that `-hardware=` means, by their whole name, or else by a part of it that begins a
/// word. Several are returned where the device of each run has exactly one of them.
class ShippedHardware {
 public:
  ShippedHardware(const Request& request, const ir::Module& module, SourceManager& sources,
                  DiagnosticEngine& diagnostics)
      : request_(request), module_(module), sources_(sources), diagnostics_(diagnostics) {}

  /// nullopt after reporting why nothing can be taken.
  std::optional<std::vector<ir::HardwareDescription>> find() {
    const std::string& name = request_.hardware;
    const std::vector<std::string> names = namesOf(kShippedHardware, request_.shippedFolder);
    if (std::ranges::find(names, name) != names.end()) return read({name});
    const auto all = name.empty() ? std::vector<ir::HardwareDescription>() : read(names);
    if (!all) return std::nullopt;
    std::vector<ir::HardwareDescription> found;
    std::ranges::copy_if(*all, std::back_inserter(found), [&](const ir::HardwareDescription& one) {
      return hasWordThatBegins(one.key, name) || hasWordThatBegins(one.name, name);
    });
    if (found.empty()) {
      const auto folder = folderOf(kShippedHardware, request_.shippedFolder);
      refuse(fmt::format("no shipped description of hardware is named `{}`{}", name,
                         folder ? didYouMeanOrKnown(name, names, "") : "; " + amdahlc::describe(*folder.absence())));
      return std::nullopt;
    }
    if (found.size() > 1) {
      auto ofDevices = ofDevicesAmong(found);
      if (ofDevices.empty()) {
        auto error = refuse(fmt::format("`{}` can be {} shipped descriptions of hardware, and {}; give one of them",
                                        name, found.size(), whyUndecided_));
        for (const ir::HardwareDescription& one : found) error.note(fmt::format("`{}` is {}", one.key, describe(one)));
        return std::nullopt;
      }
      found = std::move(ofDevices);
    }
    for (const ir::HardwareDescription& one : found)
      diagnostics_.remark(DiagId::HardwareFound, request_.hardwareRange,
                          fmt::format("`{}` is taken as `{}`, {}", name, one.key, describe(one)));
    return found;
  }

  /// All that can be for the device of a run or of the target.
  std::optional<std::vector<ir::HardwareDescription>> ofDevices() {
    std::vector<std::string> names = namesOf(kShippedHardware, request_.shippedFolder);
    std::erase_if(names, [&](const std::string& name) { return !mayBeForDevice(name); });
    return read(names);
  }

 private:
  /// Whether the file must be read to know. To find the lines of its patterns takes far less time than to read YAML; a
  /// file that writes them in another way is read.
  bool mayBeForDevice(const std::string& name) {
    static const re2::RE2 kDevices(R"((?m)^devices:\n((?:  - '[^'\n]*'\n)+)[a-z#])"), kDevice("  - '(.*)'\n");
    const auto folder = folderOf(kShippedHardware, request_.shippedFolder);
    DiagnosticEngine ignored([](const Diagnostic&) {});
    const auto text = readFile(*folder / (name + ".yaml"), limits::kOptionFileBytes, ignored);
    ir::HardwareDescription described;
    re2::StringPiece lines;
    if (!text || !re2::RE2::PartialMatch(*text, kDevices, &lines)) return true;
    for (std::string device; re2::RE2::Consume(&lines, kDevice, &device);) described.devices.push_back(device);
    return described.isFor(module_.target.device) || std::ranges::any_of(module_.timelines, [&](const Timeline& run) {
             return described.isFor(run.target.device);
           });
  }

  DiagnosticEngine::InFlight refuse(std::string message) {
    return diagnostics_.error(DiagId::OptionValue, request_.hardwareRange, std::move(message));
  }

  std::optional<std::vector<ir::HardwareDescription>> read(const std::vector<std::string>& names) {
    std::vector<ir::HardwareDescription> found;
    const auto folder = folderOf(kShippedHardware, request_.shippedFolder);
    for (const std::string& name : names) {
      auto one = readHardwareFile((*folder / (name + ".yaml")).string(), sources_, diagnostics_);
      if (!one) return std::nullopt;
      found.push_back(std::move(*one));
    }
    return found;
  }

  /// Those of `known` that are for the devices of the runs, or of the target if there is no run. Empty if a device is
  /// not named, or does not have exactly one; `whyUndecided_` says so.
  std::vector<ir::HardwareDescription> ofDevicesAmong(const std::vector<ir::HardwareDescription>& known) {
    std::vector<std::string> devices;
    for (const Timeline& run : module_.timelines) devices.push_back(run.target.device);
    if (devices.empty()) devices.push_back(module_.target.device);
    std::vector<bool> isNeeded(known.size(), false);
    for (const std::string& device : devices) {
      const auto isForIt = [&](const ir::HardwareDescription& one) { return one.isFor(device); };
      if (device.empty() || std::ranges::count_if(known, isForIt) != 1) {
        whyUndecided_ = device.empty() ? "nothing names the device that it ran on"
                                       : fmt::format("the device `{}` does not tell which", device);
        return {};
      }
      isNeeded[static_cast<size_t>(std::ranges::find_if(known, isForIt) - known.begin())] = true;
    }
    std::vector<ir::HardwareDescription> found;
    for (size_t i = 0; i < known.size(); ++i)
      if (isNeeded[i]) found.push_back(known[i]);
    return found;
  }

  const Request& request_;
  const ir::Module& module_;
  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  std::string whyUndecided_;
};

}  // namespace

std::optional<ir::HardwareDescription> readHardwareFile(const std::string& path, SourceManager& sources,
                                                        DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  const auto text = YamlText::read(path, DiagId::HardwareSyntax, DiagId::HardwareSyntax, sources, diagnostics);
  if (!text) return std::nullopt;
  ir::HardwareDescription found =
      HardwareFileReader(*text).read(path == "-" ? "stdin" : std::filesystem::path(path).stem().string());
  if (diagnostics.errorCount() != errorsBefore) return std::nullopt;
  return found;
}

bool addHardware(const Request& request, ir::Module& module, SourceManager& sources, DiagnosticEngine& diagnostics) {
  const std::string& name = request.hardware;
  ShippedHardware shipped(request, module, sources, diagnostics);
  std::optional<std::vector<ir::HardwareDescription>> found;
  if (isPath(name)) {
    if (auto one = readHardwareFile(name, sources, diagnostics)) found = {std::move(*one)};
  } else if (!name.empty()) {
    found = shipped.find();
  } else if (namesDevice(module)) {
    found = shipped.ofDevices();
  } else {
    found.emplace();
  }
  if (!found) return false;
  module.hardware = {std::move(*found), false};
  module.hardware.isChosen = !name.empty() && module.hardware.descriptions.size() == 1;
  return true;
}

}  // namespace amdahlc::api
