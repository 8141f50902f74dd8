#include "report/outputs/rank_writers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

#include "report/fields_text.h"
#include "report/outputs/output.h"
#include "report/outputs/run_fields.h"
#include "support/decimal_time.h"
#include "support/limits.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using ranks::ClockUse;
using ranks::ComparedCollective;
using ranks::ComparedRank;
using ranks::RankComparison;
using ranks::Straggler;
using ranks::Waiting;

constexpr size_t kTopWaits = 8, kTopCollectives = 12;
constexpr size_t kMostRankRows = 128;
constexpr std::string_view kRanksSchema = "amdahlc.ranks/1";
/// Pairs in `waits`; there may be as many as the square of the ranks.
constexpr size_t kMostWaits = 1000;

/// In the order of the enumerators.
constexpr std::string_view kClockUses[] = {"unknown", "as-recorded", "aligned"};
std::vector<std::string_view> clockUses() { return {std::begin(kClockUses), std::end(kClockUses)}; }

constexpr auto kCollectiveFields = fields<ComparedCollective>(
    field("operation", "as the framework calls it, else the kernel and its stream",
          [](auto& row) { return row.key.operation; }),
    field("kind", "such as `all-reduce`", [](auto& row) { return name(row.key.kind); }),
    field("group", "the name of the group of ranks", [](auto& row) { return nonEmpty(row.key.group); }),
    field("group_ranks", "as the traces write them", [](auto& row) { return nonEmpty(row.key.groupRanks); }),
    field<&ComparedCollective::ranks>("ranks", "given ranks that take part"),
    field<&ComparedCollective::count>("count", "operations, over all compared steps"),
    field("start_skew_ns", "last start - first start, mean", [](auto& row) { return row.startSkew.meanNs; }),
    field<&ComparedCollective::mostStartSkewNs>("most_start_skew_ns", "the largest one"),
    field("end_skew_ns", "last end - first end, mean", [](auto& row) { return row.endSkew.meanNs; }),
    field<&ComparedCollective::waitNs>(
        "wait_ns", "the waiting of all ranks, over all compared steps; null if it does not need all of its ranks"),
    field("last_rank", "that most often began last; null if none did",
          [](auto& row) { return row.mostOftenLast ? std::optional(row.mostOftenLast->first) : std::nullopt; }),
    field("last_count", "how often",
          [](auto& row) { return row.mostOftenLast ? std::optional(row.mostOftenLast->second) : std::nullopt; }));

constexpr auto kWaitingFields = fields<Waiting>(
    field<&Waiting::rank>("rank", ""), field<&Waiting::forRank>("for_rank", "which began the operations last"),
    field<&Waiting::ns>("ns", "over all compared steps"),
    field<&Waiting::exposedNs>("exposed_ns", "the part of it in which `rank` computes nothing"));

/// What to do about it, and what it saves at most.
std::string wholeAdviceOn(const Straggler& straggler) {
  return fmt::format("{}; without this waiting a step of the others takes {} ms less at most", adviceOn(straggler),
                     formatMs(straggler.exposedWaitNs));
}

constexpr auto kStragglerFields = fields<Straggler>(
    field<&Straggler::rank>("rank", ""),
    field<&Straggler::waitNs>("wait_ns", "per step, of each rank that waits for it"),
    field<&Straggler::exposedWaitNs>("exposed_wait_ns", "the part of it in which those ranks compute nothing"),
    field<&Straggler::share>("share", "of all waiting"),
    field<&Straggler::behindNextNs>(
        "behind_next_ns", "how much later than the rank before it, mean of the operations that it begins last"),
    field("more_computation_ns", "its computation per step - the median of the other ranks",
          [](auto& row) { return asSigned(row.moreComputationNs); }),
    field("advice", "what to do about it", [](auto& row) { return wholeAdviceOn(row); }));

template <auto member>
constexpr auto kMeanOf = [](auto& row) { return meanNsOf(row.*member); };

template <auto member>
constexpr auto kBreakdownOfRank = [](const ComparedRank& row) {
  return row.breakdown ? std::optional(((*row.breakdown).*member).meanNs) : std::nullopt;
};

