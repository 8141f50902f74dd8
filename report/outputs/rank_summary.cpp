// The first screen of several ranks: who waits for whom, how much communication is exposed, how even the ranks are, and
// what to do first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "passes/advise/advice_analysis.h"
#include "replay/runtimes/runtime.h"
#include "report/fields_text.h"
#include "report/outputs/first_screen.h"
#include "report/outputs/output.h"
#include "report/outputs/rank_writers.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using ranks::ComparedRank;
using ranks::RankComparison;

/// More ranks than this are no list that a person reads.
constexpr size_t kNamedRanks = 4;
constexpr size_t kShownDoubts = 2;

/// What makes a comparison of ranks less than it looks, by the name of the problem in the data, the worst first. The
/// text has `{}` for the number of the problem, and says what to do.
struct Doubt {
  std::string_view problem, text;
};
constexpr Doubt kDoubts[] = {
    {"equal-traces", "the trace of another rank is given again, {} times; give each trace once"},
    {"world-size-differs", "the traces state {} different numbers of ranks; give the traces of one run"},
    {"rank-mismatch", "of {} traces the label is not the rank that they state; check the labels"},
    {"collective-unconnected",
     "{} operations are not compared, because nothing tells how the clocks of their ranks differ; give more ranks"},
    {"collective-far-away", "{} operations are far from those of other ranks; record the ranks at the same time"},
    {"collective-uneven", "{} operations are not in all ranks of their group; record the same steps on all ranks"},
    {"collective-apart", "{} operations are left out, because their ranks do not end them together"},
    {"collective-without-group",
     "traces that state no groups of ranks have kernels of one name taken as one operation ({} in all); record with a "
     "newer profiler"},
    {"point-to-point",
     "of {} sends and receives it is not known which belong together, so that who waits in them is not "
     "counted"},
};

/// Of a rank without wall time, busy time.
int64_t stepNs(const ComparedRank& rank) { return rank.wall ? rank.wall->meanNs : rank.busy.meanNs; }
int64_t computationNs(const ComparedRank& rank) { return rank.breakdown ? rank.breakdown->computation.meanNs : 0; }
int64_t exposedNs(const ComparedRank& rank) { return rank.breakdown ? rank.breakdown->exposedCommunication.meanNs : 0; }
int64_t exposedWaitNs(const ComparedRank& rank) { return rank.exposedWait ? rank.exposedWait->meanNs : 0; }

class RankScreen : private Screen {
 public:
  RankScreen(const RankComparison& all, const TextStyle& style)
      : Screen(style),
        all_(all),
        slowest_(*std::ranges::max_element(all.ranks, {}, stepNs)),
        isDivided_(
            std::ranges::all_of(all.ranks, [](const ComparedRank& rank) { return rank.breakdown.has_value(); })) {}

  std::string write() {
    titleLine(title());
    paragraph(totals());
    paragraph(waiting());
    if (isDivided_) communication();
    if (isDivided_ && all_.ranks.size() > 1 && !all_.steps.empty()) paragraph(imbalance());
    trust();
    advice();
    rows_ = [this](size_t rows) { return table(rowsOf(rows)); };
    more_ = fmt::format("more: `-emit=ranks=full`, `-rank={}` for one rank alone, `-help`",
                        all_.straggler ? all_.straggler->rank : slowest_.number);
    return fit(std::nullopt);
  }

 private:
  std::string title() const {
    const size_t given = all_.ranks.size();
    std::string text = all_.worldSize && *all_.worldSize != static_cast<int64_t>(given)
                           ? fmt::format("{} of {}", given, plural(*all_.worldSize, "rank"))
                           : plural(given, "rank");
    const std::set<std::string> devices = devicesOf();
    if (devices.size() == 1 && !devices.begin()->empty()) text += fmt::format(" ({})", printable(*devices.begin()));
    return text + (all_.steps.empty() ? std::string(", no step that all have")
                                      : fmt::format(", {} that all have", plural(all_.steps.size(), "step")));
  }

  std::set<std::string> devicesOf() const {
    std::set<std::string> devices;
    for (const ComparedRank& rank : all_.ranks) devices.insert(rank.device);
    return devices;
  }

