/// The text of an NVTX range. PyTorch can write its operators as ranges (`torch.autograd.profiler.emit_nvtx`, which
/// Nsight Systems calls for `--pytorch=autograd-nvtx`): `aten::addmm, seq = 12, op_id = 40, sizes = [[768], [8, 768]]`.
/// Internal to the readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc::trace {

struct NvtxRange {
  /// `Operator` for an operator of the framework, else `Annotation`.
  EventKind kind = EventKind::Annotation;
  /// Without the numbers and shapes of the call, so that calls of one operator have one name.
  std::string_view name;
  /// Of an operator: one for each argument, and for each tensor of a list; empty for other arguments. nullopt if the
  /// text has none.
  std::optional<std::vector<std::vector<int64_t>>> shapes;
  /// `[[768], [8, 768]]`: equal texts have equal shapes.
  std::string_view shapesText;
  /// Of an operator: autograd's number of the call; -1 without one.
  int64_t sequenceNumber = -1;
  /// PyTorch's number of the call, outer before inner; -1 without one.
  int64_t operatorId = -1;
  /// The text ends inside its fields: it was shortened, and what follows is unknown.
  bool cutOff = false;
};

NvtxRange readNvtxRange(std::string_view text);

}  // namespace amdahlc::trace
