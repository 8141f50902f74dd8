#include "passes/trace_bind/declared.h"

#include <fmt/format.h>

#include <numeric>

#include "passes/trace_bind/fit_text.h"
#include "support/printable.h"

namespace amdahlc::binding {
namespace {

__extension__ typedef __int128 Int128;

/// Thousandths of a percent in the whole.
constexpr int64_t kWhole = 100'000;

}  // namespace

void checkBoundShare(const GateInput& input, DiagnosticEngine& diagnostics) {
  const ir::Module& module = input.module;
  const int64_t limit = input.limit;
  for (const ir::Cover& cover : module.covers) {
    const auto* facts = cover.facets.get<ir::BoundFacet>();
    const Timeline* timeline = module.findTimeline(cover.traceLabel);
    if (facts == nullptr || timeline == nullptr) continue;
    const TraceLocation trace{timeline->file, std::nullopt, std::nullopt};
    const std::string run = fmt::format("run `{}`", printable(timeline->label));
    if (const std::string misfit = describeMisfit(*facts->fit, module.modelName); !misfit.empty())
      diagnostics.error(DiagId::TraceOfAnotherModel, trace,
                        fmt::format("{}: {}; give the model that this trace is a run of", run, misfit));
    const auto times = totalsByState(*timeline, *facts).ns;
    const int64_t bound = times[static_cast<size_t>(ir::EventState::Bound)];
    const int64_t device = std::accumulate(times.begin(), times.end(), int64_t{0});
    if (Int128{bound} * kWhole >= Int128{device} * limit) continue;
    // Rounded down, so that the share is below the limit as printed, too.
    const auto share = static_cast<int64_t>(Int128{bound} * kWhole / device);
    diagnostics
        .error(DiagId::BoundTooLittle, trace,
               fmt::format("{}: {} of {} ns of device time are bound, {} %, less than the {} % of `-strict-bind`", run,
                           bound, device, formatThousandths(share), formatThousandths(limit)))
        .note("`-emit=bindings` lists the events without a kernel, `-Rpass-missed=trace-bind` the reasons");
  }
}

}  // namespace amdahlc::binding
