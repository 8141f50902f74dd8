#include "report/outputs/summary_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {

std::string describeRun(const RunReport& run, const TextStyle& style) {
  const bool isProgram = run.module->isRecorded();
  std::string text =
      style.bold(printable(isProgram && run.timeline != nullptr ? run.timeline->file : run.module->modelName));
  if (run.timeline == nullptr) return text;
  if (!isProgram) text += fmt::format(" on {}", style.bold(printable(run.timeline->file)));
  std::string device = printable(run.target.device.empty() ? run.target.vendor : run.target.device);
  if (!run.timeline->devices.empty())
    device += fmt::format("{}device {}, one of {}", device.empty() ? "" : "; ", printable(run.timeline->device),
                          run.timeline->devices.size());
  if (!device.empty()) text += fmt::format(" ({})", device);
  return text;
}

std::string describeWithoutKernels(const ir::Module& module, const TextStyle& style) {
  return fmt::format("{}: {}; no kernels, because `fuse` did not run", style.bold(printable(module.modelName)),
                     plural(module.ops.size(), "node"));
}

std::string describeWithoutTimes(const RunReport& run) {
  const auto work =
      std::ranges::count_if(run.kernels, [](const KernelRow& k) { return k.state != ir::KernelState::NoDeviceWork; });
  return fmt::format("{} with device work, {} without; no times, because {}", plural(work, "kernel"),
                     static_cast<int64_t>(run.kernels.size()) - work,
                     run.module->timelines.empty() ? "there is no trace" : "no run is bound");
}

std::string_view shortTimeName(const AdviceAnalysis& facts) {
  if (facts.base.longerNs() > facts.base.wallNs) return "window";
  return facts.model == schedule::WallModel::Unknown ? "busy" : "wall";
}

bool isBeforeAndAfter(const Report& report) {
  if (report.runs.size() != 2 || !report.runs[0].totals || !report.runs[1].totals) return false;
  const Timeline &a = *report.runs[0].timeline, &b = *report.runs[1].timeline;
  return a.contentHash != b.contentHash || a.device == b.device;
}

std::vector<const KernelRow*> longestKernels(const RunReport& run) {
  std::vector<const KernelRow*> all;
  for (const KernelRow& kernel : run.kernels)
    if (run.totals ? kernel.isMeasured() && kernel.time->totalNs > 0 : kernel.state != ir::KernelState::NoDeviceWork)
      all.push_back(&kernel);
  if (run.totals)
    std::ranges::stable_sort(all, std::ranges::greater(), [](const KernelRow* row) { return row->time->reportedNs; });
  return all;
}

std::string placeOf(const KernelRow& kernel) {
  if (!kernel.scope.empty()) return kernel.scope;
  return kernel.nodes.empty() || kernel.nodes.front().starts_with(kernel.label) ? "" : kernel.nodes.front();
}

const RunReport& slowestRun(const Report& report) {
  return *std::ranges::max_element(report.runs, {}, [](const RunReport& run) {
    return run.totals ? (run.totals->wall ? *run.totals->wall : run.totals->busy).reportedNs : int64_t{0};
  });
}

std::string outcome(const comparison::Comparison& comparison) {
  const auto wall = std::ranges::find(comparison.totals, comparison::kWallRow, &comparison::Difference::name);
  const comparison::Difference& row = wall != comparison.totals.end() ? *wall : comparison.totals.front();
  if (!row.before || !row.after) return fmt::format("the {} time of a run is not known", row.name);
  const std::string text =
      fmt::format("{} time: {} -> {}", row.name, formatReadable(row.before->ns), formatReadable(row.after->ns));
  if (row.isNoise()) return text + ", within noise";
  if (row.before->ns == row.after->ns) return text + ", unchanged";
  const bool isUnknown = row.judgement.change == comparison::Change::NoiseUnknown;
  const std::string_view noise = isUnknown ? ", noise unknown" : "";
  const auto before = static_cast<double>(row.before->ns), after = static_cast<double>(row.after->ns);
  return after < before ? fmt::format("{}, {} as fast{}", text, formatShortSpeedup(quotient(before, after)), noise)
                        : fmt::format("{}, {} as long{}", text, formatShortSpeedup(quotient(after, before)), noise);
}

std::string runName(const comparison::MeasuredRunName& run) {
  return fmt::format("`{}`{}", printable(run.label), run.report.empty() ? "" : " in " + printable(run.report));
}

std::optional<int64_t> nsOf(const std::optional<comparison::MeasuredTime>& time) {
  return time ? std::optional(time->ns) : std::nullopt;
}

std::string changeOf(const comparison::Difference& row) {
  const auto relative = row.relative();
  return row.before && row.after && relative && !row.isUnknown() ? formatChange(*relative, 1) : "";
}

std::string_view markOf(const comparison::Difference& row) {
  if (row.isOnlyBefore()) return "gone";
  if (row.isOnlyAfter()) return "new";
  const comparison::Change change = row.judgement.change;
  return mark(change).empty() ? name(change) : mark(change);
}

}  // namespace amdahlc
