#include "timeline/cpu_work.h"

#include <algorithm>
#include <string_view>

#include "timeline/relations.h"

namespace amdahlc {
namespace {

// Both lists are sorted. They hold the names without their namespace `aten::`.
constexpr std::string_view kNoWork[] = {"_fused_sdp_choice",
                                        "_local_scalar_dense",
                                        "_nnpack_available",
                                        "_reshape_alias",
                                        "_unsafe_view",
                                        "alias",
                                        "as_strided",
                                        "as_strided_",
                                        "broadcast_tensors",
                                        "broadcast_to",
                                        "chunk",
                                        "conj",
                                        "cudnn_is_acceptable",
                                        "detach",
                                        "detach_",
                                        "diagonal",
                                        "empty",
                                        "empty_like",
                                        "empty_permuted",
                                        "empty_strided",
                                        "expand",
                                        "expand_as",
                                        "imag",
                                        "is_nonzero",
                                        "is_same_size",
                                        "item",
                                        "lift",
                                        "lift_fresh",
                                        "movedim",
                                        "narrow",
                                        "new_empty",
                                        "new_empty_strided",
                                        "numpy_T",
                                        "permute",
                                        "real",
                                        "requires_grad_",
                                        "resize_",
                                        "resize_as_",
                                        "resolve_conj",
                                        "resolve_neg",
                                        "result_type",
                                        "select",
                                        "set_",
                                        "set_data",
                                        "size",
                                        "slice",
                                        "split",
                                        "split_with_sizes",
                                        "squeeze",
                                        "squeeze_",
                                        "swapaxes",
                                        "sym_size",
                                        "t",
                                        "t_",
                                        "tensor_split",
                                        "transpose",
                                        "transpose_",
                                        "unbind",
                                        "unflatten",
                                        "unfold",
                                        "unsafe_chunk",
                                        "unsafe_split",
                                        "unsqueeze",
                                        "unsqueeze_",
                                        "view",
                                        "view_as",
                                        "view_as_complex",
                                        "view_as_real"};

constexpr std::string_view kDetails[] = {"_to_copy", "clone",   "contiguous", "copy_", "fill_",
                                         "flatten",  "reshape", "to",         "zero_"};

/// Of the details, those that move bytes themselves.
constexpr std::string_view kWrites[] = {"copy_", "fill_", "zero_"};

// Identities in inference; with children they are wrappers like any other.
constexpr std::string_view kNoWorkAlone[] = {"alpha_dropout", "dropout", "dropout_", "feature_dropout"};

template <size_t N>
constexpr bool isSorted(const std::string_view (&names)[N]) {
  return std::is_sorted(std::begin(names), std::end(names));
}
static_assert(isSorted(kNoWork) && isSorted(kDetails) && isSorted(kWrites) && isSorted(kNoWorkAlone));

template <size_t N>
bool contains(const std::string_view (&names)[N], std::string_view name) {
  return std::binary_search(std::begin(names), std::end(names), name);
}

enum class Role : uint8_t { Wrapper, NoWork, Detail, Work };

Role roleOf(std::string_view name, bool hasChildren) {
  if (name.find("::") == std::string_view::npos || name.starts_with("autograd::") ||
      name.starts_with("torch::autograd::") || name.starts_with("profiler::"))
    return Role::Wrapper;
  if (!name.starts_with("aten::")) return Role::Work;
  const std::string_view base = name.substr(6);
  if (contains(kNoWork, base) || (!hasChildren && contains(kNoWorkAlone, base))) return Role::NoWork;
  return contains(kDetails, base) ? Role::Detail : Role::Work;
}

bool writes(std::string_view name) { return name.starts_with("aten::") && contains(kWrites, name.substr(6)); }

}  // namespace

void markCpuWork(EventTable& table) {
  std::vector<Row> operators;
  const std::vector<Row> outer = enclosingOperators(table);
  std::vector<bool> hasChildren(table.size(), false);
  for (Row event = 0; event < table.size(); ++event) {
    if (table.kind[event] != EventKind::Operator) continue;
    operators.push_back(event);
    if (outer[event] != kNoRow) hasChildren[outer[event]] = true;
  }

  // A parent's index is lower than its children's: inwards is forwards, outwards is backwards.
  std::vector<bool> workInside(table.size(), false);
  std::vector<bool> writesInside(table.size(), false);
  for (auto at = operators.rbegin(); at != operators.rend(); ++at) {
    const std::string_view name = table.text(table.name[*at]);
    if (writes(name)) writesInside[*at] = true;
    if (outer[*at] == kNoRow) continue;
    if (workInside[*at] || roleOf(name, hasChildren[*at]) == Role::Work) workInside[outer[*at]] = true;
    if (writesInside[*at]) writesInside[outer[*at]] = true;
  }

  std::vector<bool> settled(table.size(), false);  // the operator is an event, is inside one, or has no work in it
  for (Row event : operators) {
    if (outer[event] != kNoRow && settled[outer[event]]) {
      settled[event] = true;
      continue;
    }
    const Role role = roleOf(table.text(table.name[event]), hasChildren[event]);
    if (role == Role::Wrapper || workInside[event]) continue;
    settled[event] = true;
    if (role == Role::NoWork || (role == Role::Detail && !writesInside[event])) continue;
    table.deviceWork[event] = true;
    table.launch[event] = event;
    table.launchOp[event] = event;
  }
}

}  // namespace amdahlc
