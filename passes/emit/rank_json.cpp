#include <string_view>

#include "passes/emit/rank_writers.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;
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

JsonFields<ComparedCollective> collectiveFields() {
  using Row = ComparedCollective;
  return {
      jsonField<Row>("operation", schema::text(), "as the framework calls it, else the kernel and its stream",
                     [](auto& row) { return row.key.operation; }),
      jsonField<Row>("kind", schema::text(), "such as `all-reduce`",
                     [](auto& row) { return Json(amdahlc::name(row.key.kind)); }),
      jsonField<Row>("group", schema::orNull(schema::text()), "the name of the group of ranks",
                     [](auto& row) { return nonEmpty(row.key.group); }),
      jsonField<Row>("group_ranks", schema::orNull(schema::text()), "as the traces write them",
                     [](auto& row) { return nonEmpty(row.key.groupRanks); }),
      jsonField<Row>("ranks", schema::count(), "given ranks that take part", [](auto& row) { return row.ranks; }),
      jsonField<Row>("count", schema::count(), "operations, over all compared steps",
                     [](auto& row) { return row.count; }),
      jsonField<Row>("start_skew_ns", schema::count(), "last start - first start, mean",
                     [](auto& row) { return row.startSkew.meanNs; }),
      jsonField<Row>("most_start_skew_ns", schema::count(), "the largest one",
                     [](auto& row) { return row.mostStartSkewNs; }),
      jsonField<Row>("end_skew_ns", schema::count(), "last end - first end, mean",
                     [](auto& row) { return row.endSkew.meanNs; }),
      jsonField<Row>("wait_ns", schema::orNull(schema::count()),
                     "the waiting of all ranks, over all compared steps; null if it does not need all of its ranks",
                     [](auto& row) { return orNull(row.waitNs); }),
      jsonField<Row>("last_rank", schema::orNull(schema::count()), "that most often began last; null if none did",
                     [](auto& row) { return row.mostOftenLast ? Json(row.mostOftenLast->first) : Json(nullptr); }),
      jsonField<Row>("last_count", schema::orNull(schema::count()), "how often",
                     [](auto& row) { return row.mostOftenLast ? Json(row.mostOftenLast->second) : Json(nullptr); }),
  };
}

JsonFields<Waiting> waitingFields() {
  return {
      jsonField<Waiting>("rank", schema::count(), "", [](auto& row) { return row.rank; }),
      jsonField<Waiting>("for_rank", schema::count(), "which began the operations last",
                         [](auto& row) { return row.forRank; }),
      jsonField<Waiting>("ns", schema::count(), "over all compared steps", [](auto& row) { return row.ns; }),
      jsonField<Waiting>("exposed_ns", schema::count(), "the part of it in which `rank` computes nothing",
                         [](auto& row) { return row.exposedNs; }),
  };
}

JsonFields<Straggler> stragglerFields() {
  return {
      jsonField<Straggler>("rank", schema::count(), "", [](auto& row) { return row.rank; }),
      jsonField<Straggler>("wait_ns", schema::count(), "per step, of each rank that waits for it",
                           [](auto& row) { return row.waitNs; }),
      jsonField<Straggler>("exposed_wait_ns", schema::count(), "the part of it in which those ranks compute nothing",
                           [](auto& row) { return row.exposedWaitNs; }),
      jsonField<Straggler>("share", schema::quantity(), "of all waiting", [](auto& row) { return row.share; }),
      jsonField<Straggler>("behind_next_ns", schema::count(),
                           "how much later than the rank before it, mean of the operations that it begins last",
                           [](auto& row) { return row.behindNextNs; }),
      jsonField<Straggler>("more_computation_ns", schema::orNull(schema::integer()),
                           "its computation per step - the median of the other ranks",
                           [](auto& row) { return orNull(row.moreComputationNs); }),
  };
}

JsonFields<DataProblem> rankProblemFields() {
  return {
      jsonField<DataProblem>("name", schema::text(), "stable name of the problem", [](auto& p) { return p.name; }),
      jsonField<DataProblem>("count", schema::count(), "how often", [](auto& p) { return p.count; }),
      jsonField<DataProblem>("what", schema::text(), "a sentence", [](auto& p) { return p.what; }),
  };
}

JsonFields<RankComparison> documentOfRanks() {
  return {
      jsonField<RankComparison>("schema", schema::constant(kRanksSchema), "", [](auto&) { return kRanksSchema; }),
      jsonArray<RankComparison>(
          "ranks", "by number", rankFields(),
          [](const RankComparison& all) -> const std::vector<ComparedRank>& { return all.ranks; }),
      jsonRecordOrNull<RankComparison>("across_ranks", "what the ranks tell of each other", acrossRanksFields(),
                                       [](const RankComparison& all) { return std::optional(all); }),
  };
}

}  // namespace

