// PyTorch records each operation between ranks as a call of its own, whose values have the rank before the name of the
// operation:
//
//   record_param_comms(tensors, 147, group, 3, "all_to_allv", ...)   of rank 3
#include "runs/execution_trace/execution_trace.h"

namespace amdahlc::execution_trace {
namespace {

constexpr std::string_view kCollectiveRecord = "record_param_comms";

std::optional<int64_t> rankIn(std::span<const Value> values) {
  const Value* before = nullptr;
  for (size_t at = 0; at < values.size(); at = behind(values, at)) {
    if (values[at].kind == ValueKind::Text)
      return before != nullptr && before->kind == ValueKind::Integer && before->number >= 0
                 ? std::optional(before->number)
                 : std::nullopt;
    before = &values[at];
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> statedRank(const ExecutionTrace& trace) {
  std::optional<int64_t> found;
  for (const NodeId node : trace.id.ids()) {
    if (trace.text(trace.name[node]) != kCollectiveRecord) continue;
    const auto rank = rankIn(trace.inputs(node));
    if (rank && found && *rank != *found) return std::nullopt;
    if (rank) found = rank;
  }
  return found;
}

}  // namespace amdahlc::execution_trace
