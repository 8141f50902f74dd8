#include "report/comparison/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "support/absence.h"
#include "support/decimal_time.h"
#include "support/disjoint_sets.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::comparison {
namespace {

/// A time of 0 in each iteration of a run.
MeasuredTime noTime(const MeasuredTime& busy) {
  Samples samples = busy.samplesNs;
  for (std::vector<int64_t>& recording : samples) std::ranges::fill(recording, 0);
  return MeasuredTime(std::move(samples));
}

void finish(std::vector<Difference>& rows, const MeasuredRun& before, const MeasuredRun& after) {
  std::erase_if(rows, [](const Difference& row) { return row.longestNs() == 0; });
  judgeRows(rows, {.name = "", .before = before.busy, .after = after.busy});
  for (Difference& row : rows) {
    if (row.unexplainedBeforeNs > 0 && row.before && row.before->ns == 0) row.before.reset();
    if (row.unexplainedAfterNs > 0 && row.after && row.after->ns == 0) row.after.reset();
  }
  std::ranges::sort(rows, [](const Difference& a, const Difference& b) {
    if (a.isUnknown() != b.isUnknown()) return b.isUnknown();
    const int64_t first = std::abs(a.differenceNs()), second = std::abs(b.differenceNs());
    if (first != second) return first > second;
    const int64_t longest = a.longestNs(), other = b.longestNs();
    if (longest != other) return longest > other;
    return std::tie(a.name, a.node) < std::tie(b.name, b.node);
  });
}

/// Times of a report can be anything.
void addNs(int64_t& sum, int64_t ns) { sum += std::min(ns, INT64_MAX - sum); }

/// In each iteration. The times are of one run.
void addTo(std::optional<MeasuredTime>& sum, const MeasuredTime& time) {
  if (!sum) {
    sum = time;
    return;
  }
  if (sum->samplesNs.empty() || time.samplesNs.empty()) {
    addNs(sum->ns, time.ns);
    sum->samplesNs.clear();
    return;
  }
  for (size_t r = 0; r < time.samplesNs.size(); ++r)
    for (size_t i = 0; i < time.samplesNs[r].size(); ++i) addNs(sum->samplesNs[r][i], time.samplesNs[r][i]);
  sum = MeasuredTime(std::move(sum->samplesNs));
}

/// Names of the groups of a kernel.
using NamesOf = std::vector<std::string> (*)(const MeasuredKernel&);

std::vector<std::string> categoryOf(const MeasuredKernel& kernel) { return {kernel.category}; }

/// The scope of the kernel, and those around it.
std::vector<std::string> scopesOf(const MeasuredKernel& kernel) {
  std::vector<std::string> scopes{kernel.scope};
  for (size_t end = kernel.scope.rfind('.'); end != std::string::npos && end > 0;
       end = kernel.scope.rfind('.', end - 1))
    scopes.push_back(kernel.scope.substr(0, end));
  return scopes;
}

/// A group that a run does not have took no time in it.
std::vector<Difference> compareGroups(const MeasuredRun& before, const MeasuredRun& after,
                                      std::vector<MeasuredGroup> MeasuredRun::* groups, NamesOf namesOf) {
  std::map<std::string, Difference> rows;
  for (const MeasuredGroup& group : before.*groups) rows[group.name].before = group.time;
  for (const MeasuredGroup& group : after.*groups) rows[group.name].after = group.time;
  const auto addUnexplained = [&](const MeasuredRun& run, int64_t Difference::* unexplained) {
    for (const MeasuredKernel& kernel : run.kernels)
      if (kernel.isMissed)
        for (const std::string& name : namesOf(kernel))
          if (const auto row = rows.find(name); row != rows.end()) row->second.*unexplained = run.unexplainedNs;
  };
  addUnexplained(before, &Difference::unexplainedBeforeNs);
  addUnexplained(after, &Difference::unexplainedAfterNs);
  std::vector<Difference> differences;
  for (auto& [name, row] : rows) {
    row.name = name;
    if (!row.before) row.before = noTime(before.busy);
    if (!row.after) row.after = noTime(after.busy);
    differences.push_back(std::move(row));
  }
  finish(differences, before, after);
  return differences;
}

/// `linear`, or `gelu, linear` of several kernels.
std::string joined(const std::set<std::string>& labels) {
  constexpr size_t kMostLabels = 3;
  return firstFew(labels, [](const std::string& label) { return label; }, kMostLabels);
}

/// `linear`, or `matmul, softmax -> sdpa` if the names differ.
std::string nameOf(const std::set<std::string>& before, const std::set<std::string>& after) {
  const std::string old = joined(before), now = joined(after);
  return old.empty() || now.empty() || old == now ? (now.empty() ? old : now) : fmt::format("{} -> {}", old, now);
}

struct KernelRow {
  Difference difference;
  std::set<std::string> labelsBefore, labelsAfter;
};

struct SidedKernel {
  const MeasuredKernel* kernel;
  bool isBefore;
};

void addTo(KernelRow& row, const SidedKernel& one) {
  auto& labels = one.isBefore ? row.labelsBefore : row.labelsAfter;
  // The first kernel of the side that names the row.
  if (!one.kernel->nodes.empty() && (one.isBefore ? row.difference.node.empty() : labels.empty())) {
    row.difference.node = one.kernel->nodes.front();
    row.difference.scope = one.kernel->scope;
    row.difference.category = one.kernel->category;
  }
  labels.insert(one.kernel->label);
  addTo(one.isBefore ? row.difference.before : row.difference.after, one.kernel->time);
}

/// The rows of kernels: kernels that share a node, directly or over others.
std::vector<Difference> compareKernels(const MeasuredRun& before, const MeasuredRun& after) {
  std::vector<SidedKernel> timed, untimed;
  for (const MeasuredRun* run : {&before, &after})
    for (const MeasuredKernel& kernel : run->kernels)
      (kernel.time.ns > 0 ? timed : untimed).push_back({&kernel, run == &before});
  DisjointSets sets(timed.size());
  std::unordered_map<std::string_view, size_t> kernelOfNode;
  for (size_t k = 0; k < timed.size(); ++k)
    for (const std::string& node : timed[k].kernel->nodes)
      if (const auto [found, isNew] = kernelOfNode.emplace(node, k); !isNew) sets.unite(found->second, k);
  std::map<size_t, KernelRow> rows;
  for (size_t k = 0; k < timed.size(); ++k) addTo(rows[sets.find(k)], timed[k]);
  // A kernel that took no time says that of its nodes. It does not unite others, because it may have many nodes.
  for (const SidedKernel& one : untimed)
    for (const std::string& node : one.kernel->nodes)
      if (const auto found = kernelOfNode.find(node); found != kernelOfNode.end()) {
        Difference& row = rows[sets.find(found->second)].difference;
        auto& time = one.isBefore ? row.before : row.after;
        const MeasuredRun& run = one.isBefore ? before : after;
        if (!time) time = noTime(run.busy);
        if (one.kernel->isMissed) (one.isBefore ? row.unexplainedBeforeNs : row.unexplainedAfterNs) = run.unexplainedNs;
      }
  std::vector<Difference> differences;
  for (auto& [first, row] : rows) {
    row.difference.name = nameOf(row.labelsBefore, row.labelsAfter);
    differences.push_back(std::move(row.difference));
  }
  finish(differences, before, after);
  return differences;
}

/// Whether `ns` is more than drift beyond another time.
bool isBeyondDrift(int64_t ns, int64_t beyondNs) {
  return static_cast<double>(ns) * 100 > static_cast<double>(beyondNs) * (100 + kDriftPercent);
}

/// What is known of a row whose times are at least these.
Change knownChange(const Difference& row) {
  const auto atMost = [](const std::optional<MeasuredTime>& time, int64_t unexplainedNs) {
    int64_t ns = time ? time->ns : 0;
    addNs(ns, unexplainedNs);
    return ns;
  };
  const Change change = row.judgement.change;
  if (row.unexplainedBeforeNs == 0 && row.unexplainedAfterNs == 0) return change;
  const int64_t beforeNs = row.before ? row.before->ns : 0, afterNs = row.after ? row.after->ns : 0;
  // A ratio to a time of which nothing is known tells nothing.
  if ((beforeNs == 0 && row.unexplainedBeforeNs != 0) || (afterNs == 0 && row.unexplainedAfterNs != 0))
    return Change::Unknown;
  if (change == Change::Slower && row.unexplainedBeforeNs == 0) return change;
  if (change == Change::Faster && row.unexplainedAfterNs == 0) return change;
  if (change == Change::Slower && isBeyondDrift(afterNs, atMost(row.before, row.unexplainedBeforeNs))) return change;
  if (change == Change::Faster && isBeyondDrift(beforeNs, atMost(row.after, row.unexplainedAfterNs))) return change;
  return Change::Unknown;
}

/// Both runs have kernels, and no two of them share a node: they are hardly of one model.
bool haveNothingInCommon(const MeasuredRun& before, const MeasuredRun& after) {
  if (before.kernels.empty() || after.kernels.empty()) return false;
  std::set<std::string_view> nodes;
  for (const MeasuredKernel& kernel : before.kernels) nodes.insert(kernel.nodes.begin(), kernel.nodes.end());
  for (const MeasuredKernel& kernel : after.kernels)
    for (const std::string& node : kernel.nodes)
      if (nodes.contains(node)) return false;
  return true;
}

std::vector<std::string> caveatsOf(const MeasuredRun& before, const MeasuredRun& after) {
  std::vector<std::string> caveats;
  for (const auto& [when, run] : {std::pair{"before", &before}, std::pair{"after", &after}})
    for (const std::string* text : {&run->distrust, &run->caution})
      if (!text->empty()) caveats.push_back(fmt::format("{}: {}", when, *text));
  if (before.device != after.device && !before.device.empty() && !after.device.empty())
    caveats.push_back(fmt::format("before ran on {}, after on {}", printable(before.device), printable(after.device)));
  if (before.distrust.empty() && after.distrust.empty())
    if (const auto why = whyNotComparable(before, after)) caveats.push_back(describe(*why));
  return caveats;
}

}  // namespace