JsonFields<ComparedRank> rankFields() {
  using Row = ComparedRank;
  const auto ofBreakdown = [](const char* key, const char* description, TimeStatistics BreakdownStatistics::* member) {
    return jsonField<Row>(key, schema::orNull(schema::count()), description, [member](auto& row) {
      return row.breakdown ? Json(((*row.breakdown).*member).meanNs) : Json(nullptr);
    });
  };
  const auto meanOrNull = [](const char* key, const char* description, std::optional<TimeStatistics> Row::* member) {
    return jsonField<Row>(key, schema::orNull(schema::count()), description,
                          [member](auto& row) { return row.*member ? Json((row.*member)->meanNs) : Json(nullptr); });
  };
  return {
      jsonField<Row>("rank", schema::count(), "its number", [](auto& row) { return row.number; }),
      jsonField<Row>("file", schema::text(), "without folders", [](auto& row) { return row.file; }),
      jsonField<Row>("device", schema::orNull(schema::text()), "its name",
                     [](auto& row) { return nonEmpty(row.device); }),
      jsonField<Row>("iterations", schema::count(), "steps that all ranks have; its own, if they have none in common",
                     [](auto& row) { return row.steps; }),
      jsonField<Row>("busy_ns", schema::count(), "per step, as all times of a rank where nothing else is said",
                     [](auto& row) { return row.busy.meanNs; }),
      meanOrNull("wall_ns", "first start to last end of device events; null without start times", &Row::wall),
      meanOrNull("window_ns", "enclosing annotation or step on the host; null without one", &Row::window),
      ofBreakdown("computation_ns", "union of the kernels that compute; null if the communication is not known",
                  &BreakdownStatistics::computation),
      ofBreakdown("communication_ns", "union of the kernels that communicate", &BreakdownStatistics::communication),
      ofBreakdown("exposed_communication_ns", "the part of it in which nothing computes",
                  &BreakdownStatistics::exposedCommunication),
      ofBreakdown("exposed_copies_ns", "copies and sets while nothing computes or communicates",
                  &BreakdownStatistics::exposedCopies),
      meanOrNull("wait_ns",
                 "waiting for the last rank in operations that need all of their ranks, the union; null if none "
                 "could be compared",
                 &Row::wait),
      meanOrNull("exposed_wait_ns", "the part of it in which the rank computes nothing", &Row::exposedWait),
      jsonField<Row>("skew_ns", schema::orNull(schema::count()),
                     "how much later than the first rank it begins such an operation, mean over the operations",
                     [](auto& row) { return orNull(row.skewNs); }),
      jsonField<Row>("operations", schema::count(), "such operations, over all compared steps",
                     [](auto& row) { return row.operations; }),
      jsonField<Row>("last", schema::count(), "those that it began last", [](auto& row) { return row.last; }),
      jsonField<Row>("waited_for_ns", schema::orNull(schema::count()),
                     "how long others waited for it, the sum over ranks and compared steps",
                     [](auto& row) { return row.operations > 0 ? Json(row.waitedForNs) : Json(nullptr); }),
      jsonField<Row>("clock_offset_ns", schema::orNull(schema::integer()),
                     "what is added to its times; null if it is not known",
                     [](auto& row) { return orNull(row.clockOffsetNs); }),
      jsonField<Row>("other_steps", schema::arrayOf(schema::text()),
                     "steps that are not compared: another rank lacks them", [](auto& row) { return row.otherSteps; }),
  };
}

JsonFields<RankComparison> acrossRanksFields() {
  using Row = RankComparison;
  return {
      jsonField<Row>("world_size", schema::orNull(schema::count()), "as the traces state it",
                     [](auto& all) { return orNull(all.worldSize); }),
      jsonField<Row>("missing", schema::arrayOf(schema::count()), "ranks without a trace",
                     [](auto& all) { return all.missing; }),
      jsonField<Row>("missing_count", schema::count(), "of which `missing` has the first 4096",
                     [](auto& all) { return all.missingCount; }),
      jsonField<Row>("steps", schema::arrayOf(schema::text()), "that all ranks have",
                     [](auto& all) {
                       std::vector<std::string> names;
                       for (const ranks::StepName& step : all.steps) names.push_back(step.name);
                       return names;
                     }),
      jsonField<Row>("clocks",
                     schema::oneOf({name(ClockUse::Unknown), name(ClockUse::AsRecorded), name(ClockUse::Aligned)}),
                     "`aligned`: shifted so that the ranks end operations together; `unknown`: not compared",
                     [](auto& all) { return Json(name(all.clocks.use)); }),
      jsonField<Row>("compared", schema::count(),
                     "operations that need all of their ranks and could be compared; 0: nothing is known of waiting",
                     [](auto& all) { return all.compared; }),
      jsonRecordOrNull<Row>("straggler", "the rank with most of the waiting; null if there is none", stragglerFields(),
                            [](const Row& all) { return all.straggler; }),
      jsonArray<Row>("collectives", "operations of several ranks, most waiting first", collectiveFields(),
                     [](const Row& all) -> const std::vector<ComparedCollective>& { return all.collectives; }),
      jsonArray<Row>("waits", "who waits for whom, longest first; the first 1000", waitingFields(),
                     [](const Row& all) {
                       const size_t count = std::min(all.waits.size(), kMostWaits);
                       return std::vector(all.waits.begin(), all.waits.begin() + static_cast<ptrdiff_t>(count));
                     }),
      jsonArray<Row>("data_problems", "unusual but usable data, of all ranks", rankProblemFields(),
                     [](const Row& all) -> const DataProblems& { return all.problems; }),
  };
}

std::string writeRanksJson(const RankComparison& ranks, const TextStyle& /*style*/) {
  std::string text;
  JsonStream out(text);
  writeObject(documentOfRanks(), ranks, out);
  text += '\n';
  return text;
}

std::string ranksSchema(std::span<const ReportSection> /*sections*/) {
  return schema::document(kRanksSchema,
                          "The comparison of ranks of `amdahlc -emit=ranks-json`. Every key is present; a fact that is "
                          "not known is null. Times are integers of nanoseconds.",
                          schemaOf(documentOfRanks()));
}

}  // namespace amdahlc