  std::string totals() const {
    std::string text = fmt::format("A step of rank {}, the longest: ", slowest_.number);
    if (slowest_.window) text += fmt::format("{} on the host (window), ", formatReadable(slowest_.window->meanNs));
    if (slowest_.wall)
      text += fmt::format("{} from the first to the last event (wall), ", formatReadable(slowest_.wall->meanNs));
    return text + fmt::format("{} of work (busy).", formatReadable(slowest_.busy.meanNs));
  }

  std::string waiting() const {
    if (all_.search == ranks::StragglerSearch::Unknown)
      return "It is not known who waits for whom: no operation that needs all of its ranks could be compared.";
    if (all_.straggler) return waitingFor(*all_.straggler);
    const ComparedRank& most = *std::ranges::max_element(
        all_.ranks, {}, [](const ComparedRank& rank) { return rank.wait ? rank.wait->meanNs : 0; });
    if (!most.wait || most.wait->meanNs == 0) return "No rank waits for another.";
    int64_t waitedNs = 0, mostNs = 0;
    for (const ComparedRank& rank : all_.ranks) {
      waitedNs += rank.waitedForNs;
      mostNs = std::max(mostNs, rank.waitedForNs);
    }
    return fmt::format(
        "No rank holds up the others{}. Rank {} waits longest for others: {} a step, and computes nothing in {} of "
        "that.",
        2 * mostNs <= waitedNs ? ", but they wait for several ranks in turn" : "", most.number,
        formatReadable(most.wait->meanNs), formatReadable(exposedWaitNs(most)));
  }

  std::string waitingFor(const ranks::Straggler& straggler) const {
    std::set<int64_t> waiting;
    for (const ranks::Waiting& one : all_.waits)
      if (one.forRank == straggler.rank) waiting.insert(one.rank);
    const bool isOne = waiting.size() == 1;
    std::string who =
        waiting.size() <= kNamedRanks ? nameRanks({waiting.begin(), waiting.end()}) : plural(waiting.size(), "rank");
    if (who.starts_with('r')) who.front() = 'R';
    return fmt::format(
        "{} {} for rank {}, the straggler: {} a step{}, and {} nothing in {} of that. Rank {} joins operations of "
        "several ranks last, {} after the one before it.",
        who, isOne ? "waits" : "wait", straggler.rank, formatReadable(straggler.waitNs), isOne ? "" : " each",
        isOne ? "computes" : "compute", formatReadable(straggler.exposedWaitNs), straggler.rank,
        formatReadable(straggler.behindNextNs));
  }

  void communication() {
    const auto shareOfWall = [](const ComparedRank& rank) { return shareOf(exposedNs(rank), stepNs(rank)); };
    const auto [least, most] = std::ranges::minmax_element(all_.ranks, {}, shareOfWall);
    if (exposedNs(*most) == 0) {
      const bool any = std::ranges::any_of(
          all_.ranks, [](const ComparedRank& rank) { return rank.breakdown->communication.meanNs > 0; });
      return paragraph(any ? "No communication is exposed: the ranks compute meanwhile." : "No rank communicates.");
    }
    const auto of = [&](const ComparedRank& rank) {
      return fmt::format("{} of wall time on rank {}", formatPercent(shareOfWall(rank)), rank.number);
    };
    paragraph(fmt::format("Communication while the rank computes nothing (exposed) takes {}{}{}.", of(*most),
                          least == most ? "" : ", and " + of(*least),
                          exposedWaitNs(*most) > 0 ? "; waiting is a part of it" : ""));
  }

  std::string imbalance() const {
    const ComparedRank& longest = *std::ranges::max_element(all_.ranks, {}, computationNs);
    std::vector<int64_t> times;
    for (const ComparedRank& rank : all_.ranks) times.push_back(computationNs(rank));
    const auto ratio = quotient(static_cast<double>(computationNs(longest)), static_cast<double>(lowerMedian(times)));
    return fmt::format("Rank {} computes longest: {} a step{}.", longest.number, formatReadable(computationNs(longest)),
                       ratio ? fmt::format(", {:.2f}x the median of the ranks", *ratio) : "");
  }

  // How far to believe it.

