#include <algorithm>

#include "ir/kernel_graph.h"
#include "passes/liveness/liveness_analysis.h"
#include "passes/liveness/tensor_text.h"
#include "passes/manager/json_fields.h"
#include "support/byte_rate.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostShown = 5;

/// The facts of a run.
struct LivenessRow {
  const ReportRun& run;
  const LivenessAnalysis& facts;

  const Liveness& liveness() const { return facts.liveness; }
  Json perIteration(int64_t totalNs) const {
    return liveness().isMeasured ? Json(run.perIteration(totalNs)) : Json(nullptr);
  }
};

struct TensorRow {
  const LivenessRow& of;
  TensorId id;
  const Tensor& tensor() const { return of.liveness().tensors[id]; }
};

struct PeriodRow {
  const LivenessRow& of;
  const InactivePeriod& period;
};

struct CandidateRow {
  const LivenessRow& of;
  const Candidate& candidate;
  /// Of a recomputation the cost is a total over the iterations.
  bool isTotal;
};

std::string nameOf(const LivenessRow& row, TensorId tensor) {
  return tensorName(*row.run.module, row.liveness().tensors[tensor].value);
}

JsonFields<PeriodRow> periodFields() {
  return {
      jsonField<PeriodRow>("from", schema::count(), "position behind the earlier use",
                           [](auto& row) { return Json(row.period.from); }),
      jsonField<PeriodRow>("to", schema::count(),
                           "position of the later use; around the end of the iteration it is not above `from`",
                           [](auto& row) { return Json(row.period.to); }),
      jsonField<PeriodRow>("ns", schema::orNull(schema::count()),
                           "time of the kernels between, per iteration; null without a run",
                           [](auto& row) { return row.of.perIteration(row.period.totalNs); }),
  };
}

JsonFields<TensorRow> tensorFields() {
  return {
      jsonField<TensorRow>("name", schema::text(), "of the value; in a body behind its operator and branch",
                           [](auto& row) { return Json(nameOf(row.of, row.id)); }),
      jsonField<TensorRow>("global", schema::boolean(), "a constant of the model, which is always live",
                           [](auto& row) { return Json(row.tensor().isGlobal); }),
      jsonField<TensorRow>(
          "type", schema::text(), "as in IR text: `float32[1,batch]`, `?` if it is not known",
          [](auto& row) { return Json(ir::toString(row.of.run.module->values[row.tensor().value].type)); }),
      jsonField<TensorRow>("bytes", schema::orNull(schema::count()), "null where a dimension is not known",
                           [](auto& row) { return orNull(row.tensor().bytes); }),
      jsonField<TensorRow>("birth", schema::orNull(schema::count()), "position of the first use; null for a global",
                           [](auto& row) { return row.tensor().isGlobal ? Json(nullptr) : Json(row.tensor().birth); }),
      jsonField<TensorRow>("death", schema::orNull(schema::integer()),
                           "position behind the last kernel that reads it, -1 if none does; null for a global",
                           [](auto& row) {
                             if (row.tensor().isGlobal) return Json(nullptr);
                             return row.tensor().death ? Json(*row.tensor().death) : Json(-1);
                           }),
      jsonArray<TensorRow>("periods", "inactive periods, by position", periodFields(),
                           [](const TensorRow& row) {
                             std::vector<PeriodRow> rows;
                             for (const InactivePeriod& period : row.of.liveness().periods[row.id])
                               rows.push_back({row.of, period});
                             return rows;
                           }),
  };
}

JsonFields<CandidateRow> candidateFields(const std::string& cost) {
  return {
      jsonField<CandidateRow>("tensor", schema::text(), "its name",
                              [](auto& row) { return Json(nameOf(row.of, row.candidate.tensor)); }),
      jsonField<CandidateRow>("bytes", schema::count(), "of the tensor",
                              [](auto& row) { return Json(*row.of.liveness().tensors[row.candidate.tensor].bytes); }),
      jsonField<CandidateRow>("from", schema::count(), "of the inactive period",
                              [](auto& row) { return Json(row.candidate.period.from); }),
      jsonField<CandidateRow>("to", schema::count(), "of the inactive period",
                              [](auto& row) { return Json(row.candidate.period.to); }),
      jsonField<CandidateRow>("ns", schema::count(), "of the inactive period, per iteration",
                              [](auto& row) { return Json(row.of.run.perIteration(row.candidate.period.totalNs)); }),
      jsonField<CandidateRow>("cost_ns", schema::count(), cost,
                              [](auto& row) {
                                return Json(row.isTotal ? row.of.run.perIteration(row.candidate.costNs)
                                                        : row.candidate.costNs);
                              }),
      jsonField<CandidateRow>(
          "byte_seconds", schema::quantity(), "bytes times the length of the period: the rank",
          [](auto& row) { return Json(byteSeconds(row.of.liveness(), row.candidate, row.of.run.iterations)); }),
  };
}

