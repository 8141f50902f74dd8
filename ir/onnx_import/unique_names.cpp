#include "ir/onnx_import/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/string_pool.h"

namespace amdahlc::ir::onnx_import {
namespace {

/// What names mean in the graphs that are open, from the main graph inwards. A name is looked up among the symbols, and
/// what it means is in an array.
class Names {
 public:
  struct Meaning {
    /// The name by now of the value that it means; empty for none.
    Symbol written;
    /// Open graphs that define it anywhere: names inside of them must differ.
    uint32_t definers = 0;
    /// How many graphs are around the outermost of these.
    uint32_t outermostDefiner = 0;
    /// The innermost open graph that mentions it, by the number of graphs opened before; what follows is about it.
    uint32_t graph = kNowhere;
    bool isDefinedHere = false;
    bool isMeantHere = false;
  };

  void open() {
    open_.push_back({current_, hidden_.size()});
    current_ = ++opened_;
  }
  void close() {
    for (; hidden_.size() > open_.back().firstHidden; hidden_.pop_back())
      meanings_[hidden_.back().first.index] = hidden_.back().second;
    current_ = open_.back().outer;
    open_.pop_back();
  }

  /// The meaning in the graph that was opened last. Valid until the next call.
  Meaning& here(Symbol name) {
    if (name.index >= meanings_.size()) meanings_.resize(std::max<size_t>(name.index + 1, 2 * meanings_.size()));
    Meaning& meaning = meanings_[name.index];
    if (meaning.graph == current_) return meaning;
    if (open_.size() > 1) hidden_.emplace_back(name, meaning);
    meaning.graph = current_;
    meaning.isDefinedHere = meaning.isMeantHere = false;
    return meaning;
  }
  const Meaning& anywhere(Symbol name) const {
    static constexpr Meaning kNothing;
    return name.index < meanings_.size() ? meanings_[name.index] : kNothing;
  }

  void define(Symbol name) {
    Meaning& meaning = here(name);
    if (!meaning.isDefinedHere && ++meaning.definers == 1) meaning.outermostDefiner = depth();
    meaning.isDefinedHere = true;
  }
  /// Whether a graph around the one that was opened last defines it, too.
  bool isShadowing(Symbol name) {
    const Meaning& meaning = here(name);
    return meaning.definers > (meaning.isDefinedHere ? 1u : 0u);
  }

  /// The least number that makes a name, which no open graph defines, of one that several define. What a search has
  /// found taken is remembered until a graph that takes it is closed.
  template <typename Symbols>
  Symbol defineNumbered(Symbol name, const Symbols& symbols) {
    std::vector<Taken>& taken = taken_[name.index];
    const auto isOpen = [&](const Taken& entry) {
      return entry.depth < open_.size() && graphAt(entry.depth) == entry.graph;
    };
    while (!taken.empty() && !isOpen(taken.back())) taken.pop_back();
    uint32_t innermost = taken.empty() ? 0 : taken.back().depth;
    for (int64_t number = taken.empty() ? 1 : taken.back().next;; ++number) {
      const Symbol candidate = symbols(number);
      const bool isFree = anywhere(candidate).definers == 0;
      if (isFree) define(candidate);
      innermost = std::max(innermost, anywhere(candidate).outermostDefiner);
      if (taken.empty() || taken.back().depth < innermost) taken.push_back({graphAt(innermost), innermost, number});
      taken.back().next = number + 1;
      if (isFree) return candidate;
    }
  }

 private:
  static constexpr uint32_t kNowhere = 0;
  struct OpenGraph {
    uint32_t outer;
    size_t firstHidden;
  };
  /// All numbers below `next` make names that graphs define which are no deeper than `depth`.
  struct Taken {
    uint32_t graph, depth;
    int64_t next;
  };

  /// How many graphs are around the one that was opened last.
  uint32_t depth() const { return static_cast<uint32_t>(open_.size()) - 1; }
  uint32_t graphAt(uint32_t depth) const { return depth + 1 < open_.size() ? open_[depth + 1].outer : current_; }