  /// Reasons for it not to be full, as clauses, each with what to do about it; the worst first.
  std::vector<std::string> doubts() const {
    std::vector<std::string> found;
    if (all_.ranks.size() == 1) found.emplace_back("there is one rank; give the traces of all ranks");
    if (all_.steps.empty())
      found.emplace_back("each rank is compared over other steps; record the same steps on all ranks");
    if (!isDivided_)
      for (const ComparedRank& rank : all_.ranks)
        if (rank.noBreakdown) {
          found.push_back(fmt::format("communication is not known: {}; record the device with its times",
                                      describe(*rank.noBreakdown)));
          break;
        }
    if (all_.missingCount > 0)
      found.push_back(
          fmt::format("{} {} no trace, and others may wait for {}; give the traces of all ranks",
                      all_.missing.size() <= kNamedRanks ? nameRanks(all_.missing) : plural(all_.missingCount, "rank"),
                      all_.missingCount == 1 ? "has" : "have", all_.missingCount == 1 ? "it" : "them"));
    else if (!all_.worldSize)
      found.emplace_back("the traces do not say how many ranks there are; give the traces of all");
    if (all_.numbering == ranks::NumberSource::Order)
      found.emplace_back("the order of the files numbers the ranks; label them as in `-trace=rank0=FILE`");
    for (const Doubt& doubt : kDoubts) {
      const auto problem = std::ranges::find(all_.problems, doubt.problem, &DataProblem::name);
      if (problem != all_.problems.end()) found.push_back(fmt::format(fmt::runtime(doubt.text), problem->count));
    }
    if (const std::string drift = describeDrift(all_); !drift.empty())
      found.push_back(drift + "; record fewer steps, or synchronize the clocks");
    if (devicesOf().size() > 1)
      found.emplace_back("the ranks ran on different devices, which need not be equally fast");
    return found;
  }

  void trust() {
    const std::vector<std::string> found = doubts();
    if (found.empty())
      return paragraph(
          fmt::format("trust: full, because all {} have a trace, and {} that {} all of their ranks could be compared",
                      plural(all_.ranks.size(), "rank"), plural(all_.compared, "operation"),
                      all_.compared == 1 ? "needs" : "need"));
    const bool isUnknown = all_.search == ranks::StragglerSearch::Unknown || all_.steps.empty();
    paragraph(fmt::format("trust: {}, because {}", isUnknown ? "none in a comparison of the ranks" : "limited",
                          found.front()));
    for (size_t i = 1; i < std::min(found.size(), kShownDoubts); ++i) paragraph("also, " + found[i]);
    if (found.size() > kShownDoubts)
      paragraph(fmt::format("{} in `-emit=ranks=full`", plural(found.size() - kShownDoubts, "more reason")));
  }

  // What to do.

  struct Piece {
    std::string text;
    int64_t savedNs;
  };

  /// The longest step is shorter by at most so much where each rank saves at most this much: all of them wait for the
  /// last.
  template <typename Part>
  int64_t saved(Part part) const {
    int64_t leftNs = 0;
    for (const ComparedRank& rank : all_.ranks) leftNs = std::max(leftNs, stepNs(rank) - part(rank));
    return stepNs(slowest_) - leftNs;
  }

  std::vector<Piece> pieces() const {
    std::vector<Piece> found;
    if (!all_.straggler)
      found.push_back(
          {"let the ranks compute equally long in each step (samples, tokens, layers, experts, tables): they wait for "
           "each other in turn",
           saved(exposedWaitNs)});
    if (isDivided_)
      found.push_back({fmt::format("communicate beside computation, or less: {}",
                                   runtimeAdapter(all_.runtime).remedy(Remedy::OverlapCommunication)),
                       saved([](const ComparedRank& rank) {
                         // What it waits is no communication that could be elsewhere.
                         return std::max<int64_t>(0, exposedNs(rank) - exposedWaitNs(rank));
                       })});
    found.push_back({fmt::format("see why rank {} has no device work in {} of wall time: `-rank={}`", slowest_.number,
                                 formatPercent(shareOf(stepNs(slowest_) - slowest_.busy.meanNs, stepNs(slowest_))),
                                 slowest_.number),
                     saved([](const ComparedRank& rank) { return stepNs(rank) - rank.busy.meanNs; })});
    std::ranges::stable_sort(found, std::ranges::greater(), &Piece::savedNs);
    // The ranks prove that it saves this much; the others are bounds.
    if (all_.straggler) found.insert(found.begin(), {adviceOn(*all_.straggler), all_.straggler->exposedWaitNs});
    return found;
  }

