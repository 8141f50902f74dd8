// Before: a bound run with its host events.         After: what the host costs, and what each stream does.
//
//   thread   |op A  [launch]   |  |op B [launch] [launch]  |
//             <-T2->       <-T3>T1 <-T2>      <T5>     <T3>       T4: of each launch call
//   stream 7       |kernel   |  idle   |kernel | |kernel |
//
// Times are as recorded, less what recording cost where `profiler-overhead` says so. Reports divide by the iterations.
//
// Declined: runs without host events, without start times, or without a device. They get the reason instead.

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

#include "passes/host/host_analysis.h"
#include "passes/manager/showing_pass.h"
#include "replay/runtimes/device_calls.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

constexpr std::string_view kRecorded = "recorded", kByName = "ml-perf-model";
constexpr int64_t kMostRecordingNs = 1'000'000'000;
constexpr int64_t kLargestBatch = 1'000'000'000;

}  // namespace

class HostPass : public ShowingPass<HostAnalysis> {
 public:
  HostPass() {
    runsByDefault();
    needsInput(PassInput::Trace);
    needsInput(PassInput::HostEvents);
    requiresFacet(ir::Facet::Bound);
    duration("profiler-overhead",
             {"Set what recording one event costs the host.", "Overheads are less by it for each event."}, recordingNs_,
             kMostRecordingNs);
    string("overheads",
           {"Choose which calls are launches.",
            fmt::format("`recorded` takes those that device work came from, `ml-perf-model` {}, {} and {}.",
                        launchesOfMlPerfModel()[0], launchesOfMlPerfModel()[1], launchesOfMlPerfModel()[2])},
           overheads_, {std::string(kRecorded), std::string(kByName)});
    integer("batch-size", {"Set the samples in an iteration, for the throughput.", "0 is an unknown number."},
            batchSize_, 0, kLargestBatch);
    for (const char* name : {"profiler-overhead", "overheads", "batch-size"}) hasOldSpelling(name, name);
  }

 private:
  std::optional<HostAnalysis::Options> optionsFor(const ir::Module&, PassContext&) override {
    return HostAnalysis::Options{{recordingNs_, overheads_ == kByName}, batchSize_};
  }

  void tell(const ir::Module& module, ir::CoverId id, const HostAnalysis& facts, PassContext& context) override {
    const Timeline& timeline = *module.findTimeline(module.cover(id).traceLabel);
    runs_ += !facts.absence;
    streams_ += static_cast<int64_t>(facts.streams.size());
    int64_t operators = 0;
    if (facts.overheads)
      for (const OperatorOverheads& row : facts.overheads->operators) operators += row.count;
    operators_ += operators;
    if (context.wants(RemarkKind::Analysis))
      context.remark(RemarkKind::Analysis, TraceLocation{timeline.file, std::nullopt, std::nullopt},
                     facts.absence ? fmt::format("run `{}`: no overheads and no streams, because {}",
                                                 printable(timeline.label), describe(*facts.absence))
                                   : fmt::format("run `{}`: {} top-level operators, {} streams",
                                                 printable(timeline.label), operators, facts.streams.size()));
  }

  int64_t recordingNs_ = 0;
  int64_t batchSize_ = 0;
  std::string overheads_ = "recorded";
  int64_t& runs_ = statistic("runs", "runs with host events and a device");
  int64_t& operators_ = statistic("operators", "top-level operators of the selected iterations");
  int64_t& streams_ = statistic("streams", "streams with selected events");
};

std::unique_ptr<Pass> makeHostPass() { return std::make_unique<HostPass>(); }

}  // namespace amdahlc