  /// By symbol.
  std::vector<Meaning> meanings_;
  /// Meanings in graphs around the open ones, to be restored when these are closed.
  std::vector<std::pair<Symbol, Meaning>> hidden_;
  std::vector<OpenGraph> open_;
  /// By the index of a symbol, from the main graph inwards.
  std::unordered_map<uint32_t, std::vector<Taken>> taken_;
  uint32_t opened_ = 0;
  uint32_t current_ = kNowhere;
};

class Renamer {
 public:
  explicit Renamer(GraphConstants& constants) : constants_(constants) {}

  void graph(onnx::GraphProto& graph) {
    std::vector<ConstantInfo>& constants = constants_.at(&graph);
    names_.open();
    for (const auto& input : graph.input()) define(input.name());
    for (const auto& constant : constants) define(constant.name);
    for (const auto& node : graph.node())
      for (const auto& output : node.output()) define(output);

    for (auto& input : *graph.mutable_input()) begin(*input.mutable_name());
    for (auto& constant : constants) begin(constant.name);
    for (auto& tensor : *graph.mutable_initializer()) use(*tensor.mutable_name());
    for (auto& tensor : *graph.mutable_sparse_initializer()) use(*tensor.mutable_values()->mutable_name());
    for (auto& node : *graph.mutable_node()) {
      for (auto& input : *node.mutable_input()) use(input);
      // The numbers are those of the order of definition, in which a node comes before what its bodies define.
      std::vector<std::pair<Symbol, Symbol>> results;
      for (auto& output : *node.mutable_output())
        if (!output.empty()) results.emplace_back(symbols_.intern(output), unique(output));
      onnx_schemas::forEachBody(node, [&](auto& body) { this->graph(body); });
      for (const auto& [name, written] : results) mean(name, written);
      for (auto& output : *node.mutable_output()) use(output);
    }
    for (auto& output : *graph.mutable_output()) use(*output.mutable_name());
    auto& infos = *graph.mutable_value_info();
    int kept = 0;
    for (int i = 0; i < infos.size(); ++i) {
      // A declaration is of a value of its own graph.
      const auto name = symbols_.lookUp(infos[i].name());
      if (!name || !names_.here(*name).isDefinedHere) continue;
      use(*infos[i].mutable_name());
      infos.SwapElements(i, kept++);
    }
    infos.DeleteSubrange(kept, infos.size() - kept);
    names_.close();
  }

  int64_t renamed() const { return renamed_; }

 private:
  void define(const std::string& name) {
    if (!name.empty()) names_.define(symbols_.intern(name));
  }

  /// The name in the model, unless an enclosing graph defines it too.
  Symbol unique(const std::string& text) {
    const Symbol name = symbols_.intern(text);
    if (!names_.isShadowing(name)) return name;
    ++renamed_;
    return names_.defineNumbered(
        name, [&](int64_t number) { return symbols_.intern(fmt::format("{}@{}", symbols_.text(name), number)); });
  }

  /// From now on, `name` means the value that is written so. The first value of a name in its graph keeps it.
  void mean(Symbol name, Symbol written) {
    Names::Meaning& meaning = names_.here(name);
    if (meaning.isMeantHere) return;
    meaning.written = written;
    meaning.isMeantHere = true;
  }

  /// A definition without bodies.
  void begin(std::string& text) {
    if (text.empty()) return;
    const Symbol name = symbols_.intern(text);
    if (!names_.here(name).isMeantHere) mean(name, unique(text));
    use(text);
  }

  void use(std::string& text) {
    const auto name = symbols_.lookUp(text);
    const Symbol written = name ? names_.anywhere(*name).written : Symbol();
    if (!written.empty() && written != *name) text = symbols_.text(written);
  }

  GraphConstants& constants_;
  StringPool symbols_;
  Names names_;
  int64_t renamed_ = 0;
};

bool hasBodies(const onnx::GraphProto& graph) {
  bool has = false;
  for (const auto& node : graph.node()) onnx_schemas::forEachBody(node, [&](const auto&) { has = true; });
  return has;
}

}  // namespace

int64_t makeNamesUnique(onnx::ModelProto& model, GraphConstants& constants) {
  if (!hasBodies(model.graph())) return 0;
  Renamer renamer(constants);
  renamer.graph(*model.mutable_graph());
  return renamer.renamed();
}

}  // namespace amdahlc::ir::onnx_import