JsonField<LivenessRow> candidatesField(const std::string& key, const std::string& description, const std::string& cost,
                                       std::vector<Candidate> LivenessAnalysis::* list, bool isTotal) {
  return jsonArrayOrNull<LivenessRow>(
      key, description, candidateFields(cost),
      [list, isTotal](const LivenessRow& row) -> std::optional<std::vector<CandidateRow>> {
        if (!row.liveness().isMeasured) return std::nullopt;
        std::vector<CandidateRow> rows;
        for (const Candidate& candidate : row.facts.*list) rows.push_back({row, candidate, isTotal});
        return rows;
      });
}

/// By position, the numbers of tensors that the kernel uses.
JsonField<LivenessRow> tensorsField(std::string key, std::string description,
                                    CompressedRows<SchedulePosition, TensorId> Liveness::* rows) {
  return jsonField<LivenessRow>(std::move(key), schema::arrayOf(schema::arrayOf(schema::count())),
                                std::move(description), [rows](const LivenessRow& row) {
                                  Json lists = Json::array();
                                  for (SchedulePosition at = 0; at < row.liveness().kernels.size(); ++at) {
                                    Json list = Json::array();
                                    for (const TensorId id : (row.liveness().*rows)[at]) list.push_back(id.index());
                                    lists.push_back(std::move(list));
                                  }
                                  return lists;
                                });
}

/// A tensor that is live at the peak.
JsonFields<TensorRow> liveFields() {
  return {jsonField<TensorRow>("name", schema::text(), "of the tensor",
                               [](auto& row) { return Json(nameOf(row.of, row.id)); }),
          jsonField<TensorRow>("bytes", schema::orNull(schema::count()), "null where a dimension is not known",
                               [](auto& row) { return orNull(row.tensor().bytes); })};
}

JsonFields<LivenessRow> livenessFields() {
  return {
      jsonField<LivenessRow>("kernels", schema::arrayOf(schema::count()),
                             "ids of the kernels of the schedule, by position",
                             [](auto& row) { return Json(row.liveness().kernels); }),
      tensorsField("inputs", "by position, the tensors that the kernel reads, by their places in `tensors`",
                   &Liveness::inputs),
      tensorsField("outputs", "the same of those that it writes", &Liveness::outputs),
      jsonField<LivenessRow>("peak_bytes", schema::count(), "most live bytes at once, of tensors of known size",
                             [](auto& row) { return Json(row.liveness().peakBytes()); }),
      jsonField<LivenessRow>("peak_kernel", schema::orNull(schema::count()),
                             "id of the first kernel at which so many are live; null without kernels",
                             [](auto& row) {
                               const auto& peak = row.liveness().peak;
                               return peak ? Json(row.liveness().kernels[*peak]) : Json(nullptr);
                             }),
      jsonField<LivenessRow>("peak_position", schema::orNull(schema::count()), "its position",
                             [](auto& row) { return orNull(row.liveness().peak); }),
      jsonField<LivenessRow>("global_bytes", schema::count(), "of the globals, which are live at all positions",
                             [](auto& row) { return Json(row.liveness().globalBytes); }),
      jsonField<LivenessRow>("unknown_sizes", schema::count(), "tensors of unknown size, which no sum contains",
                             [](auto& row) { return Json(row.liveness().unknownSizes); }),
      jsonField<LivenessRow>("live_bytes", schema::arrayOf(schema::count()), "by position",
                             [](auto& row) { return Json(row.liveness().liveBytes); }),
      jsonArray<LivenessRow>("live_at_peak", "tensors that are live at the peak, without globals; largest first",
                             liveFields(),
                             [](const LivenessRow& row) {
                               std::vector<TensorRow> rows;
                               for (const TensorId id : row.liveness().localsAtPeak()) rows.push_back({row, id});
                               return rows;
                             }),
      jsonField<LivenessRow>("offload_bytes_per_s", schema::count(), "bandwidth that `offload` assumes",
                             [](auto& row) { return Json(row.facts.bytesPerS); }),
      candidatesField("offload",
                      "inactive periods that are longer than moving the tensor out and back, best first; null without "
                      "a run",
                      "of both transfers", &LivenessAnalysis::offload, false),
      candidatesField("recompute",
                      "inactive periods at whose end all is live that the tensor was made of, best first; null without "
                      "a run",
                      "of the kernels that make it again, per iteration", &LivenessAnalysis::recompute, true),
      jsonArray<LivenessRow>("tensors", "in the order of first use", tensorFields(),
                             [](const LivenessRow& row) {
                               std::vector<TensorRow> rows;
                               for (const TensorId id : row.liveness().tensors.ids()) rows.push_back({row, id});
                               return rows;
                             }),
  };
}

