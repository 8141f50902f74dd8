#include "runs/ranks/common_steps.h"

#include <map>

namespace amdahlc::ranks {

CommonSteps commonSteps(std::span<const RankRecord> ranks) {
  std::map<StepName, size_t> ranksWith;
  for (const RankRecord& rank : ranks)
    for (const Step& step : rank.steps) ++ranksWith[step.name];
  CommonSteps common;
  std::map<StepName, uint32_t> positionOf;
  for (const Step& step : ranks.front().steps) {
    if (ranksWith.at(step.name) != ranks.size()) continue;
    positionOf.emplace(step.name, static_cast<uint32_t>(common.steps.size()));
    common.steps.push_back(step.name);
  }
  for (const RankRecord& rank : ranks) {
    auto& positions = common.positions.emplace_back();
    for (const Step& step : rank.steps) {
      const auto found = positionOf.find(step.name);
      positions.push_back(found == positionOf.end() ? std::nullopt : std::optional(found->second));
    }
  }
  return common;
}

}  // namespace amdahlc::ranks
