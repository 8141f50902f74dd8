/// The steps that all ranks have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runs/ranks/rank_record.h"

namespace amdahlc::ranks {

struct CommonSteps {
  /// Selected in all ranks, in the order of the first one.
  std::vector<StepName> steps;
  /// By rank and step of the rank: the position in `steps`; nullopt for a step that another rank lacks.
  std::vector<std::vector<std::optional<uint32_t>>> positions;
};

CommonSteps commonSteps(std::span<const RankRecord> ranks);

}  // namespace amdahlc::ranks
