#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "ir/kernel_graph.h"
#include "passes/liveness/liveness_analysis.h"
#include "passes/roofline/run_shapes.h"
#include "report/section.h"
#include "support/bytes.h"
#include "support/decimal_time.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

/// The facts of a run.
struct LivenessRow : FactsRow<LivenessAnalysis> {
  const Liveness& liveness() const { return facts.liveness; }
  std::string nameOf(TensorId tensor) const { return tensorName(*run.module, liveness().tensors[tensor].value); }
};

struct LivenessTensorRow {
  const LivenessRow& of;
  TensorId id;
  const Tensor& tensor() const { return of.liveness().tensors[id]; }
  std::string name() const { return of.nameOf(id); }
};

struct LivenessPeriodRow {
  const LivenessRow& of;
  const InactivePeriod& period;
};

struct LivenessCandidateRow {
  const LivenessRow& of;
  const Candidate& candidate;
  /// Per iteration.
  int64_t costNs;
  std::string name() const { return of.nameOf(candidate.tensor); }
  int64_t bytes() const { return *of.liveness().tensors[candidate.tensor].bytes; }
  int64_t periodNs() const { return of.run.perIteration(candidate.period.totalNs); }
};

/// A member of `Liveness`, or what one of its functions returns.
template <auto member>
constexpr auto kLivenessFact = [](const LivenessRow& row) { return std::invoke(member, row.liveness()); };

constexpr auto kLivenessPeriodFields = fields<LivenessPeriodRow>(
    field("from", "position behind the earlier use", [](auto& row) { return row.period.from; }),
    field("to", "position of the later use; around the end of the iteration it is not above `from`",
          [](auto& row) { return row.period.to; }),
    field("ns", "time of the kernels between, per iteration; null without a run", [](auto& row) {
      return row.of.liveness().isMeasured ? std::optional(row.of.run.perIteration(row.period.totalNs)) : std::nullopt;
    }));

constexpr auto kLivenessBytesField =
    field("bytes", "null where a dimension is not known", [](auto& row) { return row.tensor().bytes; });

constexpr auto kLivenessTensorFields = fields<LivenessTensorRow>(
    field("name", "of the value; in a body behind its operator and branch", [](auto& row) { return row.name(); }),
    field("global", "a constant of the model, or a storage that is there before the program and after it: always live",
          [](auto& row) { return row.tensor().isGlobal; }),
    field("type", "as in IR text: `float32[1,batch]`, `?` if it is not known",
          [](auto& row) {
            const ReportRun& run = row.of.run;
            return ir::describe(run.analyses->template get<RunShapes>(run.id).type(row.tensor().value));
          }),
    kLivenessBytesField,
    field("birth", "position of the first use; null for a global",
          [](auto& row) { return row.tensor().isGlobal ? std::nullopt : std::optional(row.tensor().birth); }),
    field("death", "position behind the last kernel that reads it, -1 if none does; null for a global",
          [](auto& row) -> std::optional<SignedInteger> {
            if (row.tensor().isGlobal) return std::nullopt;
            return SignedInteger{row.tensor().death ? int64_t{*row.tensor().death} : -1};
          }),
    field("live_end", "position behind the last at which it is live; null for a global",
          [](auto& row) { return row.tensor().isGlobal ? std::nullopt : std::optional(row.tensor().liveEnd); }),
    objects<kLivenessPeriodFields>("periods", "inactive periods, by position", [](auto& row) {
      return rowsOf<LivenessPeriodRow>(row.of, row.of.liveness().periods[row.id]);
    }));

/// `cost` says what the costs are of.
constexpr auto livenessCandidateFields(std::string_view cost) {
  using Row = LivenessCandidateRow;
  return fields<Row>(field("tensor", "its name", [](auto& row) { return row.name(); }),
                     field("bytes", "of the tensor", [](auto& row) { return row.bytes(); }),
                     field("from", "of the inactive period", [](auto& row) { return row.candidate.period.from; }),
                     field("to", "of the inactive period", [](auto& row) { return row.candidate.period.to; }),
                     field("ns", "of the inactive period, per iteration", [](auto& row) { return row.periodNs(); }),
                     field<&Row::costNs>("cost_ns", cost),
                     field("byte_seconds", "bytes times the length of the period: the rank", [](auto& row) {
                       return byteSeconds(row.of.liveness(), row.candidate, row.of.run.iterations);
                     }));
}

constexpr auto kLivenessOffloadFields = livenessCandidateFields("of both transfers");
constexpr auto kLivenessRecomputeFields = livenessCandidateFields("of the kernels that make it again, per iteration");

