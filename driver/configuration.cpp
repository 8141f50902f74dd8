#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/yaml_text.h"
#include "driver/options.h"
#include "support/edit_distance.h"

namespace amdahlc::driver {
namespace {

constexpr std::string_view kModelKey = "model";

/// Options that are not allowed in a file.
bool belongsInFile(const OptionRow& row) { return row.jobs != AtOnce && row.id != OptionId::Config; }

class ConfigurationReader {
 public:
  explicit ConfigurationReader(const api::YamlText& text) : text_(text) {}

  Invocation read() {
    const YAML::Node& root = text_.root();
    if (!root.IsDefined() || root.IsNull()) return std::move(invocation_);
    if (!root.IsMap()) {
      text_.fault(root, fmt::format("expected a map from option names to values, but got {}", api::kindName(root)));
      return std::move(invocation_);
    }
    for (const auto& entry : root) {
      if (text_.hasTooManyErrors()) break;
      readEntry(entry.first, entry.second);
    }
    return std::move(invocation_);
  }

 private:
  void readEntry(const YAML::Node& keyNode, const YAML::Node& value) {
    if (!keyNode.IsScalar())
      return text_.fault(keyNode, fmt::format("expected the name of an option, but got {}", api::kindName(keyNode)));
    const std::string& key = keyNode.Scalar();
    if (!seen_.insert(key).second) return text_.fault(keyNode, fmt::format("key `{}` is given twice", key));
    if (key == kModelKey) {
      if (!value.IsScalar() || value.Scalar().empty())
        return text_.fault(keyNode, fmt::format("`model` takes a path, not {}", api::kindName(value)));
      invocation_.inputs.push_back({value.Scalar(), text_.range(value)});
      return;
    }
    const auto table = optionTable();
    const auto found =
        std::ranges::find_if(table, [&](const OptionRow& row) { return row.name == key && belongsInFile(row); });
    if (found == table.end()) return reportUnknown(keyNode);
    readOption(*found, keyNode, value);
  }

  void reportUnknown(const YAML::Node& keyNode) {
    std::vector<std::string> names{std::string(kModelKey)};
    for (const OptionRow& row : optionTable())
      if (belongsInFile(row) && row.topic != Topic::Hidden) names.emplace_back(row.name);
    const std::string& key = keyNode.Scalar();
    const std::string hint = didYouMean(key, names);
    text_.fault(keyNode, DiagId::ConfigUnknownKey,
                fmt::format("unknown key `{}`{}", key,
                            hint.empty() ? "; keys are `model` and the names of options without dashes" : hint));
  }

  void add(const OptionRow& row, std::string value, const YAML::Node& node) {
    invocation_.options.push_back({row.id, std::move(value), text_.range(node)});
  }

  void readOption(const OptionRow& row, const YAML::Node& key, const YAML::Node& value) {
    if (row.arity == Arity::Flag || row.arity == Arity::Optional) {
      if (value.IsScalar() && value.Scalar() == "true") return add(row, "", value);
      if (value.IsScalar() && value.Scalar() == "false") return;
    }
    if (row.arity == Arity::Flag) return text_.fault(key, fmt::format("`{}` takes true or false", row.name));
    if (value.IsScalar()) return add(row, value.Scalar(), value);
    const bool listed = row.arity == Arity::Many || row.id == OptionId::Passes;
    const bool mapped = row.arity == Arity::Many && row.argument.find('=') != std::string_view::npos;
    if (value.IsSequence() && listed) return readList(row, value);
    if (value.IsMap() && mapped) return readMap(row, value);
    text_.fault(key, fmt::format("`{}` takes {}, not {}", row.name,
                                 mapped   ? "a value, a list or a map"
                                 : listed ? "a value or a list"
                                          : "a single value",
                                 api::kindName(value)));
  }

  void readList(const OptionRow& row, const YAML::Node& list) {
    std::string joined;
    for (const YAML::Node& element : list) {
      if (!element.IsScalar())
        return text_.fault(element,
                           fmt::format("expected one value of `{}`, but got {}", row.name, api::kindName(element)));
      if (row.arity == Arity::Many)
        add(row, element.Scalar(), element);
      else
        joined += (joined.empty() ? "" : ",") + element.Scalar();
    }
    if (row.arity != Arity::Many) add(row, joined, list);
  }

  void readMap(const OptionRow& row, const YAML::Node& map) {
    std::set<std::string> names;
    for (const auto& entry : map) {
      const bool bare = entry.second.IsNull() && row.argument.ends_with(']');  // `summary:` of `kind[=path]`
      if (!entry.first.IsScalar() || !(entry.second.IsScalar() || bare)) {
        text_.fault(entry.first, fmt::format("`{}` takes pairs of single values", row.name));
        continue;
      }
      if (!names.insert(entry.first.Scalar()).second)
        text_.fault(entry.first, fmt::format("key `{}` is given twice", entry.first.Scalar()));
      add(row, bare ? entry.first.Scalar() : entry.first.Scalar() + "=" + entry.second.Scalar(), entry.first);
    }
  }

  const api::YamlText& text_;
  Invocation invocation_;
  std::set<std::string> seen_;
};

}  // namespace

bool readConfiguration(const std::string& path, Invocation& invocation, SourceManager& sources,
                       DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  const auto text = api::YamlText::read(path, DiagId::ConfigSyntax, DiagId::ConfigValue, sources, diagnostics);
  if (!text) return false;
  Invocation merged = ConfigurationReader(*text).read();
  std::erase_if(merged.options, [&](const Occurrence& option) { return invocation.has(option.id); });
  merged.options.insert(merged.options.end(), invocation.options.begin(), invocation.options.end());
  if (!invocation.inputs.empty()) merged.inputs = invocation.inputs;
  invocation = std::move(merged);
  return diagnostics.errorCount() == errorsBefore;
}

}  // namespace amdahlc::driver