std::optional<Absence> whyNotComparable(const MeasuredRun& before, const MeasuredRun& after) {
  using enum Absence::Reason;
  if (!before.distrust.empty()) return Absence{BaselineNotTrusted, {before.distrust}};
  if (!after.distrust.empty()) return Absence{RunNotTrusted, {after.distrust}};
  if (before.average != after.average)
    return Absence{OtherStatistic, {std::string(name(before.average)), std::string(name(after.average))}};
  if (before.forwards && after.forwards && *before.forwards != *after.forwards)
    return Absence{OtherForwards, {fmt::format("{:.4g}", *before.forwards), fmt::format("{:.4g}", *after.forwards)}};
  if (haveNothingInCommon(before, after)) return Absence{NothingInCommon};
  return std::nullopt;
}

int64_t Difference::differenceNs() const { return (after ? after->ns : 0) - (before ? before->ns : 0); }

int64_t Difference::longestNs() const { return std::max(before ? before->ns : 0, after ? after->ns : 0); }

std::optional<double> Difference::relative() const {
  if (!before || before->ns == 0) return std::nullopt;
  return static_cast<double>(differenceNs()) / static_cast<double>(before->ns);
}

void judgeRows(std::vector<Difference>& rows, const Difference& busy) {
  const MeasuredTime noneBefore = noTime(*busy.before), noneAfter = noTime(*busy.after);
  std::vector<TwoTimes> times;
  for (const Difference& row : rows)
    times.push_back({row.before ? *row.before : noneBefore, row.after ? *row.after : noneAfter});
  const std::vector<Judgement> judgements = judge(times);
  for (size_t r = 0; r < rows.size(); ++r) {
    Difference& row = rows[r];
    row.judgement = judgements[r];
    for (int64_t* unexplainedNs : {&row.unexplainedBeforeNs, &row.unexplainedAfterNs})
      if (static_cast<double>(*unexplainedNs) * 100 <= static_cast<double>(row.longestNs()) * kDriftPercent)
        *unexplainedNs = 0;
    row.judgement.change = knownChange(row);
    if (row.isUnknown()) row.judgement = {Change::Unknown};
  }
}

