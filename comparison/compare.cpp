#include "comparison/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "support/printable.h"

namespace amdahlc::comparison {
namespace {

std::optional<MeanOfSamples> samplesOf(const MeasuredTime& time) {
  if (!time.standardDeviationNs) return std::nullopt;
  return MeanOfSamples{static_cast<double>(time.meanNs), *time.standardDeviationNs, time.iterations};
}

void judge(Difference& row) {
  if (!row.before || !row.after) {
    row.change = row.before ? Change::OnlyBefore : Change::OnlyAfter;
    return;
  }
  const auto before = samplesOf(*row.before), after = samplesOf(*row.after);
  if (before && after) row.intervalNs = welchInterval(*before, *after);
  if (!row.intervalNs)
    row.change = Change::NoiseUnknown;
  else if (row.intervalNs->contains(0))
    row.change = Change::WithinNoise;
  else
    row.change = row.differenceNs() > 0 ? Change::Slower : Change::Faster;
}

void finish(std::vector<Difference>& rows) {
  for (Difference& row : rows) judge(row);
  std::sort(rows.begin(), rows.end(), [](const Difference& a, const Difference& b) {
    const int64_t first = std::abs(a.differenceNs()), second = std::abs(b.differenceNs());
    if (first != second) return first > second;
    const int64_t longest = a.longestNs(), other = b.longestNs();
    if (longest != other) return longest > other;
    return std::tie(a.name, a.node) < std::tie(b.name, b.node);
  });
}

void addTo(std::optional<MeasuredTime>& sum, const MeasuredTime& time) {
  if (!sum) {
    sum = time;
    return;
  }
  // Times of a report can be anything.
  sum->meanNs += std::min(time.meanNs, INT64_MAX - sum->meanNs);
  if (!time.standardDeviationNs)
    sum->standardDeviationNs.reset();
  else if (sum->standardDeviationNs)
    *sum->standardDeviationNs += *time.standardDeviationNs;
}

std::vector<Difference> compareGroups(const std::vector<MeasuredGroup>& before,
                                      const std::vector<MeasuredGroup>& after) {
  std::map<std::string, Difference> rows;
  for (const MeasuredGroup& group : before) rows[group.name].before = group.time;
  for (const MeasuredGroup& group : after) rows[group.name].after = group.time;
  std::vector<Difference> differences;
  for (auto& [name, row] : rows) {
    row.name = name;
    differences.push_back(std::move(row));
  }
  finish(differences);
  return differences;
}

/// Sets that are united, each named by its smallest element.
class DisjointSets {
 public:
  explicit DisjointSets(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t find(size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  void unite(size_t a, size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

/// `linear`, or `gelu, linear` of several kernels.
std::string joined(const std::set<std::string>& labels) {
  constexpr size_t kMostLabels = 3;
  std::string text;
  size_t count = 0;
  for (const std::string& label : labels) {
    if (++count > kMostLabels) return text + fmt::format(" and {} more", labels.size() - kMostLabels);
    text += (text.empty() ? "" : ", ") + label;
  }
  return text;
}

struct KernelRow {
  Difference difference;
  std::set<std::string> labelsBefore, labelsAfter;
};

/// Kernels that share a node, directly or over others, are one row.
std::vector<Difference> compareKernels(const MeasuredRun& before, const MeasuredRun& after) {
  std::vector<const MeasuredKernel*> kernels;
  for (const MeasuredRun* run : {&before, &after})
    for (const MeasuredKernel& kernel : run->kernels) kernels.push_back(&kernel);
  DisjointSets sets(kernels.size());
  std::unordered_map<std::string_view, size_t> kernelOfNode;
  for (size_t k = 0; k < kernels.size(); ++k)
    for (const std::string& node : kernels[k]->nodes)
      if (const auto [found, isNew] = kernelOfNode.emplace(node, k); !isNew) sets.unite(found->second, k);
  std::map<size_t, KernelRow> rows;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const bool isBefore = k < before.kernels.size();
    KernelRow& row = rows[sets.find(k)];
    auto& labels = isBefore ? row.labelsBefore : row.labelsAfter;
    // The first kernel of the side that names the row.
    if (!kernels[k]->nodes.empty() && (isBefore ? row.difference.node.empty() : labels.empty()))
      row.difference.node = kernels[k]->nodes.front();
    labels.insert(kernels[k]->label);
    addTo(isBefore ? row.difference.before : row.difference.after, kernels[k]->time);
  }
  std::vector<Difference> differences;
  for (auto& [first, row] : rows) {
    const std::string old = joined(row.labelsBefore), now = joined(row.labelsAfter);
    row.difference.name =
        old.empty() || now.empty() || old == now ? (now.empty() ? old : now) : fmt::format("{} -> {}", old, now);
    differences.push_back(std::move(row.difference));
  }
  finish(differences);
  return differences;
}

std::vector<std::string> caveatsOf(const MeasuredRun& before, const MeasuredRun& after) {
  std::vector<std::string> caveats;
  for (const MeasuredRun* run : {&before, &after})
    if (!run->distrust.empty()) caveats.push_back(fmt::format("`{}`: {}", printable(run->label), run->distrust));
  if (before.device != after.device && !before.device.empty() && !after.device.empty())
    caveats.push_back(fmt::format("`{}` ran on {}, `{}` on {}", printable(before.label), printable(before.device),
                                  printable(after.label), printable(after.device)));
  if (before.forwards && after.forwards && *before.forwards != *after.forwards)
    caveats.push_back(
        fmt::format("an iteration runs the model {} times in `{}`, {} times in `{}`; times are per "
                    "iteration",
                    *before.forwards, printable(before.label), *after.forwards, printable(after.label)));
  return caveats;
}

}  // namespace

int64_t Difference::differenceNs() const { return (after ? after->meanNs : 0) - (before ? before->meanNs : 0); }

int64_t Difference::longestNs() const { return std::max(before ? before->meanNs : 0, after ? after->meanNs : 0); }

std::optional<double> Difference::relative() const {
  if (!before || before->meanNs == 0) return std::nullopt;
  return static_cast<double>(differenceNs()) / static_cast<double>(before->meanNs);
}

Comparison compare(const MeasuredRun& before, const MeasuredRun& after) {
  Comparison result;
  result.before = {before.label, before.report};
  result.after = {after.label, after.report};
  result.totals.push_back({.name = "busy", .before = before.busy, .after = after.busy});
  if (before.wall && after.wall) result.totals.push_back({.name = "wall", .before = before.wall, .after = after.wall});
  if (before.window && after.window)
    result.totals.push_back({.name = "window", .before = before.window, .after = after.window});
  for (Difference& row : result.totals) judge(row);
  result.kernels = compareKernels(before, after);
  result.categories = compareGroups(before.categories, after.categories);
  result.scopes = compareGroups(before.scopes, after.scopes);
  result.caveats = caveatsOf(before, after);
  return result;
}

}  // namespace amdahlc::comparison