constexpr auto kTableOfRanks = inCsv(fields<ComparedRank>(
    field<&ComparedRank::number>("rank", "its number"), field<&ComparedRank::file>("file", "without folders"),
    field("device", "its name", [](auto& row) { return nonEmpty(row.device); }),
    field<&ComparedRank::steps>("iterations", "steps that all ranks have; its own, if they have none in common"),
    field("busy_ns", "per step, as all times of a rank where nothing else is said",
          [](auto& row) { return row.busy.meanNs; }),
    field("wall_ns", "first start to last end of device events; null without start times",
          kMeanOf<&ComparedRank::wall>),
    field("window_ns", "enclosing annotation or step on the host; null without one", kMeanOf<&ComparedRank::window>),
    field("computation_ns", "union of the kernels that compute; null if the communication is not known",
          kBreakdownOfRank<&BreakdownStatistics::computation>),
    field("communication_ns", "union of the kernels that communicate",
          kBreakdownOfRank<&BreakdownStatistics::communication>),
    field("exposed_communication_ns", "the part of it in which nothing computes",
          kBreakdownOfRank<&BreakdownStatistics::exposedCommunication>),
    field("exposed_copies_ns", "copies and sets while nothing computes or communicates",
          kBreakdownOfRank<&BreakdownStatistics::exposedCopies>),
    field("wait_ns",
          "waiting for the last rank in operations that need all of their ranks, the union; null if none could be "
          "compared",
          kMeanOf<&ComparedRank::wait>),
    field("exposed_wait_ns", "the part of it in which the rank computes nothing", kMeanOf<&ComparedRank::exposedWait>),
    field<&ComparedRank::skewNs>(
        "skew_ns", "how much later than the first rank it begins such an operation, mean over the operations"),
    field<&ComparedRank::operations>("operations", "such operations, over all compared steps"),
    field<&ComparedRank::last>("last", "those that it began last"),
    field("waited_for_ns", "how long others waited for it, the sum over ranks and compared steps",
          [](auto& row) { return row.operations > 0 ? std::optional(row.waitedForNs) : std::nullopt; }),
    field("clock_offset_ns", "what is added to its times; null if it is not known",
          [](auto& row) { return asSigned(row.clockOffsetNs); }),
    field("clock_drift_ns",
          "how much more is to be added at its last operation than at the first, against the lowest rank; null if "
          "operations are too few to tell",
          [](auto& row) { return row.clockDrift ? std::optional(SignedInteger{row.clockDrift->ns}) : std::nullopt; }),
    field("clock_drift_ppm", "the same in millionths of the time between",
          [](auto& row) {
            return row.clockDrift ? std::optional(SignedNumber{row.clockDrift->partsPerMillion()}) : std::nullopt;
          }),
    field<&ComparedRank::otherSteps>("other_steps", "steps that are not compared: another rank lacks them")));

std::vector<std::string> stepNames(const RankComparison& ranks) {
  std::vector<std::string> names;
  for (const ranks::StepName& step : ranks.steps) names.push_back(step.name);
  return names;
}

constexpr auto kTableAcrossRanks = fields<RankComparison>(
    field<&RankComparison::worldSize>("world_size", "as the traces state it"),
    field<&RankComparison::missing>("missing", "ranks without a trace"),
    field<&RankComparison::missingCount>("missing_count", "of which `missing` has the first 4096"),
    field("steps", "that all ranks have", [](auto& all) { return stepNames(all); }),
    field("clocks", "`aligned`: shifted so that the ranks end operations together; `unknown`: not compared",
          [](auto& all) { return OneOf<clockUses>{kClockUses[static_cast<size_t>(all.clocks.use)]}; }),
    field<&RankComparison::compared>(
        "compared", "operations that need all of their ranks and could be compared; 0: nothing is known of waiting"),
    object<kStragglerFields>("straggler", "the rank with most of the waiting; null if there is none",
                             [](auto& all) { return all.straggler; }),
    objects<kCollectiveFields>("collectives", "operations of several ranks, most waiting first",
                               [](auto& all) { return std::span(all.collectives); }),
    objects<kWaitingFields>(
        "waits", "who waits for whom, longest first; the first 1000",
        [](auto& all) { return std::span(all.waits).first(std::min(all.waits.size(), kMostWaits)); }),
    objects<kProblemFields>("data_problems", "unusual but usable data, of all ranks",
                            [](auto& all) { return std::span(all.problems); }));

constexpr auto kDocumentOfRanks = fields<RankComparison>(
    field("schema", "", [](const RankComparison&) { return Constant<kRanksSchema>(); }),
    objects<kRankFields>("ranks", "by number", [](auto& all) { return std::span(all.ranks); }),
    object<kAcrossRanksFields>("across_ranks", "what the ranks tell of each other", [](auto& all) { return &all; }));