  void advice() {
    adviceHeading_ = "what to do first, and what each saves of the longest step at most";
    for (const Piece& piece : pieces()) {
      const double share = shareOf(piece.savedNs, stepNs(slowest_));
      if (share < kLeastSaving || advice_.size() == kPiecesOfAdvice) continue;
      advice_.push_back(wrapped(fmt::format("  {}. ", advice_.size() + 1),
                                fmt::format("{}: {}", piece.text, formatPercent(share)), 5));
    }
    if (!advice_.empty()) return;
    adviceHeading_ = "what to do first";
    advice_.push_back(wrapped(
        "  ", fmt::format("nothing between the ranks saves 1 % of a step; `-rank={}` analyses one", slowest_.number),
        2));
  }

  // The table.

  struct Row {
    const ComparedRank& rank;
    /// What of it a person must know.
    std::string role;
  };

  /// All ranks; of more than `most` the straggler, and those that compute longest, shortest and in between.
  std::string rowsOf(size_t most) const {
    std::vector<const ComparedRank*> byTime;
    for (const ComparedRank& rank : all_.ranks) byTime.push_back(&rank);
    std::ranges::stable_sort(byTime, std::ranges::greater(), [this](const ComparedRank* rank) {
      return isDivided_ ? computationNs(*rank) : stepNs(*rank);
    });
    std::vector<Row> rows;
    const auto add = [&](const ComparedRank& rank, std::string role) {
      const bool isStraggler = all_.straggler && all_.straggler->rank == rank.number;
      if (isStraggler) role += role.empty() ? "straggler" : ", straggler";
      rows.push_back({rank, std::move(role)});
    };
    const std::string_view does = isDivided_ ? "computes" : "takes";
    if (byTime.size() <= most) {
      for (const ComparedRank& rank : all_.ranks) add(rank, "");
    } else {
      add(*byTime.front(), fmt::format("{} longest", does));
      add(*byTime[byTime.size() / 2], "median");
      add(*byTime.back(), fmt::format("{} shortest", does));
      const auto isShown = [this](const Row& row) { return row.rank.number == all_.straggler->rank; };
      if (all_.straggler && std::ranges::none_of(rows, isShown))
        add(*std::ranges::find(all_.ranks, all_.straggler->rank, &ComparedRank::number), "");
    }
    const bool hasWall =
        std::ranges::any_of(all_.ranks, [](const ComparedRank& rank) { return rank.wall.has_value(); });
    const ReadableUnit unit = readableUnit(stepNs(slowest_));
    const auto time = [unit](std::optional<int64_t> ns) { return ns ? unit.format(*ns) : std::string("n/a"); };
    return writeText(
        rows,
        {column(fmt::format("{} a step, rank ({} of {})", unit.name, rows.size(), all_.ranks.size()), kWord,
                [](const Row& row) {
                  return row.role.empty() ? fmt::format("{}", row.rank.number)
                                          : fmt::format("{}: {}", row.rank.number, row.role);
                }),
         column(
             "wall", kNumber,
             [&](const Row& row) { return time(row.rank.wall ? std::optional(row.rank.wall->meanNs) : std::nullopt); })
             .onlyIf(hasWall),
         column("busy", kNumber, [&](const Row& row) { return time(row.rank.busy.meanNs); }).onlyIf(!hasWall),
         column("computes", kNumber, [&](const Row& row) { return time(computationNs(row.rank)); }).onlyIf(isDivided_),
         column("exposed", kNumber, [&](const Row& row) { return time(exposedNs(row.rank)); }).onlyIf(isDivided_),
         column("of it waiting", kNumber,
                [&](const Row& row) {
                  return time(row.rank.exposedWait ? std::optional(row.rank.exposedWait->meanNs) : std::nullopt);
                })
             .onlyIf(all_.search != ranks::StragglerSearch::Unknown)},
        columns_);
  }

  const RankComparison& all_;
  const ComparedRank& slowest_;
  /// Whether it is known of each rank when it computes and when it communicates.
  const bool isDivided_;
};

}  // namespace

constinit const Output kRanksOutput{
    .name = "ranks",
    .summary = "the first screen of several ranks: who waits for whom, exposed communication, what to do first",
    .write = [](const RankComparison& all, const TextStyle& style) { return RankScreen(all, style).write(); }};

}  // namespace amdahlc
