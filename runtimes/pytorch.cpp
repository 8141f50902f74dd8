#include "runtimes/pytorch.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "runtimes/name_list.h"

namespace amdahlc {
namespace {

constexpr std::string_view kStep = "ProfilerStep#";
constexpr std::string_view kModule = "nn.Module: ";
constexpr std::string_view kOperators = "aten::";
constexpr std::string_view kGradient = "autograd::engine::evaluate_function: ";
constexpr std::string_view kOptimizer = "Optimizer.";
constexpr std::string_view kKernelNamespaces[] = {"at::native::", "at::cuda::", "c10::"};

constexpr std::string_view kOperatorVariants[] = {"native", "cudnn", "miopen", "mkldnn"};

// Sorted, without their namespace `aten::`.
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

/// Operators of the role `Detail` that move bytes themselves.
constexpr std::string_view kWrites[] = {"copy_", "fill_", "zero_"};

// In inference they call nothing.
constexpr std::string_view kIdentitiesInInference[] = {"alpha_dropout", "dropout", "dropout_", "feature_dropout"};

/// Regions of `torch.compile`, from Dynamo, AOTAutograd and Inductor, and the kernels in them. Bookkeeping of the same
/// compiler (`TorchDynamo Cache Lookup`) runs none.
constexpr std::string_view kGenerated[] = {
    "Torch-Compiled Region", "CompiledFunction", "## Call CompiledFxGraph", "graph_", "triton_", "cpp_fused_"};

template <size_t N>
constexpr bool isSorted(const std::string_view (&names)[N]) {
  return std::is_sorted(std::begin(names), std::end(names));
}
static_assert(isSorted(kNoWork) && isSorted(kDetails) && isSorted(kWrites) && isSorted(kIdentitiesInInference));

}  // namespace

bool PyTorchRuntime::isStep(std::string_view annotation) const {
  return annotation.starts_with(kStep) && annotation.size() > kStep.size() &&
         annotation.find_first_not_of("0123456789", kStep.size()) == std::string_view::npos;
}

std::optional<int64_t> PyTorchRuntime::stepNumber(std::string_view annotation) const {
  if (!isStep(annotation)) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(annotation.data() + kStep.size(), annotation.data() + annotation.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

bool PyTorchRuntime::isModuleCall(std::string_view frame) const { return frame.starts_with(kModule); }

std::string_view PyTorchRuntime::moduleInstance(std::string_view frame) const {
  if (isModuleCall(frame)) frame.remove_prefix(kModule.size());
  return frame;
}

std::string_view PyTorchRuntime::moduleClass(std::string_view instance) const {
  return instance.substr(0, instance.rfind('_'));
}

bool PyTorchRuntime::isOperatorCall(std::string_view name) const { return name.find("::") != std::string_view::npos; }

bool PyTorchRuntime::isGeneratedCode(std::string_view name) const {
  return std::any_of(std::begin(kGenerated), std::end(kGenerated),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// `autograd::engine::evaluate_function: AddmmBackward0`, `Optimizer.step#AdamW.step`.
TrainingPhase PyTorchRuntime::phase(std::string_view name) const {
  if (name.starts_with(kGradient)) return TrainingPhase::Backward;
  return name.starts_with(kOptimizer) && name.find('#') != std::string_view::npos ? TrainingPhase::Optimizer
                                                                                  : TrainingPhase::Forward;
}

std::string_view PyTorchRuntime::phaseStep(std::string_view name) const {
  if (name.starts_with(kGradient)) name.remove_prefix(kGradient.size());
  return name;
}

OperatorRole PyTorchRuntime::role(std::string_view operatorName, bool hasChildren) const {
  if (!isOperatorCall(operatorName) || operatorName.starts_with("autograd::") ||
      operatorName.starts_with("torch::autograd::") || operatorName.starts_with("profiler::"))
    return OperatorRole::Wrapper;
  if (!operatorName.starts_with(kOperators)) return OperatorRole::Work;
  const std::string_view base = operatorName.substr(kOperators.size());
  if (contains(kNoWork, base) || (!hasChildren && isIdentityInInference(operatorName))) return OperatorRole::NoWork;
  return contains(kDetails, base) ? OperatorRole::Detail : OperatorRole::Work;
}

bool PyTorchRuntime::isIdentityInInference(std::string_view operatorName) const {
  return operatorName.starts_with(kOperators) &&
         contains(kIdentitiesInInference, operatorName.substr(kOperators.size()));
}

bool PyTorchRuntime::writes(std::string_view operatorName) const {
  return operatorName.starts_with(kOperators) && contains(kWrites, operatorName.substr(kOperators.size()));
}

// `cudaLaunchKernel`, `cuLaunchKernelEx`, `hipExtModuleLaunchKernel`, `cudaGraphLaunch`.
bool PyTorchRuntime::isKernelLaunch(std::string_view call) const {
  return call.find("Launch") != std::string_view::npos;
}

std::span<const std::string_view> PyTorchRuntime::kernelNamespaces() const { return kKernelNamespaces; }

std::span<const std::string_view> PyTorchRuntime::operatorVariants() const { return kOperatorVariants; }

}  // namespace amdahlc
