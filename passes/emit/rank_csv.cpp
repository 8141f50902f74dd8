#include <fmt/format.h>

#include "passes/emit/rank_writers.h"
#include "support/csv_row.h"

namespace amdahlc {
namespace {

std::string textOf(const std::optional<int64_t>& number) { return number ? fmt::format("{}", *number) : ""; }

std::string meanOf(const std::optional<TimeStatistics>& time) { return time ? fmt::format("{}", time->meanNs) : ""; }

}  // namespace

std::string writeRanksCsv(const ranks::RankComparison& ranks, const TextStyle& /*style*/) {
  std::string out;
  CsvRow header(out);
  for (const char* name : {"rank", "file", "device", "iterations", "window_ns", "wall_ns", "busy_ns", "computation_ns",
                           "communication_ns", "exposed_communication_ns", "exposed_copies_ns", "wait_ns",
                           "exposed_wait_ns", "skew_ns", "operations", "last", "waited_for_ns", "clock_offset_ns"})
    header.field(name);
  header.end();
  for (const ranks::ComparedRank& rank : ranks.ranks) {
    const auto part = [&](TimeStatistics BreakdownStatistics::* member) {
      return rank.breakdown ? fmt::format("{}", ((*rank.breakdown).*member).meanNs) : "";
    };
    CsvRow row(out);
    row.field(fmt::format("{}", rank.number)).field(rank.file).field(rank.device);
    row.field(fmt::format("{}", rank.steps)).field(meanOf(rank.window)).field(meanOf(rank.wall));
    row.field(fmt::format("{}", rank.busy.meanNs))
        .field(part(&BreakdownStatistics::computation))
        .field(part(&BreakdownStatistics::communication))
        .field(part(&BreakdownStatistics::exposedCommunication))
        .field(part(&BreakdownStatistics::exposedCopies));
    row.field(meanOf(rank.wait))
        .field(meanOf(rank.exposedWait))
        .field(textOf(rank.skewNs))
        .field(fmt::format("{}", rank.operations));
    row.field(fmt::format("{}", rank.last))
        .field(rank.operations > 0 ? fmt::format("{}", rank.waitedForNs) : "")
        .field(textOf(rank.clockOffsetNs));
    row.end();
  }
  return out;
}

}  // namespace amdahlc
