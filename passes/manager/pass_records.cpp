#include "passes/manager/pass_records.h"

#include <fmt/format.h>

#include <algorithm>

namespace amdahlc {

void PassTimes::begin(std::string name) {
  rows_.push_back({std::move(name), 0, static_cast<unsigned>(stack_.size())});
  stack_.push_back({rows_.size() - 1, Stopwatch()});
}

void PassTimes::end() {
  rows_[stack_.back().row].elapsedNs = stack_.back().watch.elapsedNs();
  stack_.pop_back();
}

std::string PassTimes::report() const {
  int64_t totalNs = 0;
  for (const Row& row : rows_)
    if (row.depth == 0) totalNs += row.elapsedNs;
  std::string text = fmt::format("{:>12}  {:>6}  {}\n", "wall ms", "share", "pass");
  for (const Row& row : rows_) {
    const double share = totalNs == 0 ? 0 : 100.0 * static_cast<double>(row.elapsedNs) / static_cast<double>(totalNs);
    text += fmt::format("{:>12.3f}  {:>5.1f}%  {}{}\n", static_cast<double>(row.elapsedNs) / 1e6, share,
                        std::string(2 * row.depth, ' '), row.name);
  }
  return text + fmt::format("{:>12.3f}  {:>5.1f}%  total\n", static_cast<double>(totalNs) / 1e6, 100.0);
}

void PassStatistics::addRows(const PassRun& run) {
  for (const auto& statistic : run.pass.statistics())
    rows_.push_back({run.info.name, statistic->name, statistic->description, statistic->value});
}

std::string PassStatistics::report() const {
  size_t passWidth = 0, nameWidth = 0;
  for (const Row& row : rows_) {
    passWidth = std::max(passWidth, row.pass.size());
    nameWidth = std::max(nameWidth, row.name.size());
  }
  std::string text;
  for (const Row& row : rows_)
    text += fmt::format("{:>10}  {:<{}}  {:<{}}  {}\n", row.value, row.pass, passWidth, row.name, nameWidth,
                        row.description);
  return text;
}

}  // namespace amdahlc