/// nullopt without a run.
template <auto list>
constexpr auto kLivenessCandidates = [](const LivenessRow& row) -> std::optional<std::vector<LivenessCandidateRow>> {
  if (!row.liveness().isMeasured) return std::nullopt;
  std::vector<LivenessCandidateRow> rows;
  // Of a recomputation the cost is a total over the iterations.
  for (const Candidate& candidate : row.facts.*list)
    rows.push_back({row, candidate,
                    list == &LivenessAnalysis::recompute ? row.run.perIteration(candidate.costNs) : candidate.costNs});
  return rows;
};

/// By position, the tensors that the kernel uses.
template <auto tensors>
constexpr auto kLivenessTensorsAt = [](const LivenessRow& row) {
  std::vector<std::vector<TensorId>> lists;
  for (SchedulePosition at = 0; at < row.liveness().kernels.size(); ++at) {
    const auto ids = (row.liveness().*tensors)[at];
    lists.emplace_back(ids.begin(), ids.end());
  }
  return lists;
};

/// A tensor that is live at the peak.
constexpr auto kLivenessLiveFields = fields<LivenessTensorRow>(
    field("name", "of the tensor", [](auto& row) { return row.name(); }), kLivenessBytesField);

/// What the allocator recorded.
struct MeasuredMemoryRow {
  const LivenessRow& of;
  const MeasuredMemory& memory;
  /// The name of an operator; nullopt for none.
  std::optional<std::string> nameOf(HostEventId call) const {
    if (call.isNone()) return std::nullopt;
    return std::string(of.run.timeline->text(of.run.timeline->host->name[call]));
  }
};

std::optional<MeasuredMemoryRow> measuredMemoryRow(const LivenessRow& row) {
  if (!row.facts.measured) return std::nullopt;
  return MeasuredMemoryRow{row, *row.facts.measured};
}

struct MemoryDifferenceRow {
  MemoryDifference why;
  int64_t bytes;
};

struct MemoryDifferenceName {
  std::string_view key;
  /// In the summary, with more or less in front of it, where more and where less was allocated.
  std::string_view more, less;
};
/// In the order of `MemoryDifference`.
constexpr MemoryDifferenceName kMemoryDifferenceNames[] = {
    {"rounding", "for rounding by the allocator", ""},
    {"held", "in tensors that no kernel uses any more and that are not free", ""},
    {"no-tensor", "that is no tensor: workspaces, and what no call reads", ""},
    {"before", "from before the iteration that it does not use",
     "from before the iteration that the allocator has not counted"},
    {"not-yet", "", "in tensors that the call at that time has not allocated yet"},
    {"not-found", "", "in tensors without an allocation in the calls of their kernels"},
    {"elsewhere", "", "because the computed peak is at another kernel"},
};
static_assert(std::size(kMemoryDifferenceNames) == kMemoryDifferences);
constexpr const MemoryDifferenceName& nameOf(MemoryDifference why) {
  return kMemoryDifferenceNames[static_cast<size_t>(why)];
}

/// Those that are not 0, the largest first.
std::vector<MemoryDifferenceRow> differencesOf(const MeasuredMemory& memory) {
  std::vector<MemoryDifferenceRow> rows;
  for (size_t why = 0; why < kMemoryDifferences; ++why)
    if (memory.differences[why] != 0) rows.push_back({static_cast<MemoryDifference>(why), memory.differences[why]});
  std::ranges::stable_sort(rows, std::greater(), [](const MemoryDifferenceRow& row) { return std::abs(row.bytes); });
  return rows;
}

constexpr auto kMemoryDifferenceFields = fields<MemoryDifferenceRow>(
    field("why", "`rounding`, `held`, `no-tensor`, `before`, `not-yet`, `not-found` or `elsewhere`",
          [](auto& row) { return nameOf(row.why).key; }),
    field("bytes", "that were allocated beyond what is computed; negative where less was",
          [](auto& row) { return SignedInteger{row.bytes}; }));

struct MeasuredLifeRow {
  const MeasuredMemoryRow& of;
  const MeasuredLife& life;
};

constexpr auto kMeasuredLifeFields = fields<MeasuredLifeRow>(
    field("address", "as recorded; null if it is unknown",
          [](auto& row) { return row.life.address < 0 ? std::nullopt : std::optional(row.life.address); }),
    field("bytes", "that the allocator gave", [](auto& row) { return row.life.bytes; }),
    field("from_ns", "when, as the trace has it", [](auto& row) { return row.life.fromNs; }),
    field("to_ns", "when they were free; null if that is after the recording", [](auto& row) { return row.life.toNs; }),
    field("call", "the innermost operator that allocated them; null for none",
          [](auto& row) { return row.of.nameOf(row.life.call); }),
    field("kernel", "id of the kernel whose call that was; null for none",
          [](auto& row) { return row.life.kernel.isNone() ? std::nullopt : std::optional(row.life.kernel); }),
    field("tensor", "that they hold, by its place in `tensors`; null for none",
          [](auto& row) { return row.life.tensor.isNone() ? std::nullopt : std::optional(row.life.tensor); }));

