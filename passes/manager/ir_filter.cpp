// Which statements of the IR `-filter-print=` keeps.
#include <algorithm>
#include <set>

#include "ir/facets/bound.h"
#include "ir/kernel_graph.h"
#include "ir/text/rule_words.h"
#include "passes/manager/ir_printing.h"
#include "support/decimal_time.h"

namespace amdahlc {
namespace {

/// The entities that a dump is about.
struct Selection {
  std::set<size_t> operators, candidates;
  /// As their declarations write them.
  std::set<std::string> rules;
  /// Of each cover, and of each timeline, in their order.
  std::vector<std::set<size_t>> kernels, events;
};

class Selector {
 public:
  explicit Selector(const ir::Module& module) : module_(module) {}

  /// Whether something has this name.
  bool add(const std::string& name) {
    bool found = false;
    for (const ir::OpId op : module_.ops.ids())
      if (module_.displayName(op) == name) {
        selection_.operators.insert(op.index());
        found = true;
      }
    for (const ir::Cover& cover : module_.covers)
      for (const ir::Kernel& kernel : cover.kernels)
        if (ir::kernelLabel(module_, kernel) == name ||
            (kernel.candidate && module_.ruleOf(*kernel.candidate).name == name)) {
          for (const ir::OpId op : kernel.ops) selection_.operators.insert(op.index());
          found = true;
        }
    return found;
  }

  Selection complete() {
    const auto isChosen = [&](ir::OpId op) { return selection_.operators.contains(op.index()); };
    for (const ir::CandidateId id : module_.candidates.ids()) {
      const ir::Candidate& candidate = module_.candidates[id];
      if (!std::ranges::any_of(candidate.ops, isChosen)) continue;
      selection_.candidates.insert(id.index());
      selection_.rules.insert(ir::ruleName(module_.rules.rules[candidate.rule].name));
    }
    selection_.events.resize(module_.timelines.size());
    for (const ir::Cover& cover : module_.covers) {
      const auto* bound = cover.facets.get<ir::BoundFacet>();
      const Timeline* timeline = module_.findTimeline(cover.traceLabel);
      std::set<size_t>& kernels = selection_.kernels.emplace_back();
      for (const ir::Kernel& kernel : cover.kernels) {
        if (!std::ranges::any_of(kernel.ops, isChosen)) continue;
        kernels.insert(kernel.id.index());
        if (!bound || !timeline) continue;
        std::set<size_t>& events = selection_.events[static_cast<size_t>(timeline - module_.timelines.data())];
        for (const ir::BoundEvent& event : bound->kernels[kernel.id].events) events.insert(event.event);
      }
    }
    return std::move(selection_);
  }

 private:
  const ir::Module& module_;
  Selection selection_;
};

size_t indentOf(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// The line without the comment at its end, and the blanks before that.
std::string_view withoutComment(std::string_view line) {
  bool isQuoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (isQuoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      isQuoted = !isQuoted;
    else if (!isQuoted && line.substr(i, 2) == "//")
      line = line.substr(0, i);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// The first `count` words of a line.
std::vector<std::string_view> wordsOf(std::string_view line, size_t count) {
  std::vector<std::string_view> words;
  while (words.size() < count) {
    line.remove_prefix(indentOf(line));
    if (line.empty()) break;
    const size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

/// Reads the lines of the printed form, of which each is a statement, begins a block or ends one.
class Filter {
 public:
  explicit Filter(const Selection& selection) : selection_(selection) {}

  std::string run(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(out_);
  }

 private:
  struct Block {
    std::string_view header;
    bool isChosen;
    bool isPrinted;
  };

  void line(std::string_view text) {
    if (indentOf(text) == text.size()) return;
    if (wordsOf(text, 1).front() == "}") {
      if (blocks_.empty()) return;
      if (blocks_.back().isPrinted) print(text);
      blocks_.pop_back();
      return;
    }
    const bool isChosen = (!blocks_.empty() && blocks_.back().isChosen) || isAboutSelection(text);
    const bool opens = withoutComment(text).ends_with('{');
    if (isChosen) {
      for (Block& block : blocks_) {
        if (!block.isPrinted) print(block.header);
        block.isPrinted = true;
      }
      print(text);
    }
    if (!opens) return;
    if (blocks_.empty()) beginSection(text);
    blocks_.push_back({text, isChosen, isChosen});
  }

  void beginSection(std::string_view header) {
    section_ = wordsOf(header, 1).front();
    if (section_ == "cover") ++covers_;
    if (section_ == "timeline") ++timelines_;
  }

  /// The subject of a statement is what its first words name.
  bool isAboutSelection(std::string_view text) const {
    if (blocks_.empty()) return false;
    const auto words = wordsOf(text, 2);
    const std::string_view first = words.front(), second = words.size() > 1 ? words[1] : std::string_view();
    if (section_ == "graph") return first.starts_with('#') && has(selection_.operators, first.substr(1));
    if (section_ == "rules") {
      const std::string_view rest = text.substr(std::min(text.find(first) + first.size() + 1, text.size()));
      return first == "kernel" && std::ranges::any_of(selection_.rules, [&](const std::string& name) {
               return rest.starts_with(name + " {") || rest.starts_with(name + " : ");
             });
    }
    if (section_ == "candidates") return has(selection_.candidates, first);
    if (section_ == "timeline")
      return wordsOf(blocks_.back().header, 1).front() == "events" && has(selection_.events[timelines_ - 1], first);
    return section_ == "cover" && first == "kernel" && has(selection_.kernels[covers_ - 1], second);
  }

  static bool has(const std::set<size_t>& chosen, std::string_view word) {
    const auto number = parseWhole(word);
    return number && chosen.contains(static_cast<size_t>(*number));
  }

  void print(std::string_view text) { out_.append(text).append("\n"); }

  const Selection& selection_;
  std::vector<Block> blocks_;
  /// The first word of the outermost block, and how many of its kind there were.
  std::string_view section_;
  size_t covers_ = 0, timelines_ = 0;
  std::string out_;
};

}  // namespace

std::string filteredIr(std::string_view text, const ir::Module& module, const std::vector<std::string>& names,
                       std::vector<bool>& found) {
  Selector selector(module);
  found.resize(names.size());
  for (size_t i = 0; i < names.size(); ++i)
    if (selector.add(names[i])) found[i] = true;
  const Selection selection = selector.complete();
  return Filter(selection).run(text);
}

}  // namespace amdahlc