// The text.

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

std::string shortList(const std::vector<std::string>& names) {
  if (names.size() <= 3) {
    std::vector<std::string> plain;
    for (const std::string& name : names) plain.push_back(printable(name));
    return fmt::format("{}", fmt::join(plain, ", "));
  }
  return fmt::format("{} .. {} ({})", printable(names.front()), printable(names.back()), names.size());
}

/// In the order of the enumerators.
constexpr std::string_view kNumberSources[] = {"their labels", "the traces", "the names of the files",
                                               "the order of the files, which say nothing of ranks"};

std::string describeStraggler(const RankComparison& ranks) {
  if (ranks.search == ranks::StragglerSearch::Unknown)
    return "which rank the others wait for is not known: no operation that needs all of its ranks could be compared";
  std::string text =
      "no straggler: no rank has more than half of the waiting for it, or less than 1 % of wall is exposed";
  if (ranks.straggler) {
    const ranks::Straggler& straggler = *ranks.straggler;
    text = fmt::format(
        "straggler: rank {}; {} of all waiting is for it, {} ms a step by each rank that waits, of which {} ms are "
        "exposed. It joins operations last, {} ms after the rank before it",
        straggler.rank, formatPercent(straggler.share), formatMs(straggler.waitNs), formatMs(straggler.exposedWaitNs),
        formatMs(straggler.behindNextNs));
    if (straggler.moreComputationNs)
      text += *straggler.moreComputationNs >= 0
                  ? fmt::format(", and computes {} ms a step longer than the median of the others",
                                formatMs(*straggler.moreComputationNs))
                  : fmt::format(", and computes {} ms a step less than the median of the others",
                                formatMs(-*straggler.moreComputationNs));
  } else if (const auto unknown = std::ranges::find(ranks.problems, "point-to-point", &DataProblem::name);
             unknown != ranks.problems.end())
    return fmt::format(
        "whether a rank holds up the others is not known: {} sends and receives are not matched; in the other "
        "operations none does",
        unknown->count);
  if (ranks.partial > 0 || ranks.missingCount > 0) text += "; of the ranks that have a trace";
  if (ranks.assumed > 0)
    text += "; if the kernels of one name are one operation of all ranks, which the traces do not say";
  return text;
}

/// The text of the comparison.
class RankText {
 public:
  explicit RankText(const RankComparison& ranks) : ranks_(ranks) {}

  std::string write(unsigned width) const {
    std::string out;
    for (const std::string& line : rankHeadlines(ranks_)) out += line + "\n";
    out += "\nms per step\n" + writeText(ranks_.ranks, rankColumns(), width,
                                         {kMostRankRows, "{} more; `ranks-csv` and `ranks-json` have all"});
    if (!ranks_.collectives.empty())
      out += "\n" +
             writeText(ranks_.collectives, collectiveColumns(), width, {kTopCollectives, "{} more, with less waiting"});
    if (!ranks_.waits.empty())
      out += "\n" + writeText(ranks_.waits, waitColumns(), width, {kTopWaits, "{} more pairs"});
    out +=
        "\n  waits: for the last rank, inside of operations that need all of their ranks; exposed: the part in which "
        "the\n"
        "  rank computes nothing; later by: than the first rank, mean of these operations; last in: so many of them;\n"
        "  waited for: by the others together\n";
    const auto without =
        std::ranges::find_if(ranks_.ranks, [](const ComparedRank& rank) { return rank.noBreakdown.has_value(); });
    if (without != ranks_.ranks.end())
      out += fmt::format("  n/a: communication is not known, because {}\n", describe(*without->noBreakdown));
    if (!ranks_.problems.empty()) out += "\n  data problems of all ranks\n";
    for (const DataProblem& problem : ranks_.problems)
      out += fmt::format("  {:<24} {:>7} {}\n", printable(problem.name), problem.count, printable(problem.what));
    return out;
  }