Comparison compare(const MeasuredRun& before, const MeasuredRun& after) {
  Comparison result;
  result.before = {before.label, before.report};
  result.after = {after.label, after.report};
  const auto add = [&](std::string_view name, const auto& one, const auto& other) -> Difference& {
    return result.totals.emplace_back(Difference{.name = std::string(name), .before = one, .after = other});
  };
  Difference& busy = add(kBusyRow, before.busy, after.busy);
  if (before.undisturbedBusyNs && after.undisturbedBusyNs) {
    busy.name = kMedianBusyRow;
    busy.before->ns = *before.undisturbedBusyNs;
    busy.after->ns = *after.undisturbedBusyNs;
  }
  if (before.wall && after.wall) add(kWallRow, before.wall, after.wall);
  if (before.window && after.window)
    add(after.average == Average::Median ? kMedianWindowRow : kWindowRow, before.window, after.window);
  judgeRows(result.totals, result.totals.front());
  result.kernels = compareKernels(before, after);
  result.categories = compareGroups(before, after, &MeasuredRun::categories, categoryOf);
  result.scopes = compareGroups(before, after, &MeasuredRun::scopes, scopesOf);
  result.caveats = caveatsOf(before, after);
  result.notComparable = whyNotComparable(before, after);
  if (result.notComparable)
    for (std::vector<Difference>* rows : {&result.totals, &result.kernels, &result.categories, &result.scopes})
      for (Difference& row : *rows) row.judgement = {Change::NotJudged};
  if (result.notComparable) return result;
  for (const auto& [when, unexplained] :
       {std::pair{"before", &Difference::unexplainedBeforeNs}, std::pair{"after", &Difference::unexplainedAfterNs}}) {
    const auto isHidden = [&](const Difference& row) { return row.isUnknown() && row.*unexplained > 0; };
    const auto hidden = std::ranges::find_if(result.kernels, isHidden);
    if (hidden == result.kernels.end()) continue;
    result.caveats.push_back(
        fmt::format("{}: {} cannot be compared, because {} of unexplained time may have their work", when,
                    plural(static_cast<size_t>(std::ranges::count_if(result.kernels, isHidden)), "kernel"),
                    formatReadable((*hidden).*unexplained)));
  }
  return result;
}

Difference together(const std::vector<const Difference*>& rows) {
  Difference sum;
  std::set<std::string> old, now;
  const Difference* place = nullptr;
  for (const Difference* row : rows) {
    const bool isAfter = row->after && row->after->ns > 0;
    if (row->before) addTo(sum.before, *row->before);
    if (row->after) addTo(sum.after, *row->after);
    sum.unexplainedBeforeNs = std::max(sum.unexplainedBeforeNs, row->unexplainedBeforeNs);
    sum.unexplainedAfterNs = std::max(sum.unexplainedAfterNs, row->unexplainedAfterNs);
    (isAfter ? now : old).insert(row->name);
    if (place == nullptr && isAfter) place = row;
  }
  if (place == nullptr) place = rows.front();
  sum.name = nameOf(old, now);
  sum.node = place->node;
  sum.scope = place->scope;
  sum.category = place->category;
  return sum;
}

}  // namespace amdahlc::comparison
