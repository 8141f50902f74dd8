#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "passes/manager/report_values.h"
#include "report/outputs/output.h"
#include "report/outputs/rank_writers.h"
#include "report/text_table.h"
#include "support/limits.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using ranks::ClockUse;
using ranks::ComparedRank;
using ranks::RankComparison;

constexpr size_t kTopWaits = 8, kTopCollectives = 12;
constexpr size_t kMostRankRows = 128;
constexpr std::string_view kNotKnown = "n/a";

std::string inMs(int64_t ns) { return fmt::format("{:.3f}", static_cast<double>(ns) / 1e6); }

std::string inMs(const std::optional<TimeStatistics>& time) {
  return time ? inMs(time->meanNs) : std::string(kNotKnown);
}

/// `0..3, 7`
std::string ranges(const std::vector<int64_t>& numbers) {
  std::vector<std::string> parts;
  for (size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    for (end = begin + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    parts.push_back(end - begin == 1   ? fmt::format("{}", numbers[begin])
                    : end - begin == 2 ? fmt::format("{}, {}", numbers[begin], numbers[begin + 1])
                                       : fmt::format("{}..{}", numbers[begin], numbers[end - 1]));
  }
  const auto named = static_cast<size_t>(limits::kMissingRanksNamed);
  if (parts.size() <= named) return fmt::format("{}", fmt::join(parts, ", "));
  return fmt::format("{} and others", fmt::join(parts.begin(), parts.begin() + static_cast<ptrdiff_t>(named), ", "));
}

/// `rank 3`, `ranks 0..3, 7`
std::string withNoun(const std::vector<int64_t>& numbers) {
  return fmt::format("rank{} {}", numbers.size() == 1 ? "" : "s", ranges(numbers));
}

std::string shortList(const std::vector<std::string>& names) {
  if (names.size() <= 3) {
    std::vector<std::string> plain;
    for (const std::string& name : names) plain.push_back(printable(name));
    return fmt::format("{}", fmt::join(plain, ", "));
  }
  return fmt::format("{} .. {} ({})", printable(names.front()), printable(names.back()), names.size());
}

std::string describeSteps(const RankComparison& ranks) {
  std::vector<std::string> names;
  for (const ranks::StepName& step : ranks.steps) names.push_back(step.name);
  return shortList(names);
}

std::string_view numberedBy(ranks::NumberSource source) {
  switch (source) {
    case ranks::NumberSource::Label:
      return "their labels";
    case ranks::NumberSource::Trace:
      return "the traces";
    case ranks::NumberSource::FileName:
      return "the names of the files";
    case ranks::NumberSource::Order:
      break;
  }
  return "the order of the files, which say nothing of ranks";
}

std::string describeStraggler(const RankComparison& ranks) {
  if (ranks.search == ranks::StragglerSearch::Unknown)
    return "which rank the others wait for is not known: no operation that needs all of its ranks could be compared";
  std::string text =
      "no straggler: no rank has more than half of the waiting for it, or less than 1 % of wall is exposed";
  if (ranks.straggler) {
    const ranks::Straggler& straggler = *ranks.straggler;
    text = fmt::format(
        "straggler: rank {}; {} of all waiting is for it, {} ms a step by each rank that waits, of which {} ms are "
        "exposed; it begins operations {} ms after the next to last rank",
        straggler.rank, formatPercent(straggler.share), inMs(straggler.waitNs), inMs(straggler.exposedWaitNs),
        inMs(straggler.behindNextNs));
    if (straggler.moreComputationNs)
      text += *straggler.moreComputationNs >= 0
                  ? fmt::format(", and computes {} ms a step longer than the median of the others",
                                inMs(*straggler.moreComputationNs))
                  : fmt::format(", and computes {} ms a step less than the median of the others",
                                inMs(-*straggler.moreComputationNs));
  }
  if (ranks.partial > 0 || ranks.missingCount > 0) text += "; of the ranks that have a trace";
  if (ranks.assumed > 0)
    text += "; if the kernels of one name are one operation of all ranks, which the traces do not say";
  return text;
}

class RankTextWriter {
 public:
  RankTextWriter(const RankComparison& ranks, const TextStyle& style) : ranks_(ranks), style_(style) {}

  std::string write() {
    for (const std::string& line : rankHeadlines(ranks_)) out_ += line + "\n";
    rows();
    collectives();
    waits();
    legend();
    problems();
    return std::move(out_);
  }

 private:
  void rows() {
    using Align = TextTable::Align;
    TextTable table;
    table.column("rank", Align::Right);
    for (const char* title : {"steps", "window", "wall", "busy", "computes", "communicates", "exposed", "waits",
                              "exposed", "later by", "last in", "waited for"})
      table.column(title, Align::Right);
    const bool isAligned = ranks_.clocks.use == ClockUse::Aligned;
    if (isAligned) table.column("clock", Align::Right);
    table.column("file", Align::Left, true);
    size_t shown = 0;
    for (const ComparedRank& rank : ranks_.ranks) {
      if (++shown > kMostRankRows) break;
      const auto& breakdown = rank.breakdown;
      const auto part = [&](TimeStatistics BreakdownStatistics::* member) {
        return breakdown ? inMs(((*breakdown).*member).meanNs) : std::string(kNotKnown);
      };
      std::vector<std::string> cells{fmt::format("{}", rank.number),
                                     fmt::format("{}", rank.steps),
                                     inMs(rank.window),
                                     inMs(rank.wall),
                                     inMs(rank.busy.meanNs),
                                     part(&BreakdownStatistics::computation),
                                     part(&BreakdownStatistics::communication),
                                     part(&BreakdownStatistics::exposedCommunication),
                                     inMs(rank.wait),
                                     inMs(rank.exposedWait),
                                     rank.skewNs ? inMs(*rank.skewNs) : std::string(kNotKnown),
                                     fmt::format("{}/{}", rank.last, rank.operations),
                                     rank.operations > 0 ? inMs(perStep(rank.waitedForNs)) : std::string(kNotKnown)};
      if (isAligned) cells.push_back(rank.clockOffsetNs ? inMs(*rank.clockOffsetNs) : std::string(kNotKnown));
      cells.push_back(rank.file);
      table.row(std::move(cells));
    }
    out_ += "\nms per step\n" + table.print(style_.columns);
    if (ranks_.ranks.size() > kMostRankRows)
      out_ += fmt::format("  {} more; `ranks-csv` and `ranks-json` have all\n", ranks_.ranks.size() - kMostRankRows);
  }

  void collectives() {
    if (ranks_.collectives.empty()) return;
    using Align = TextTable::Align;
    TextTable table;
    table.column("operation", Align::Left, true);
    table.column("group", Align::Left, true);
    for (const char* title : {"ranks", "number", "start skew", "most", "end skew", "waiting"})
      table.column(title, Align::Right);
    table.column("most often last", Align::Left);
    for (size_t i = 0; i < std::min(kTopCollectives, ranks_.collectives.size()); ++i) {
      const ranks::ComparedCollective& row = ranks_.collectives[i];
      table.row({row.key.operation, row.key.group.empty() ? row.key.groupRanks : row.key.group,
                 fmt::format("{}", row.ranks), fmt::format("{}", row.count), inMs(row.startSkew.meanNs),
                 inMs(row.mostStartSkewNs), inMs(row.endSkew.meanNs),
                 row.waitNs ? inMs(perStep(*row.waitNs)) : std::string(kNotKnown),
                 row.mostOftenLast
                     ? fmt::format("rank {}, {} of {}", row.mostOftenLast->first, row.mostOftenLast->second, row.count)
                     : ""});
    }
    out_ += "\n" + table.print(style_.columns);
    if (ranks_.collectives.size() > kTopCollectives)
      out_ += fmt::format("  {} more, with less waiting\n", ranks_.collectives.size() - kTopCollectives);
  }

  void waits() {
    if (ranks_.waits.empty()) return;
    using Align = TextTable::Align;
    TextTable table;
    table.column("ms per step", Align::Right);
    table.column("exposed", Align::Right);
    table.column("of waiting", Align::Right);
    table.column("who waits for whom", Align::Left);
    int64_t allNs = 0;
    for (const ranks::Waiting& one : ranks_.waits) allNs += one.ns;
    for (size_t i = 0; i < std::min(kTopWaits, ranks_.waits.size()); ++i) {
      const ranks::Waiting& one = ranks_.waits[i];
      table.row({inMs(perStep(one.ns)), inMs(perStep(one.exposedNs)),
                 formatPercent(static_cast<double>(one.ns) / static_cast<double>(allNs)),
                 fmt::format("rank {} for rank {}", one.rank, one.forRank)});
    }
    out_ += "\n" + table.print(style_.columns);
    if (ranks_.waits.size() > kTopWaits) out_ += fmt::format("  {} more pairs\n", ranks_.waits.size() - kTopWaits);
  }

  void legend() {
    out_ +=
        "\n  waits: for the last rank, inside of operations that need all of their ranks; exposed: the part in which "
        "the\n"
        "  rank computes nothing; later by: than the first rank, mean of these operations; last in: so many of them;\n"
        "  waited for: by the others together\n";
    if (std::any_of(ranks_.ranks.begin(), ranks_.ranks.end(), [](const ComparedRank& rank) { return !rank.breakdown; }))
      out_ += "  n/a: communication is not known without events of a device\n";
  }

  void problems() {
    if (ranks_.problems.empty()) return;
    out_ += "\n  data problems of all ranks\n";
    for (const DataProblem& problem : ranks_.problems)
      out_ += fmt::format("  {:<24} {:>7} {}\n", printable(problem.name), problem.count, printable(problem.what));
  }

  int64_t perStep(int64_t ns) const {
    return ranks_.steps.empty() ? ns : divideHalfEven(ns, static_cast<int64_t>(ranks_.steps.size()));
  }

  const RankComparison& ranks_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::vector<std::string> rankHeadlines(const RankComparison& ranks) {
  std::vector<std::string> lines;
  lines.push_back(describeStraggler(ranks));
  std::string world = ranks.worldSize ? fmt::format("{} of {}", ranks.ranks.size(), plural(*ranks.worldSize, "rank"))
                                      : plural(ranks.ranks.size(), "rank") + ", of an unknown number";
  lines.push_back(fmt::format("ranks: {}, numbered by {}; steps that all have: {}", world, numberedBy(ranks.numbering),
                              ranks.steps.empty() ? "none" : describeSteps(ranks)));
  if (!ranks.missing.empty())
    lines.push_back(fmt::format("WARNING: no trace of {}{}; others may wait for {}", withNoun(ranks.missing),
                                ranks.missingCount > static_cast<int64_t>(ranks.missing.size())
                                    ? fmt::format(", {} in all", ranks.missingCount)
                                    : "",
                                ranks.missing.size() == 1 ? "it" : "them"));
  std::map<std::vector<std::string>, std::vector<int64_t>> ranksOfSteps;
  for (const ComparedRank& rank : ranks.ranks)
    if (!rank.otherSteps.empty()) ranksOfSteps[rank.otherSteps].push_back(rank.number);
  size_t shown = 0;
  for (const auto& [steps, numbers] : ranksOfSteps)
    if (shown++ < static_cast<size_t>(limits::kMissingRanksNamed))
      lines.push_back(fmt::format("WARNING: not all ranks have the same steps; of {} these are not compared: {}",
                                  withNoun(numbers), shortList(steps)));
  if (ranks.steps.empty() && ranks.ranks.size() > 1)
    lines.push_back("WARNING: the ranks have no step in common: each row is of the rank's own steps");
  std::vector<std::string> devices;
  for (const ComparedRank& rank : ranks.ranks)
    if (!rank.device.empty() && std::find(devices.begin(), devices.end(), rank.device) == devices.end())
      devices.push_back(rank.device);
  if (devices.size() > 1)
    lines.push_back(fmt::format("WARNING: the ranks ran on different devices: {}", shortList(devices)));
  if (ranks.clocks.use == ClockUse::Aligned)
    lines.push_back(
        "note: the clocks of the ranks do not agree; they are shifted so that ranks end operations together, in the "
        "median");
  return lines;
}

constinit const Output kRanksOutput{
    .name = "ranks",
    .summary = "the ranks of a run side by side: stragglers, exposed communication, who waits for whom",
    .write = [](const RankComparison& ranks, const TextStyle& style) { return RankTextWriter(ranks, style).write(); }};

}  // namespace amdahlc
