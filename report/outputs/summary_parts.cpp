#include "report/outputs/summary_parts.h"

#include <fmt/format.h>

#include <algorithm>

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

bool isBeforeAndAfter(const Report& report) {
  if (report.runs.size() != 2 || !report.runs[0].totals || !report.runs[1].totals) return false;
  const Timeline &a = *report.runs[0].timeline, &b = *report.runs[1].timeline;
  return a.contentHash != b.contentHash || a.device == b.device;
}

std::string runName(const comparison::MeasuredRunName& run) {
  return fmt::format("`{}`{}", printable(run.label), run.report.empty() ? "" : " in " + printable(run.report));
}

std::optional<int64_t> nsOf(const std::optional<comparison::MeasuredTime>& time) {
  return time ? std::optional(time->ns) : std::nullopt;
}

std::string changeOf(const comparison::Difference& row) {
  const auto relative = row.relative();
  return row.before && row.after && relative ? formatChange(*relative, 1) : "";
}

std::string_view markOf(const comparison::Difference& row) {
  if (row.isOnlyBefore()) return "gone";
  if (row.isOnlyAfter()) return "new";
  const comparison::Change change = row.judgement.change;
  return mark(change).empty() ? name(change) : mark(change);
}

}  // namespace amdahlc