JsonFields<ReportRun> runFields() {
  return {jsonRecordOrNull<ReportRun>("liveness",
                                      "tensors over the schedule; null without liveness. What the runtime reuses in "
                                      "place is not known from ONNX",
                                      livenessFields(), [](const ReportRun& run) -> std::optional<LivenessRow> {
                                        const auto* facts = run.facts<LivenessAnalysis>();
                                        if (facts == nullptr) return std::nullopt;
                                        return std::optional<LivenessRow>({run, *facts});
                                      })};
}

/// The largest of `all`, each described by `text`, and how many more there are.
template <typename Items, typename Text>
std::string firstOf(const Items& all, const Text& text) {
  std::string out;
  for (size_t i = 0; i < std::min(all.size(), kMostShown); ++i) out += (i == 0 ? "" : ", ") + text(all[i]);
  if (all.size() > kMostShown) out += fmt::format(" and {} more", all.size() - kMostShown);
  return out;
}

std::string candidateLine(const LivenessRow& row, const std::string& title, const std::vector<Candidate>& all,
                          const std::string& cost, bool isTotal) {
  if (all.empty()) return fmt::format("  {}: no inactive period\n", title);
  return fmt::format("  {}: {}\n", title, firstOf(all, [&](const Candidate& candidate) {
                       return fmt::format(
                           "`{}` ({}, idle {} us, {} {} us)", printable(nameOf(row, candidate.tensor)),
                           shownBytes(*row.liveness().tensors[candidate.tensor].bytes),
                           formatUs(row.run.perIteration(candidate.period.totalNs)), cost,
                           formatUs(isTotal ? row.run.perIteration(candidate.costNs) : candidate.costNs));
                     }));
}

std::string details(const ReportRun& run) {
  const auto* facts = run.facts<LivenessAnalysis>();
  if (facts == nullptr) return {};
  const LivenessRow row{run, *facts};
  const Liveness& liveness = row.liveness();
  if (!liveness.peak) return "tensors: no kernel, so nothing is live\n";
  const ir::Kernel& kernel = run.cover->kernels[liveness.kernels[*liveness.peak]];
  std::string out = fmt::format(
      "tensors: {} over {}{}; at most {} live, of which weights and constants {}, at kernel {} `{}` (position {})\n",
      plural(liveness.tensors.size(), "tensor"), plural(liveness.kernels.size(), "kernel"),
      liveness.isMeasured ? "" : " by their ids, because there is no trace", shownBytes(liveness.peakBytes()),
      shownBytes(liveness.globalBytes), kernel.id.index(), printable(ir::kernelLabel(*run.module, kernel)),
      *liveness.peak);
  const std::vector<TensorId> live = liveness.localsAtPeak();
  if (!live.empty())
    out += fmt::format("  live there: {}\n", firstOf(live, [&](TensorId id) {
                         const auto bytes = liveness.tensors[id].bytes;
                         return fmt::format("`{}` {}", printable(nameOf(row, id)),
                                            bytes ? shownBytes(*bytes) : "of unknown size");
                       }));
  if (liveness.unknownSizes > 0)
    out += fmt::format("  {} of unknown size {} in no sum: more is live than this\n",
                       plural(liveness.unknownSizes, "tensor"), liveness.unknownSizes == 1 ? "is" : "are");
  if (liveness.isMeasured) {
    out += candidateLine(row, fmt::format("to offload at {}", formatByteRate(facts->bytesPerS)), facts->offload,
                         "moved in", false);
    out += candidateLine(row, "to compute again", facts->recompute, "made in", true);
  }
  return out + "  what the runtime reuses in place is not known from ONNX\n";
}

}  // namespace

ReportSection livenessSection() { return {.runFields = runFields, .details = details}; }

}  // namespace amdahlc
