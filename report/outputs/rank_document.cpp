#include <string_view>

#include "report/fields_csv.h"
#include "report/outputs/output.h"
#include "report/outputs/rank_writers.h"

namespace amdahlc {
namespace {

using ranks::ClockUse;
using ranks::ComparedCollective;
using ranks::ComparedRank;
using ranks::RankComparison;
using ranks::Straggler;
using ranks::Waiting;

constexpr std::string_view kRanksSchema = "amdahlc.ranks/1";
/// Pairs in `waits`; there may be as many as the square of the ranks.
constexpr size_t kMostWaits = 1000;

std::string_view name(ClockUse use) {
  switch (use) {
    case ClockUse::AsRecorded:
      return "as-recorded";
    case ClockUse::Aligned:
      return "aligned";
    case ClockUse::Unknown:
      break;
  }
  return "unknown";
}

constexpr auto kCollectiveFields = fields(
    field("operation", "as the framework calls it, else the kernel and its stream",
          [](const ComparedCollective& row) { return row.key.operation; }),
    field("kind", "such as `all-reduce`", [](const ComparedCollective& row) { return amdahlc::name(row.key.kind); }),
    field("group", "the name of the group of ranks",
          [](const ComparedCollective& row) { return nonEmpty(row.key.group); }),
    field("group_ranks", "as the traces write them",
          [](const ComparedCollective& row) { return nonEmpty(row.key.groupRanks); }),
    field<&ComparedCollective::ranks>("ranks", "given ranks that take part"),
    field<&ComparedCollective::count>("count", "operations, over all compared steps"),
    field("start_skew_ns", "last start - first start, mean",
          [](const ComparedCollective& row) { return row.startSkew.meanNs; }),
    field<&ComparedCollective::mostStartSkewNs>("most_start_skew_ns", "the largest one"),
    field("end_skew_ns", "last end - first end, mean",
          [](const ComparedCollective& row) { return row.endSkew.meanNs; }),
    field<&ComparedCollective::waitNs>(
        "wait_ns", "the waiting of all ranks, over all compared steps; null if it does not need all of its ranks"),
    field("last_rank", "that most often began last; null if none did",
          [](const ComparedCollective& row) {
            return row.mostOftenLast ? std::optional(row.mostOftenLast->first) : std::nullopt;
          }),
    field("last_count", "how often", [](const ComparedCollective& row) {
      return row.mostOftenLast ? std::optional(row.mostOftenLast->second) : std::nullopt;
    }));

constexpr auto kWaitingFields =
    fields(field<&Waiting::rank>("rank", ""), field<&Waiting::forRank>("for_rank", "which began the operations last"),
           field<&Waiting::ns>("ns", "over all compared steps"),
           field<&Waiting::exposedNs>("exposed_ns", "the part of it in which `rank` computes nothing"));

constexpr auto kStragglerFields =
    fields(field<&Straggler::rank>("rank", ""),
           field<&Straggler::waitNs>("wait_ns", "per step, of each rank that waits for it"),
           field<&Straggler::exposedWaitNs>("exposed_wait_ns", "the part of it in which those ranks compute nothing"),
           field<&Straggler::share>("share", "of all waiting"),
           field<&Straggler::behindNextNs>(
               "behind_next_ns", "how much later than the rank before it, mean of the operations that it begins last"),
           field("more_computation_ns", "its computation per step - the median of the other ranks",
                 [](const Straggler& row) { return asSigned(row.moreComputationNs); }));

constexpr auto kTableOfProblems =
    fields(field<&DataProblem::name>("name", "stable name of the problem"),
           field<&DataProblem::count>("count", "how often"), field<&DataProblem::what>("what", "a sentence"));

std::vector<std::string_view> clockUseNames() {
  return {name(ClockUse::Unknown), name(ClockUse::AsRecorded), name(ClockUse::Aligned)};
}

template <auto member>
constexpr auto meanOf =
    [](const ComparedRank& row) { return row.*member ? std::optional((row.*member)->meanNs) : std::nullopt; };

template <auto member>
constexpr auto breakdownOfRank = [](const ComparedRank& row) {
  return row.breakdown ? std::optional(((*row.breakdown).*member).meanNs) : std::nullopt;
};

constexpr auto kTableOfRanks = fields(
    field<&ComparedRank::number>("rank", "its number"), field<&ComparedRank::file>("file", "without folders"),
    field("device", "its name", [](const ComparedRank& row) { return nonEmpty(row.device); }),
    field<&ComparedRank::steps>("iterations", "steps that all ranks have; its own, if they have none in common"),
    field("busy_ns", "per step, as all times of a rank where nothing else is said",
          [](const ComparedRank& row) { return row.busy.meanNs; }),
    field("wall_ns", "first start to last end of device events; null without start times", meanOf<&ComparedRank::wall>),
    field("window_ns", "enclosing annotation or step on the host; null without one", meanOf<&ComparedRank::window>),
    field("computation_ns", "union of the kernels that compute; null if the communication is not known",
          breakdownOfRank<&BreakdownStatistics::computation>),
    field("communication_ns", "union of the kernels that communicate",
          breakdownOfRank<&BreakdownStatistics::communication>),
    field("exposed_communication_ns", "the part of it in which nothing computes",
          breakdownOfRank<&BreakdownStatistics::exposedCommunication>),
    field("exposed_copies_ns", "copies and sets while nothing computes or communicates",
          breakdownOfRank<&BreakdownStatistics::exposedCopies>),
    field("wait_ns",
          "waiting for the last rank in operations that need all of their ranks, the union; null if none could be "
          "compared",
          meanOf<&ComparedRank::wait>),
    field("exposed_wait_ns", "the part of it in which the rank computes nothing", meanOf<&ComparedRank::exposedWait>),
    field<&ComparedRank::skewNs>(
        "skew_ns", "how much later than the first rank it begins such an operation, mean over the operations"),
    field<&ComparedRank::operations>("operations", "such operations, over all compared steps"),
    field<&ComparedRank::last>("last", "those that it began last"),
    field("waited_for_ns", "how long others waited for it, the sum over ranks and compared steps",
          [](const ComparedRank& row) { return row.operations > 0 ? std::optional(row.waitedForNs) : std::nullopt; }),
    field("clock_offset_ns", "what is added to its times; null if it is not known",
          [](const ComparedRank& row) { return asSigned(row.clockOffsetNs); }),
    field<&ComparedRank::otherSteps>("other_steps", "steps that are not compared: another rank lacks them"));

constexpr auto kTableAcrossRanks = fields(
    field<&RankComparison::worldSize>("world_size", "as the traces state it"),
    field<&RankComparison::missing>("missing", "ranks without a trace"),
    field<&RankComparison::missingCount>("missing_count", "of which `missing` has the first 4096"),
    field("steps", "that all ranks have",
          [](const RankComparison& all) {
            std::vector<std::string> names;
            for (const ranks::StepName& step : all.steps) names.push_back(step.name);
            return names;
          }),
    field("clocks", "`aligned`: shifted so that the ranks end operations together; `unknown`: not compared",
          [](const RankComparison& all) { return OneOf<clockUseNames>{name(all.clocks.use)}; }),
    field<&RankComparison::compared>(
        "compared", "operations that need all of their ranks and could be compared; 0: nothing is known of waiting"),
    object<kStragglerFields>("straggler", "the rank with most of the waiting; null if there is none",
                             [](const RankComparison& all) { return all.straggler; }),
    objects<kCollectiveFields>("collectives", "operations of several ranks, most waiting first",
                               [](const RankComparison& all) { return std::span(all.collectives); }),
    objects<kWaitingFields>(
        "waits", "who waits for whom, longest first; the first 1000",
        [](const RankComparison& all) { return std::span(all.waits).first(std::min(all.waits.size(), kMostWaits)); }),
    objects<kProblemFields>("data_problems", "unusual but usable data, of all ranks",
                            [](const RankComparison& all) { return std::span(all.problems); }));

constexpr auto kDocumentOfRanks =
    fields(field("schema", "", [](const RankComparison&) { return Constant<kRanksSchema>(); }),
           objects<kRankFields>("ranks", "by number", [](const RankComparison& all) { return std::span(all.ranks); }),
           object<kAcrossRanksFields>("across_ranks", "what the ranks tell of each other",
                                      [](const RankComparison& all) { return &all; }));

std::string writeRanksCsv(const RankComparison& ranks, const TextStyle& /*style*/) {
  return writeCsv(kTableOfRanks, ranks.ranks);
}

std::string writeRanksJson(const RankComparison& ranks, const TextStyle& /*style*/) {
  std::string text;
  JsonStream out(text);
  writeObject(kDocumentOfRanks, ranks, out);
  text += '\n';
  return text;
}

std::string ranksSchema() {
  return schema::document(kRanksSchema,
                          "The comparison of ranks of `amdahlc -emit=ranks-json`. Every key is present; a fact that is "
                          "not known is null. Times are integers of nanoseconds.",
                          schemaOf(kDocumentOfRanks));
}

}  // namespace

constinit const std::span<const Field<ComparedRank>> kRankFields = kTableOfRanks;
constinit const std::span<const Field<RankComparison>> kAcrossRanksFields = kTableAcrossRanks;
constinit const std::span<const Field<DataProblem>> kProblemFields = kTableOfProblems;

constinit const Output kRanksCsvOutput{
    .name = "ranks-csv", .summary = "the same as CSV, one row per rank", .write = writeRanksCsv, .isCsv = true};
constinit const Output kRanksJsonOutput{.name = "ranks-json",
                                        .summary = "the same as JSON, schema amdahlc.ranks/1",
                                        .write = writeRanksJson,
                                        .schemaName = "ranks",
                                        .schema = ranksSchema};

}  // namespace amdahlc
