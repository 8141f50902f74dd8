#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/facets/critical_path.h"
#include "passes/emit/writers.h"
#include "support/decimal_time.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

/// A quoted DOT string of one or more lines. Quoting also prevents that a label that begins with `<` is read as HTML.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (;;) {
    const size_t end = std::min(text.find('\n'), text.size());
    for (const char c : printable(text.substr(0, end))) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    if (end == text.size()) return out + '"';
    out += "\\n";
    text.remove_prefix(end + 1);
  }
}

/// Shades from white to orange by share of busy time.
std::string fill(double ratio) { return fmt::format("0.08 {:.3f} 1.000", std::min(1.0, ratio * 4)); }

/// A line for each name, whatever characters the names have.
std::string linesOf(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "\n") + printable(name);
  return text;
}

std::string kernelLabelText(const KernelRow& kernel) {
  std::string text = fmt::format("{}: {}", kernel.id.index(), printable(kernel.label));
  if (!kernel.scope.empty()) text += "\n" + printable(kernel.scope);
  if (kernel.time && kernel.time->totalNs > 0)
    text += fmt::format("\n{} us, {:.1f} %", formatUs(kernel.time->meanNs), 100 * kernel.shares->ratio);
  return text;
}

void writeNodes(std::string& out, const RunReport& run) {
  for (const KernelRow& kernel : run.kernels) {
    out += fmt::format("  k{} [label={}, tooltip={}", kernel.id.index(), quoted(kernelLabelText(kernel)),
                       quoted(linesOf(kernel.nodes)));
    if (kernel.state == ir::KernelState::NoDeviceWork) out += ", style=\"rounded,dashed\"";
    if (kernel.shares && kernel.shares->ratio > 0)
      out += fmt::format(", fillcolor={}", quoted(fill(kernel.shares->ratio)));
    if (kernel.critical.value_or(false)) out += ", color=red, penwidth=2";
    out += "];\n";
  }
}

/// Branch labels by (via, join); for graph inputs by their name.
struct BranchLabels {
  std::map<std::pair<ir::KernelId, ir::KernelId>, std::string> kernel;
  std::map<std::pair<std::string, ir::KernelId>, std::string> input;

  explicit BranchLabels(const RunReport& run) {
    const auto* path = run.cover->facets.get<ir::CriticalPathFacet>();
    if (path == nullptr) return;
    for (const ir::Branch& branch : path->branches) {
      const std::string text = fmt::format("{} us, {:.1f} %", formatUs(run.measured.perIteration(branch.pathNs)),
                                           100 * run.measured.busyShare(branch.pathNs));
      if (branch.via)
        kernel[{*branch.via, branch.join}] = text;
      else
        input[{branch.viaInput, branch.join}] = text;
    }
  }
};

void writeEdges(std::string& out, const ir::Module& module, const RunReport& run, const ir::KernelGraph& graph) {
  const BranchLabels labels(run);
  std::set<std::pair<ir::KernelId, ir::KernelId>> onPath;
  const auto* path = run.cover->facets.get<ir::CriticalPathFacet>();
  for (size_t i = 1; path != nullptr && i < path->path.size(); ++i) onPath.emplace(path->path[i - 1], path->path[i]);
  std::map<ir::ValueId, std::vector<ir::KernelId>> inputs;
  for (const KernelRow& kernel : run.kernels) {
    for (ir::ValueId input : graph.graphInputs(kernel.id)) inputs[input].push_back(kernel.id);
    for (ir::KernelId from : graph.predecessors(kernel.id)) {
      out += fmt::format("  k{} -> k{}", from.index(), kernel.id.index());
      std::string attributes;
      if (const auto label = labels.kernel.find({from, kernel.id}); label != labels.kernel.end())
        attributes += fmt::format("label={}", quoted(label->second));
      if (onPath.contains({from, kernel.id}))
        attributes += fmt::format("{}color=red, penwidth=2", attributes.empty() ? "" : ", ");
      out += attributes.empty() ? ";\n" : " [" + attributes + "];\n";
    }
  }
  size_t next = 0;
  for (const auto& [input, users] : inputs) {
    const std::string name = printable(module.text(module.values[input].name));
    out += fmt::format("  in{} [label={}, shape=plaintext, style=\"\"];\n", next, quoted(name));
    for (ir::KernelId user : users) {
      const auto label = labels.input.find({name, user});
      out += fmt::format("  in{} -> k{}{};\n", next, user.index(),
                         label == labels.input.end() ? "" : fmt::format(" [label={}]", quoted(label->second)));
    }
    ++next;
  }
}

}  // namespace

std::string writeDot(const Report& report, std::span<const ReportSection> sections) {
  std::string out;
  const ir::OperatorGraph operators(*report.module);
  for (const RunReport& run : report.runs) {
    const ir::KernelGraph graph(*report.module, operators, *run.cover);
    out += fmt::format("digraph {} {{\n", quoted(run.label));
    out += "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=10];\n";
    out += "  edge [fontname=\"Helvetica\", fontsize=9];\n";
    std::string title;
    for (const ReportSection& section : sections)
      if (const std::string caveat = section.caveat ? section.caveat(run.measured) : ""; !caveat.empty())
        title += (title.empty() ? "" : "\n") + caveat;
    if (!title.empty()) out += fmt::format("  graph [label={}, labelloc=t, fontname=\"Helvetica\"];\n", quoted(title));
    writeNodes(out, run);
    writeEdges(out, *report.module, run, graph);
    out += "}\n";
  }
  return out;
}

}  // namespace amdahlc