 private:
  std::vector<TextColumn<ComparedRank>> rankColumns() const {
    constexpr auto& kFields = kTableOfRanks;
    return {column("rank", kNumber, fieldOf(kFields, "rank")),
            column("steps", kNumber, fieldOf(kFields, "iterations")),
            column("window", kMilliseconds, fieldOf(kFields, "window_ns")),
            column("wall", kMilliseconds, fieldOf(kFields, "wall_ns")),
            column("busy", kMilliseconds, fieldOf(kFields, "busy_ns")),
            column("computes", kMilliseconds, fieldOf(kFields, "computation_ns")),
            column("communicates", kMilliseconds, fieldOf(kFields, "communication_ns")),
            column("exposed", kMilliseconds, fieldOf(kFields, "exposed_communication_ns")),
            column("waits", kMilliseconds, fieldOf(kFields, "wait_ns")),
            column("exposed", kMilliseconds, fieldOf(kFields, "exposed_wait_ns")),
            column("later by", kMilliseconds, fieldOf(kFields, "skew_ns")),
            column("last in", kNumber,
                   [](const ComparedRank& rank) { return fmt::format("{}/{}", rank.last, rank.operations); }),
            column("waited for", kMilliseconds,
                   [this](const ComparedRank& rank) {
                     return rank.operations > 0 ? std::optional(perStep(rank.waitedForNs)) : std::nullopt;
                   }),
            column("clock", kMilliseconds, fieldOf(kFields, "clock_offset_ns"))
                .onlyIf(ranks_.clocks.use == ClockUse::Aligned),
            column("file", kText, fieldOf(kFields, "file"))};
  }

  std::vector<TextColumn<ComparedCollective>> collectiveColumns() const {
    constexpr auto& kFields = kCollectiveFields;
    return {column("operation", kText, fieldOf(kFields, "operation")),
            column("group", kText,
                   [](const ComparedCollective& row) {
                     return row.key.group.empty() ? row.key.groupRanks : row.key.group;
                   }),
            column("ranks", kNumber, fieldOf(kFields, "ranks")),
            column("number", kNumber, fieldOf(kFields, "count")),
            column("start skew", kMilliseconds, fieldOf(kFields, "start_skew_ns")),
            column("most", kMilliseconds, fieldOf(kFields, "most_start_skew_ns")),
            column("end skew", kMilliseconds, fieldOf(kFields, "end_skew_ns")),
            column("waiting", kMilliseconds,
                   [this](const ComparedCollective& row) {
                     return row.waitNs ? std::optional(perStep(*row.waitNs)) : std::nullopt;
                   }),
            column("most often last", kWord, [](const ComparedCollective& row) {
              const auto& last = row.mostOftenLast;
              return last ? fmt::format("rank {}, {} of {}", last->first, last->second, row.count) : "";
            })};
  }

  std::vector<TextColumn<Waiting>> waitColumns() const {
    int64_t allNs = 0;
    for (const Waiting& one : ranks_.waits) allNs += one.ns;
    return {column("ms per step", kMilliseconds, [this](const Waiting& one) { return perStep(one.ns); }),
            column("exposed", kMilliseconds, [this](const Waiting& one) { return perStep(one.exposedNs); }),
            column("of waiting", kPercent,
                   [allNs](const Waiting& one) { return static_cast<double>(one.ns) / static_cast<double>(allNs); }),
            column("who waits for whom", kWord,
                   [](const Waiting& one) { return fmt::format("rank {} for rank {}", one.rank, one.forRank); })};
  }

  int64_t perStep(int64_t ns) const {
    return ranks_.steps.empty() ? ns : divideHalfEven(ns, static_cast<int64_t>(ranks_.steps.size()));
  }

  const RankComparison& ranks_;
};

std::string ranksSchema() {
  return schema::document(kRanksSchema,
                          "The comparison of ranks of `amdahlc -emit=ranks-json`. Every key is present; a fact that is "
                          "not known is null. Times are integers of nanoseconds.",
                          schemaOf(kDocumentOfRanks));
}

}  // namespace

std::string adviceOn(const Straggler& straggler) {
  // A rank that computes longer by at least half of what it is late has more to compute, or a slower device.
  if (straggler.moreComputationNs && 2 * *straggler.moreComputationNs >= straggler.behindNextNs)
    return fmt::format(
        "give rank {} as much to compute as the others (samples, tokens, layers, experts, tables), or see whether its "
        "device is slower",
        straggler.rank);
  return fmt::format(
      "see what the host of rank {} does before it begins: `-rank={}` has its loading of input, its host work and its "
      "waits in other groups",
      straggler.rank, straggler.rank);
}

std::string nameRanks(const std::vector<int64_t>& numbers) {
  return fmt::format("rank{} {}", numbers.size() == 1 ? "" : "s", ranges(numbers));
}

