// `-what-if=file`: scenarios as JSON or YAML.
//
//     {"speedups": [{"op_id": "2", "speedup": 2}, {"op_type": "add-normalization", "speedup": 2}]}
//
// is the format of amdahl4ml. Each entry has one selector and one new time:
// - selector: a key of `ir::selectorKeys`, such as `op_id` (kernel id) or `op_type` (as `-what-if=` takes it);
// - new time: `speedup` (a number: so many times as fast) or `time` (`10us` per iteration, or 0).
//
// `{"change": "fuse(sdpa)"}` is any change, as `-what-if=` takes it.
//
// The scenario is named by `name`, or by the file without folders and extension. With `wall_model: idle-constant` it
// is predicted by arithmetic that keeps idle time.
// `{"scenarios": [{"name": ..., "speedups": [...]}, ...]}` holds several.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "api/change_text.h"
#include "api/yaml_text.h"
#include "support/limits.h"

namespace amdahlc::api {
namespace {

class SpeedupFileReader {
 public:
  /// A scenario without a name is called `stem`, which is written in `pathRange`.
  SpeedupFileReader(const YamlText& text, std::string stem, SourceRange pathRange, DiagnosticEngine& diagnostics)
      : text_(text), stem_(std::move(stem)), pathRange_(pathRange), diagnostics_(diagnostics) {}

  std::vector<ir::Scenario> read() {
    const YAML::Node& root = text_.root();
    if (!root.IsDefined() || !root.IsMap()) {
      text_.fault(root, fmt::format("expected a map with the key `speedups`, but got {}", kindName(root)));
      return {};
    }
    if (!root["scenarios"].IsDefined()) return {readScenario(root)};
    text_.checkKeys(root, {"scenarios"});
    std::vector<ir::Scenario> scenarios;
    if (!root["scenarios"].IsSequence()) {
      text_.fault(root["scenarios"], "`scenarios` takes a list");
      return {};
    }
    if (root["scenarios"].size() > limits::kScenarios) {
      text_.fault(root["scenarios"], fmt::format("more than {} scenarios", limits::kScenarios));
      return {};
    }
    for (const YAML::Node& entry : root["scenarios"]) {
      if (text_.hasTooManyErrors()) break;
      if (!entry.IsMap() || !entry["name"].IsDefined())
        text_.fault(entry, "a scenario is a map with the keys `name` and `speedups`");
      else
        scenarios.push_back(readScenario(entry));
    }
    return scenarios;
  }

 private:
  ir::Scenario readScenario(const YAML::Node& map) {
    ir::Scenario scenario{stem_, {}, false, pathRange_};
    text_.checkKeys(map, {"name", "wall_model", "speedups"});
    if (auto name = text_.string(map, "name")) {
      scenario.name = std::move(*name);
      scenario.range = text_.range(map["name"]);
    }
    if (const auto model = text_.string(map, "wall_model")) {
      scenario.keepsIdle = *model == ir::kIdleConstant;
      if (!scenario.keepsIdle)
        text_.fault(map["wall_model"], fmt::format("`wall_model` takes `{}`; without, the run is replayed if it can be",
                                                   ir::kIdleConstant));
    }
    const YAML::Node speedups = map["speedups"];
    if (!speedups.IsDefined() || !speedups.IsSequence()) {
      text_.fault(speedups.IsDefined() ? speedups : map, "the key `speedups` with a list is missing");
      return scenario;
    }
    if (speedups.size() > limits::kSpeedupsOfScenario) {
      text_.fault(speedups, fmt::format("more than {} speed-ups in a scenario", limits::kSpeedupsOfScenario));
      return scenario;
    }
    // The check of scenarios reports an empty one, at its list.
    if (speedups.size() == 0) scenario.range = text_.range(speedups);
    for (const YAML::Node& entry : speedups) {
      if (text_.hasTooManyErrors()) break;
      readEntry(entry, scenario);
    }
    return scenario;
  }

  void readEntry(const YAML::Node& entry, ir::Scenario& scenario) {
    if (!entry.IsMap())
      return text_.fault(
          entry,
          fmt::format("expected a speed-up such as {{\"op_id\": \"2\", \"speedup\": 2}}, but got {}", kindName(entry)));
    std::vector<std::string> known;
    const std::vector<ir::SelectorKey> keys = ir::selectorKeys();
    for (const ir::SelectorKey& one : keys) known.emplace_back(one.key);
    known.insert(known.end(), {"speedup", "time", "change"});
    text_.checkKeys(entry, known);
    if (const YAML::Node other = entry["change"]; other.IsDefined()) return readOtherChange(entry, other, scenario);

    ir::Change change;
    size_t selectors = 0, times = 0;
    bool good = true;
    for (const auto& pair : entry) {
      if (!pair.first.IsScalar()) return;
      const std::string& key = pair.first.Scalar();
      const bool isTime = key == "speedup" || key == "time";
      const auto selector = std::ranges::find(keys, key, &ir::SelectorKey::key);
      if (!isTime && selector == keys.end()) return;  // reported by checkKeys
      if (!pair.second.IsScalar()) return text_.fault(pair.first, fmt::format("`{}` takes a single value", key));
      const std::string& value = pair.second.Scalar();
      const SourceRange range = text_.range(pair.second);
      if (isTime) {
        ++times;
        good &= key == "time" ? readTime(value, range, change, diagnostics_)
                              : readTimesAsFast(value, range, change, diagnostics_);
      } else {
        ++selectors;
        change.range = range;
        change.selectors = {selector->kind == ir::SelectorKind::Any ? ir::parseSelector(value, range)
                                                                    : ir::Selector{selector->kind, value, range}};
      }
    }
    if (selectors != 1)
      return text_.fault(entry, selectors == 0 ? "no selector; name kernels by one key, such as `rule`"
                                               : fmt::format("{} selectors in one speed-up; keep one", selectors));
    if (times != 1)
      return text_.fault(entry,
                         times == 0 ? "no new time; add `speedup` or `time`" : "both `speedup` and `time`; keep one");
    if (good) scenario.changes.push_back(std::move(change));
  }

  /// An entry with the key `change`, as an option takes it.
  void readOtherChange(const YAML::Node& entry, const YAML::Node& text, ir::Scenario& scenario) {
    if (entry.size() != 1) return text_.fault(entry, "an entry with the key `change` has no other");
    if (!text.IsScalar()) return text_.fault(text, "`change` takes a string, such as `fuse(sdpa)`");
    if (auto change = readChange(text.Scalar(), text_.range(text), diagnostics_))
      scenario.changes.push_back(std::move(*change));
  }

  const YamlText& text_;
  std::string stem_;
  SourceRange pathRange_;
  DiagnosticEngine& diagnostics_;
};

}  // namespace

std::vector<ir::Scenario> readScenarioFile(const std::string& path, SourceRange pathRange, SourceManager& sources,
                                           DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  const auto text = YamlText::read(path, DiagId::SpeedupSyntax, DiagId::SpeedupSyntax, sources, diagnostics);
  if (!text) return {};
  const std::string stem = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
  std::vector<ir::Scenario> scenarios = SpeedupFileReader(*text, stem, pathRange, diagnostics).read();
  if (diagnostics.errorCount() != errorsBefore) return {};
  for (const ir::Scenario& scenario : scenarios) ir::checkScenario(scenario, DiagId::SpeedupSyntax, diagnostics);
  if (diagnostics.errorCount() != errorsBefore) return {};
  return scenarios;
}

}  // namespace amdahlc::api
