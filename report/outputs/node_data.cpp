// Data for the nodes of Model Explorer. Shares of undisturbed busy time: of each kernel at its anchor, so that sums
// over groups of nodes are sums over kernels; the same at each node of the kernel, named `kernels`; and both as
// predicted for each what-if, named after it. Kernels without events have no share.
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
  NodeData(const OutputContext& context, ir::CoverId run)
      : module_(context.module),
        run_(context.reported(run)),
        names_(module_, context.analyses.get<ir::OperatorGraph>()),
        title_(context.reported().runs.size() > 1 ? run_.label + ": " : ""),
        caveat_(run_.caveat.empty() ? "" : "; " + run_.caveat) {}

  std::vector<NamedDocument> build() {
    // The first is measured. Its file and its condition have no name.
    std::vector<std::pair<std::string, KernelShares>> all;
    all.emplace_back("",
                     sharesOf(run_.undisturbedBusyNs, [](const KernelRow& kernel) { return kernel.shares->ratio; }));
    for (const Prediction& prediction : predictionsOf(*run_.analyses, run_.id)) {
      const int64_t busyNs = run_.perIteration(prediction.times.busyNs);
      all.emplace_back(prediction.scenario, sharesOf(busyNs, [&](const KernelRow& kernel) {
                         return shareOf(
                             predictedKernelNs(run_, prediction, kernel.id).value_or(kernel.time->reportedNs), busyNs);
                       }));
    }
    // One scale for all, so that they can be compared.
    double largest = 0;
    for (const auto& [name, shares] : all)
      for (const std::optional<double>& share : shares) largest = std::max(largest, share.value_or(0));
    const drawing::ColorScale scale(largest);

    std::set<std::string> taken{"kernels"};
    std::vector<NamedDocument> documents;
    for (const auto& [name, shares] : all) {
      const bool isMeasured = documents.empty();
      const std::string file = isMeasured ? "" : fileName(name, taken), condition = isMeasured ? "" : name + ": ";
      documents.push_back({file, document(shares, true, condition, scale)});
      documents.push_back({file + (isMeasured ? "kernels" : ".kernels"), document(shares, false, condition, scale)});
    }
    return documents;
  }

 private:
  /// None without busy time.
  template <typename Function>
  KernelShares sharesOf(int64_t busyNs, const Function& shareOfKernel) const {
    KernelShares shares(run_.kernels.size());
    for (const KernelRow& kernel : run_.kernels)
      if (busyNs > 0 && kernel.isMeasured()) shares[kernel.id] = shareOfKernel(kernel);
    return shares;
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
  const std::string title_, caveat_;
};

}  // namespace

constinit const Output kNodeDataOutput{
    .name = "node-data",
    .summary = "shares of undisturbed busy time as node data of Model Explorer, for the graph of `model-explorer`",
    .needs = ir::Facet::Timed,
    .write = [](const OutputContext& context, ir::CoverId run) { return NodeData(context, run).build(); }};

}  // namespace amdahlc