std::string describeDrift(const RankComparison& ranks) {
  int64_t count = 0;
  size_t most = 0;
  const auto& drifts = ranks.clocks.drift;
  for (size_t rank = 0; rank < drifts.size(); ++rank) {
    if (!drifts[rank] || !drifts[rank]->matters()) continue;
    if (count++ == 0 || std::abs(drifts[rank]->ns) > std::abs(drifts[most]->ns)) most = rank;
  }
  if (count == 0) return {};
  return fmt::format(
      "{}the clock of rank {} drifts by {:.3g} ppm, {} us over the run, against that of rank {}; waiting is off by up "
      "to "
      "half of that",
      count == 1 ? "" : fmt::format("the clocks of {} ranks drift; ", count), ranks.ranks[most].number,
      drifts[most]->partsPerMillion(), formatUs(drifts[most]->ns), ranks.ranks[ranks.clocks.connected[most]].number);
}

constinit const std::span<const Field<ComparedRank>> kRankFields = kTableOfRanks;
constinit const std::span<const Field<RankComparison>> kAcrossRanksFields = kTableAcrossRanks;

std::string describeRanks(const RankComparison& ranks) {
  std::string text =
      ranks.worldSize && *ranks.worldSize != static_cast<int64_t>(ranks.ranks.size())
          ? fmt::format("{} of {}", ranks.ranks.size(), plural(static_cast<size_t>(*ranks.worldSize), "rank"))
          : plural(ranks.ranks.size(), "rank");
  const auto wallNs = [](const ComparedRank& rank) { return (rank.wall ? *rank.wall : rank.busy).meanNs; };
  const auto [least, most] = std::ranges::minmax(ranks.ranks, {}, wallNs);
  return text +
         fmt::format("; a step of them takes {} to {}", formatReadable(wallNs(least)), formatReadable(wallNs(most)));
}

std::vector<std::string> rankHeadlines(const RankComparison& ranks) {
  std::vector<std::string> lines;
  lines.push_back(describeStraggler(ranks));
  if (ranks.straggler) lines.push_back("what to do: " + wholeAdviceOn(*ranks.straggler));
  std::string world = ranks.worldSize ? fmt::format("{} of {}", ranks.ranks.size(), plural(*ranks.worldSize, "rank"))
                                      : plural(ranks.ranks.size(), "rank") + ", of an unknown number";
  lines.push_back(fmt::format("ranks: {}, numbered by {}; steps that all have: {}", world,
                              kNumberSources[static_cast<size_t>(ranks.numbering)],
                              ranks.steps.empty() ? "none" : shortList(stepNames(ranks))));
  if (!ranks.missing.empty())
    lines.push_back(fmt::format("WARNING: no trace of {}{}; others may wait for {}", nameRanks(ranks.missing),
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
                                  nameRanks(numbers), shortList(steps)));
  if (ranks.steps.empty() && ranks.ranks.size() > 1)
    lines.push_back("WARNING: the ranks have no step in common: each row is of the rank's own steps");
  std::vector<std::string> devices;
  for (const ComparedRank& rank : ranks.ranks)
    if (!rank.device.empty() && std::ranges::find(devices, rank.device) == devices.end())
      devices.push_back(rank.device);
  if (devices.size() > 1)
    lines.push_back(fmt::format("WARNING: the ranks ran on different devices: {}", shortList(devices)));
  if (ranks.clocks.use == ClockUse::Aligned)
    lines.push_back(
        "note: the clocks of the ranks do not agree; they are shifted so that ranks end operations together, in the "
        "median");
  if (const std::string drift = describeDrift(ranks); !drift.empty()) lines.push_back("WARNING: " + drift);
  return lines;
}

constinit const Output kFullRanksOutput{
    .name = "ranks=full",
    .summary = "all tables of the ranks: times of each, operations of several ranks, who waits for whom",
    .write = [](const RankComparison& ranks, const TextStyle& style) { return RankText(ranks).write(style.columns); }};
constinit const Output kRanksCsvOutput{
    .name = "ranks-csv",
    .summary = "the ranks as CSV, one row per rank",
    .write = [](const RankComparison& ranks,
                const TextStyle& /*style*/) { return writeCsv(ranks.ranks, kTableOfRanks); },
    .isCsv = true};
constinit const Output kRanksJsonOutput{
    .name = "ranks-json",
    .summary = "the ranks and what they tell of each other as JSON, schema amdahlc.ranks/1",
    .write = [](const RankComparison& ranks, const TextStyle& /*style*/) { return writeJson(kDocumentOfRanks, ranks); },
    .schemaName = "ranks",
    .schema = ranksSchema};

}  // namespace amdahlc