constexpr auto kMeasuredMemoryFields = fields<MeasuredMemoryRow>(
    field("peak_bytes", "most that was allocated at once in the iteration",
          [](auto& row) { return row.memory.peakBytes; }),
    field("peak_call", "the innermost operator at that time; null for none",
          [](auto& row) { return row.nameOf(row.memory.peakCall); }),
    field("peak_position", "position of the last kernel that was called by then",
          [](auto& row) { return row.memory.position; }),
    objects<kMemoryDifferenceFields>("differences",
                                     "why the peak is not the computed one; their sum is the difference; largest first",
                                     [](auto& row) { return differencesOf(row.memory); }),
    objects<kMeasuredLifeFields>("lives", "memory that was allocated for some of the iteration, in order of time",
                                 [](auto& row) { return rowsOf<MeasuredLifeRow>(row, row.memory.lives); }));

constexpr auto kLivenessFields = fields<LivenessRow>(
    field("kernels", "ids of the kernels of the schedule, by position", kLivenessFact<&Liveness::kernels>),
    field("inputs", "by position, the tensors that the kernel reads, by their places in `tensors`",
          kLivenessTensorsAt<&Liveness::inputs>),
    field("outputs", "the same of those that it writes", kLivenessTensorsAt<&Liveness::outputs>),
    field("peak_bytes", "most live bytes at once, of tensors of known size", kLivenessFact<&Liveness::peakBytes>),
    field("peak_kernel", "id of the first kernel at which so many are live; null without kernels",
          [](auto& row) {
            const auto& peak = row.liveness().peak;
            return peak ? std::optional(row.liveness().kernels[*peak]) : std::nullopt;
          }),
    field("peak_position", "its position", kLivenessFact<&Liveness::peak>),
    field("global_bytes", "of the globals, which are live at all positions", kLivenessFact<&Liveness::globalBytes>),
    field("unknown_sizes", "tensors of unknown size, which no sum contains", kLivenessFact<&Liveness::unknownSizes>),
    field("live_bytes", "by position", kLivenessFact<&Liveness::liveBytes>),
    objects<kLivenessLiveFields>(
        "live_at_peak", "tensors that are live at the peak, without globals; largest first",
        [](auto& row) { return rowsOf<LivenessTensorRow>(row, row.liveness().localsAtPeak()); }),
    field("offload_bytes_per_s", "bandwidth that `offload` assumes", [](auto& row) { return row.facts.bytesPerS; }),
    objects<kLivenessOffloadFields>(
        "offload",
        "inactive periods that are longer than moving the tensor out and back, best first; null without a run",
        kLivenessCandidates<&LivenessAnalysis::offload>),
    objects<kLivenessRecomputeFields>(
        "recompute",
        "inactive periods at whose end all is live that the tensor was made of, best first; null without a run",
        kLivenessCandidates<&LivenessAnalysis::recompute>),
    objects<kLivenessTensorFields>(
        "tensors", "in the order of first use",
        [](auto& row) { return rowsOf<LivenessTensorRow>(row, row.liveness().tensors.ids()); }),
    object<kMeasuredMemoryFields>("measured",
                                  "what the allocator recorded in the representative iteration; null if the trace has "
                                  "no such records, or is not given",
                                  [](auto& row) { return measuredMemoryRow(row); }),
    field("no_measured", "why `measured` is null; null if it is not",
          [](auto& row) { return row.facts.measured.absence(); }));

std::optional<LivenessRow> livenessRow(const ReportRun& run) {
  const auto row = kFactsRow<LivenessAnalysis>(run);
  return row ? std::optional(LivenessRow{*row}) : std::nullopt;
}

constexpr auto kLivenessRunFields = fields<ReportRun>(
    object<kLivenessFields>("liveness",
                            "tensors over the schedule, of a program its storages; null without liveness. What the "
                            "runtime reuses in place is not known from ONNX",
                            [](auto& run) { return livenessRow(run); }));

std::string candidateLine(const std::string& title, const std::vector<LivenessCandidateRow>& all,
                          std::string_view cost) {
  if (all.empty()) return fmt::format("  {}: no inactive period\n", title);
  return fmt::format("  {}: {}\n", title, firstFew(all, [&](const LivenessCandidateRow& row) {
                       return fmt::format("`{}` ({}, idle {} us, {} {} us)", printable(row.name()),
                                          formatBytesRounded(row.bytes()), formatUs(row.periodNs()), cost,
                                          formatUs(row.costNs));
                     }));
}

