// Data for the nodes of Model Explorer. Shares of busy time: of each kernel at its anchor, so that sums over groups of
// nodes are sums over kernels; the same at each node of the kernel, named `kernels`; and both as predicted for each
// what-if, named after it. Kernels without events have no share.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "passes/speedup_rewrite/scenario_predictions.h"
#include "report/drawing/palette.h"
#include "report/json_stream.h"
#include "report/outputs/model_explorer_names.h"
#include "report/outputs/output.h"
#include "report/report.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

/// The longest part of a file's name that comes from the name of a what-if, in bytes.
constexpr size_t kNameBytes = 64;

/// Shares of kernels; nullopt for one without events.
using KernelShares = IdVector<ir::KernelId, std::optional<double>>;

/// A percentage, short enough for the viewer, which shows every digit that it gets. The error of a sum stays below five
/// millionths of it.
double percentage(double share) { return std::stod(fmt::format("{:.6g}", 100 * share)); }

/// A part of a file's name, different from those in `taken`.
std::string fileName(std::string_view text, std::set<std::string>& taken) {
  std::string name(text.substr(0, kNameBytes));
  for (char& c : name) {
    const bool isPlain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    if (!isPlain) c = '_';
  }
  while (name.empty() || !taken.insert(name).second) name += '_';
  return name;
}

class NodeData {
 public:
  NodeData(const Report& report, const RunReport& run, const ir::OperatorGraph& operators)
      : module_(*report.module), run_(run), names_(module_, operators) {
    if (report.runs.size() > 1) title_ = run.label + ": ";
    if (!run.caveat.empty()) caveat_ = "; " + run.caveat;
  }

  std::vector<NamedDocument> build() {
    const KernelShares measured = measuredShares();
    std::vector<std::pair<std::string, KernelShares>> predicted;
    for (const Prediction& prediction : predictionsOf(*run_.analyses, run_.id))
      predicted.emplace_back(prediction.scenario, predictedShares(prediction));
    // One scale for all, so that they can be compared.
    double largest = largestOf(measured);
    for (const auto& [name, shares] : predicted) largest = std::max(largest, largestOf(shares));
    const drawing::ColorScale scale(largest);

    std::set<std::string> taken{"kernels"};
    std::vector<NamedDocument> documents;
    documents.push_back({"", document(measured, true, "", scale)});
    documents.push_back({"kernels", document(measured, false, "", scale)});
    for (const auto& [name, shares] : predicted) {
      const std::string file = fileName(name, taken);
      const std::string condition = name + ": ";
      documents.push_back({file, document(shares, true, condition, scale)});
      documents.push_back({file + ".kernels", document(shares, false, condition, scale)});
    }
    return documents;
  }

 private:
  KernelShares measuredShares() const {
    KernelShares shares(run_.kernels.size());
    if (run_.busyNs <= 0) return shares;
    for (const KernelRow& kernel : run_.kernels)
      if (kernel.state == ir::KernelState::Bound && kernel.shares) shares[kernel.id] = kernel.shares->ratio;
    return shares;
  }

  KernelShares predictedShares(const Prediction& prediction) const {
    KernelShares shares(run_.kernels.size());
    const auto busyNs = static_cast<double>(prediction.times.busyNs);
    if (busyNs <= 0) return shares;
    for (const KernelRow& kernel : run_.kernels)
      if (kernel.state == ir::KernelState::Bound && kernel.time) {
        const auto measuredNs = static_cast<double>(kernel.time->totalNs);
        shares[kernel.id] = prediction.newNs(kernel.id, measuredNs).value_or(measuredNs) / busyNs;
      }
    return shares;
  }

  static double largestOf(const KernelShares& shares) {
    double largest = 0;
    for (const std::optional<double>& share : shares) largest = std::max(largest, share.value_or(0));
    return largest;
  }

  /// Data binds to a graph by its id.
  std::string document(const KernelShares& shares, bool atAnchors, const std::string& condition,
                       const drawing::ColorScale& scale) {
    const IdVector<ir::OpId, std::optional<double>> values = valuesOf(shares, atAnchors);
    // The viewer shows few letters of it in tables.
    const std::string name =
        printable(fmt::format("{}{}{}{}", title_, condition, atAnchors ? "share %" : "kernel %", caveat_));
    std::string text;
    JsonStream out(text);
    out.beginObject();
    out.beginObject(names_.graphId());
    out.member("name", name);
    if (!atAnchors) {
      // A kernel counts once for each of its nodes.
      out.key("hideAggregatedStats");
      out.line({"sum", "avg"});
      out.member("hideInChildrenStatsTable", true);
    }
    out.beginObject("results");
    for (const ir::OpId op : module_.ops.ids()) {
      if (!values[op]) continue;
      out.key(names_.id(op));
      out.line({{"value", percentage(*values[op])}, {"bgColor", scale.color(*values[op])}});
    }
    out.end();
    out.end();
    out.end();
    text += '\n';
    return text;
  }

  IdVector<ir::OpId, std::optional<double>> valuesOf(const KernelShares& shares, bool atAnchors) const {
    IdVector<ir::OpId, std::optional<double>> values(module_.ops.size());
    for (const ir::Kernel& kernel : run_.cover->kernels) {
      if (!shares[kernel.id]) continue;
      for (const ir::OpId op : kernel.ops) {
        // An operator that several kernels compute has the share of all of them.
        values[op] = values[op].value_or(0) + *shares[kernel.id];
        if (atAnchors) break;
      }
    }
    return values;
  }

  const ir::Module& module_;
  const RunReport& run_;
  const ModelExplorerNames names_;
  std::string title_, caveat_;
};

}  // namespace

constinit const Output kNodeDataOutput{
    .name = "node-data",
    .summary = "shares of busy time as node data of Model Explorer, for the graph of `model-explorer`",
    .needs = ir::Facet::Timed,
    .write = [](const OutputContext& context, ir::CoverId run) {
      return NodeData(context.reported(), context.reported(run), context.analyses.get<ir::OperatorGraph>()).build();
    }};

}  // namespace amdahlc
