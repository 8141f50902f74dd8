#include "passes/manager/pass_statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace amdahlc {

void PassStatistics::addRows(const PassRun& run) {
  for (const auto& statistic : run.pass.statistics())
    rows_.push_back({run.info.name, statistic->name, statistic->description, statistic->value});
}

bool PassStatistics::afterPass(const PassRun& run, const PassResult&) {
  addRows(run);
  return true;
}

void PassStatistics::afterPassFailed(const PassRun& run) { addRows(run); }

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