/// Where an execution trace tells what calls allocate, why the trace does not tell when:
/// `  measured: not known, because ...`.
/// `  measured: at most 1.2 MiB allocated, in `op`, 200 KiB more than computed: 180 KiB more ..., 20 KiB less ...`
std::string measuredLine(const LivenessRow& row) {
  const auto measured = measuredMemoryRow(row);
  if (!measured) {
    const Timeline* run = row.run.timeline;
    const bool isTraced =
        row.run.module->frontEnd == ir::FrontEnd::ExecutionTrace || (run != nullptr && run->host && run->host->traced);
    return isTraced ? fmt::format("  measured: not known, because {}\n", describe(*row.facts.measured.absence())) : "";
  }
  const MeasuredMemory& memory = measured->memory;
  const int64_t beyond = memory.peakBytes - row.liveness().peakBytes();
  const auto call = measured->nameOf(memory.peakCall);
  std::string out = fmt::format("  measured: at most {} allocated{}, {}", formatBytesRounded(memory.peakBytes),
                                call ? fmt::format(", in `{}`", printable(*call)) : "",
                                beyond == 0 ? "as much as computed"
                                            : fmt::format("{} {} than computed", formatBytesRounded(std::abs(beyond)),
                                                          beyond > 0 ? "more" : "less"));
  std::string_view separator = ": ";
  for (const auto& [why, bytes] : differencesOf(memory)) {
    out += fmt::format("{}{} {} {}", separator, formatBytesRounded(std::abs(bytes)), bytes > 0 ? "more" : "less",
                       bytes > 0 ? nameOf(why).more : nameOf(why).less);
    separator = ", ";
  }
  return out + "\n";
}

std::string livenessDetails(const ReportRun& run) {
  const auto row = livenessRow(run);
  if (!row) return {};
  const Liveness& liveness = row->liveness();
  if (!liveness.peak) return "tensors: no kernel, so nothing is live\n";
  const ir::Kernel& kernel = run.cover->kernels[liveness.kernels[*liveness.peak]];
  std::string out = fmt::format(
      "tensors: {} over {}{}; at most {} live, of which {} {}, at kernel {} `{}` (position {})\n",
      plural(liveness.tensors.size(), "tensor"), plural(liveness.kernels.size(), "kernel"),
      liveness.isMeasured ? "" : " by their ids, because there is no trace", formatBytesRounded(liveness.peakBytes()),
      run.module->isRecorded() ? "what is always there" : "weights and constants",
      formatBytesRounded(liveness.globalBytes), kernel.id.index(), printable(ir::kernelLabel(*run.module, kernel)),
      *liveness.peak);
  const std::vector<TensorId> live = liveness.localsAtPeak();
  if (!live.empty())
    out += fmt::format("  live there: {}\n", firstFew(live, [&](TensorId id) {
                         const auto bytes = liveness.tensors[id].bytes;
                         return fmt::format("`{}` {}", printable(row->nameOf(id)),
                                            bytes ? formatBytesRounded(*bytes) : "of unknown size");
                       }));
  if (liveness.unknownSizes > 0)
    out += fmt::format("  {} of unknown size {} in no sum: more is live than this\n",
                       plural(liveness.unknownSizes, "tensor"), liveness.unknownSizes == 1 ? "is" : "are");
  if (liveness.isMeasured) {
    out += candidateLine(fmt::format("to offload at {}", formatByteRate(row->facts.bytesPerS)),
                         *kLivenessCandidates<&LivenessAnalysis::offload>(*row), "moved in");
    out += candidateLine("to compute again", *kLivenessCandidates<&LivenessAnalysis::recompute>(*row), "made in");
  }
  out += measuredLine(*row);
  return run.module->isRecorded() ? out : out + "  what the runtime reuses in place is not known from ONNX\n";
}

std::vector<std::string> livenessAnswers(const ReportRun& run) {
  const auto row = livenessRow(run);
  if (!row || !row->liveness().peak) return {};
  const Liveness& liveness = row->liveness();
  const ir::Kernel& kernel = run.cover->kernels[liveness.kernels[*liveness.peak]];
  std::string text = fmt::format(
      "memory: at most {} live, in kernel {} `{}`; {} of it {}", formatBytesRounded(liveness.peakBytes()),
      kernel.id.index(), printable(ir::kernelLabel(*run.module, kernel)), formatBytesRounded(liveness.globalBytes),
      run.module->isRecorded() ? "is always there" : "is weights and constants");
  if (liveness.unknownSizes > 0)
    text += fmt::format("; more is live, {} of unknown size", plural(liveness.unknownSizes, "tensor"));
  return {std::move(text)};
}

}  // namespace

constinit const ReportSection kLivenessSection{
    .runFields = kLivenessRunFields, .answers = livenessAnswers, .details = livenessDetails};

}  // namespace amdahlc
