// The names in traces of PyTorch's profiler.
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "replay/runtimes/adapters.h"
#include "support/decimal_time.h"
#include "support/limits.h"
#include "support/name_list.h"

namespace amdahlc {
namespace {

constexpr std::string_view kStep = "ProfilerStep#";
constexpr std::string_view kModule = "nn.Module: ";
constexpr std::string_view kOperators = "aten::";
constexpr std::string_view kGradient = "autograd::engine::evaluate_function: ";
constexpr std::string_view kOptimizer = "Optimizer.";
// An annotation of the framework around the call of a module that several ranks train.
constexpr std::string_view kDistributedForward = "DistributedDataParallel.forward";
// Operators between ranks, and the annotations of their back ends.
constexpr std::string_view kCollectives[] = {
    "_c10d_functional", "c10d::", "c10d_functional::", "gloo:", "mpi:", "nccl:", "record_param_comms", "ucc:", "xccl:"};
// Behind it is the class of the iterator, and its method.
constexpr std::string_view kDataLoading[] = {"enumerate(DataLoader)#", "enumerate(DataPipe)#"};
constexpr std::string_view kKernelNamespaces[] = {"at::native::", "at::cuda::", "c10::"};

/// Beginnings of frames of functions that are not of the program.
constexpr std::string_view kLibraryFiles[] = {"torch/",     "contextlib.py(", "functools.py(",
                                              "importlib/", "threading.py(",  "triton/"};
/// Parts of the frames of functions that compile, or try which kernel is faster.
constexpr std::string_view kCompilation[] = {"torch/_dynamo/convert_frame.py(", "torch/_inductor/async_compile.py(",
                                             "triton/compiler/compiler.py(",    ": compile_fx_inner",
                                             ": fx_codegen_and_compile",        ": benchmark_all_configs",
                                             ": autotune_to_one_config"};
/// Functions of activation checkpointing that compute again.
constexpr std::string_view kRecomputation[] = {": unpack_hook", ": recompute_fn", ": backward"};
/// Operators of which the sizes of results depend on values.
constexpr std::string_view kSizesOfValues[] = {"_unique2",          "argwhere",           "bincount",  "index",
                                               "index_put_",        "masked_select",      "nonzero",   "nonzero_numpy",
                                               "repeat_interleave", "unique_consecutive", "unique_dim"};

constexpr std::string_view kOperatorVariants[] = {"native", "cudnn", "miopen", "mkldnn"};

// Operators of the role `NoWork`, without their namespace `aten::`: those that name a tensor or a part of it, in
// another shape or order of axes, those that take memory or give it back, and those that ask for a number, or which way
// to take.
constexpr std::string_view kAliases[] = {
    "alias", "as_strided",     "as_strided_",  "conj",        "detach",          "detach_",     "imag",
    "real",  "requires_grad_", "resolve_conj", "resolve_neg", "view_as_complex", "view_as_real"};
constexpr std::string_view kParts[] = {"chunk",  "diagonal", "narrow",           "select",
                                       "slice",  "split",    "split_with_sizes", "tensor_split",
                                       "unbind", "unfold",   "unsafe_chunk",     "unsafe_split"};
constexpr std::string_view kShapes[] = {
    "_reshape_alias", "_unsafe_view", "broadcast_tensors", "broadcast_to", "expand", "expand_as", "squeeze",
    "squeeze_",       "unflatten",    "unsqueeze",         "unsqueeze_",   "view",   "view_as"};
constexpr std::string_view kAxes[] = {"movedim", "numpy_T", "permute",   "swapaxes",
                                      "t",       "t_",      "transpose", "transpose_"};
constexpr std::string_view kAllocations[] = {"empty",   "empty_like", "empty_permuted", "empty_strided",
                                             "lift",    "lift_fresh", "new_empty",      "new_empty_strided",
                                             "resize_", "resize_as_", "set_",           "set_data"};
constexpr std::string_view kScalars[] = {"_local_scalar_dense", "is_nonzero", "is_same_size", "item",
                                         "result_type",         "size",       "sym_size"};
constexpr std::string_view kChoices[] = {"_fused_sdp_choice", "_nnpack_available", "cudnn_is_acceptable"};

constexpr std::string_view kDetails[] = {"_to_copy", "clone",   "contiguous", "copy_",   "fill_",
                                         "flatten",  "reshape", "to",         "type_as", "zero_"};

/// Operators of the role `Detail` that move bytes themselves.
constexpr std::string_view kWrites[] = {"copy_", "fill_", "zero_"};

// In inference they call nothing.
constexpr std::string_view kIdentitiesInInference[] = {"alpha_dropout", "dropout", "dropout_", "feature_dropout"};

constexpr std::string_view kCreations[] = {"arange",    "eye",           "full",     "full_like", "lift_fresh_copy",
                                           "linspace",  "new_full",      "new_ones", "new_zeros", "ones",
                                           "ones_like", "scalar_tensor", "zeros",    "zeros_like"};

/// They move data, make random input, or compute truth values.
constexpr std::string_view kBesideModel[] = {
    "all",    "allclose",    "any",         "bernoulli_",   "cat",         "concat",     "eq",      "equal",
    "ge",     "gt",          "hstack",      "isclose",      "isfinite",    "isin",       "isinf",   "isnan",
    "le",     "logical_and", "logical_not", "logical_or",   "logical_xor", "lt",         "ne",      "normal_",
    "rand",   "rand_like",   "randint",     "randint_like", "randn",       "randn_like", "random_", "randperm",
    "repeat", "stack",       "uniform_",    "vstack"};

/// Regions of `torch.compile`, from Dynamo, AOTAutograd and Inductor, and the kernels in them. Bookkeeping of the same
/// compiler (`TorchDynamo Cache Lookup`) runs none.
constexpr std::string_view kGenerated[] = {
    "Torch-Compiled Region", "CompiledFunction", "## Call CompiledFxGraph", "graph_", "triton_", "cpp_fused_"};

/// What a region does before it calls the code of its graph, or, without a compiler behind Dynamo, the operators of the
/// graph one by one: so run branches and loops of the program (`torch.cond`, `torch.while_loop`) and `flex_attention`
/// outside of `torch.compile`.
constexpr std::string_view kStepOfRegion = "Pregraph bytecode";

/// Namespaces of the frames of the autograd engine and of the profiler.
constexpr std::string_view kBookkeeping[] = {"autograd::", "torch::autograd::", "profiler::"};

/// Classes of modules, and those that they replace: modules that were fused for quantisation and keep the place of
/// their first, and layers with weights of 4 or 8 bits. The quantised classes of PyTorch itself have the names of those
/// in float.
constexpr std::pair<std::string_view, std::string_view> kReplacedClasses[] = {
    {"BNReLU2d", "BatchNorm2d"}, {"BNReLU3d", "BatchNorm3d"},
    {"ConvAdd2d", "Conv2d"},     {"ConvAddReLU2d", "Conv2d"},
    {"ConvBn1d", "Conv1d"},      {"ConvBn2d", "Conv2d"},
    {"ConvBn3d", "Conv3d"},      {"ConvBnReLU1d", "Conv1d"},
    {"ConvBnReLU2d", "Conv2d"},  {"ConvBnReLU3d", "Conv3d"},
    {"ConvReLU1d", "Conv1d"},    {"ConvReLU2d", "Conv2d"},
    {"ConvReLU3d", "Conv3d"},    {"Linear4bit", "Linear"},
    {"Linear8bitLt", "Linear"},  {"LinearBn1d", "Linear"},
    {"LinearFP4", "Linear"},     {"LinearLeakyReLU", "Linear"},
    {"LinearNF4", "Linear"},     {"LinearReLU", "Linear"},
    {"LinearTanh", "Linear"},    {"NonDynamicallyQuantizableLinear", "Linear"},
};
constexpr auto kName = &std::pair<std::string_view, std::string_view>::first;

/// Beginnings of the names of operators of which the trace has no type of an operand, and the type in which they
/// compute. The first that fits counts. A packed LSTM or GRU has one of two types.
constexpr std::pair<std::string_view, std::string_view> kTypesByName[] = {{"aten::quantized_", ""},
                                                                          {"aten::_weight_int4pack_mm", "int4"},
                                                                          {"aten::_weight_int8pack_mm", "int8"},
                                                                          {"quantized::linear_dynamic_fp16", "float16"},
                                                                          {"quantized::", "int8"},
                                                                          {"onednn::q", "int8"}};

/// Beginnings of the names of operators that take packed weights. Other operators of `quantized::`, such as a sum, have
/// none.
constexpr std::string_view kTakePackedWeights[] = {
    "aten::_weight_int4pack_mm", "aten::_weight_int8pack_mm", "aten::quantized_",      "onednn::qconv",
    "onednn::qlinear",           "quantized::conv",           "quantized::embedding_", "quantized::linear"};

/// C++ types of elements, as traces write them.
constexpr std::pair<std::string_view, std::string_view> kElementTypes[] = {{"float", "float32"},
                                                                           {"c10::BFloat16", "bfloat16"},
                                                                           {"c10::Half", "float16"},
                                                                           {"double", "float64"},
                                                                           {"signed char", "int8"},
                                                                           {"unsigned char", "uint8"},
                                                                           {"c10::Float8_e4m3fn", "float8e4m3fn"},
                                                                           {"c10::Float8_e5m2", "float8e5m2"}};

/// Those in which no operator computes alone.
constexpr std::pair<std::string_view, std::string_view> kOtherElementTypes[] = {{"long int", "int64"},
                                                                                {"long", "int64"},
                                                                                {"int", "int32"},
                                                                                {"short int", "int16"},
                                                                                {"short", "int16"},
                                                                                {"bool", "bool"},
                                                                                {"c10::complex<float>", "complex64"},
                                                                                {"c10::complex<double>", "complex128"}};

template <size_t N>
constexpr bool isSorted(const std::string_view (&names)[N]) {
  return std::ranges::is_sorted(names);
}
static_assert(isSorted(kAliases) && isSorted(kParts) && isSorted(kShapes) && isSorted(kAxes) &&
              isSorted(kAllocations) && isSorted(kScalars) && isSorted(kChoices) && isSorted(kDetails) &&
              isSorted(kWrites) && isSorted(kIdentitiesInInference) && isSorted(kCreations) && isSorted(kBesideModel) &&
              isSorted(kSizesOfValues));

constexpr std::string_view kDigits = "0123456789";

/// Few operators have names half as long.
constexpr size_t kLongestOperator = 128;

/// Without the namespace.
bool isWithoutWork(std::string_view name) {
  return contains(kAliases, name) || contains(kParts, name) || contains(kShapes, name) || contains(kAxes, name) ||
         contains(kAllocations, name) || contains(kScalars, name) || contains(kChoices, name);
}

/// Whether the operator is PyTorch's own and in the list, which leaves out the namespace.
template <size_t N>
bool isOneOf(const std::string_view (&names)[N], std::string_view operatorName) {
  return operatorName.starts_with(kOperators) && contains(names, operatorName.substr(kOperators.size()));
}

/// The name of a kernel of Inductor behind `triton_poi_fused` or `graph_0_cpp_fused`; empty for another name. The three
/// letters are the kind of the kernel: pointwise, looped reduction, persistent reduction, template, horizontal.
std::string_view withoutKernelPrefix(std::string_view name) {
  constexpr std::string_view kTriton = "triton_", kGraph = "graph_", kCpp = "cpp_fused", kFused = "_fused";
  constexpr size_t kKindLetters = 3;
  if (name.starts_with(kTriton)) {
    name.remove_prefix(kTriton.size());
    const size_t kind = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    if (kind != kKindLetters) return {};
    name.remove_prefix(kind);
    if (!name.starts_with(kFused)) return {};
    name.remove_prefix(kFused.size());
  } else {
    if (name.starts_with(kGraph)) {
      name.remove_prefix(std::min(name.find_first_not_of(kDigits, kGraph.size()), name.size()));
      if (!name.starts_with('_')) return {};
      name.remove_prefix(1);
    }
    if (!name.starts_with(kCpp)) return {};
    name.remove_prefix(kCpp.size());
  }
  return name.starts_with('_') ? name : std::string_view();
}

/// Steps are `ProfilerStep#3`, calls of modules `nn.Module: Linear_4` (the fifth instance of the class), operators
/// `aten::addmm`. Operator events without a namespace are regions of a compiler or a profiler, or kernels that Inductor
/// generated, which count as operators.
class PyTorchRuntime final : public RuntimeAdapter {
 public:
  std::string_view remedy(Remedy kind) const override {
    switch (kind) {
      case Remedy::FuseAttention:
        return "`torch.nn.functional.scaled_dot_product_attention`";
      case Remedy::Compile:
        return "`torch.compile`, or a kernel of its own";
      case Remedy::Epilogue:
        return "`torch.compile(mode=\"max-autotune\")`, or a kernel of its own";
      case Remedy::Graph:
        return "`torch.compile(mode=\"reduce-overhead\")`, or `torch.cuda.graph`";
      case Remedy::OverlapCopies:
        return "`pin_memory()`, and `to(device, non_blocking=True)` in a stream of its own";
      case Remedy::Tf32:
        return "`torch.set_float32_matmul_precision(\"high\")`, and `torch.backends.cudnn.allow_tf32`";
      case Remedy::NarrowTypes:
      case Remedy::NarrowTypesOnHost:
        return "`torch.autocast` with `torch.bfloat16`, or a model of that type";
      case Remedy::NarrowModel:
        return "`model.to(torch.bfloat16)`, as autocast would convert the weights in each forward";
      case Remedy::Quantize:
        return "`quantize_` of torchao";
      case Remedy::QuantizeAll:
        return "`prepare_pt2e` and `convert_pt2e` of torchao, with a calibration between them";
      case Remedy::ChannelsLast:
        return "`to(memory_format=torch.channels_last)` of the model and its input";
      case Remedy::FuseUpdate:
        return "`fused=True` of the optimizer, or `foreach=True` where it has none";
      case Remedy::LoadAhead:
        return "`DataLoader` with more `num_workers`, with `prefetch_factor` and `pin_memory=True`";
      case Remedy::ReadLater:
        return "no `.item()`, `.cpu()` or `if` on a tensor; `torch.where`, or `to(\"cpu\", non_blocking=True)` and a "
               "read "
               "after the step";
      case Remedy::FixedSizes:
        return "`torch.where` or a product with the mask, not `nonzero` or an index by a mask";
      case Remedy::CompileOnce:
        return "a warm-up with all shapes, `mark_dynamic` or `torch.compile(dynamic=True)`; `TORCH_LOGS=recompiles` "
               "tells why";
      case Remedy::KeepMemory:
        return "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, a smaller batch, or `torch.utils.checkpoint`";
      case Remedy::KeepResults:
        return "no `torch.utils.checkpoint` around these modules, or one with a policy that keeps products "
               "(`create_selective_checkpoint_contexts`)";
      case Remedy::RecordFunctions:
        return "record with `with_stack=True`";
      case Remedy::RecordShapes:
        return "record with `record_shapes=True`";
      case Remedy::OverlapCommunication:
        return "`DistributedDataParallel` or FSDP with smaller buckets (`bucket_cap_mb`) and prefetching, `no_sync()` "
               "where gradients accumulate, `bf16_compress_hook`";
    }
    return {};
  }

  bool isStep(std::string_view annotation) const override {
    return annotation.starts_with(kStep) && isDigits(annotation.substr(kStep.size()));
  }

  std::optional<int64_t> stepNumber(std::string_view annotation) const override {
    return isStep(annotation) ? parseWhole(annotation.substr(kStep.size())) : std::nullopt;
  }

  bool isModuleCall(std::string_view frame) const override { return frame.starts_with(kModule); }

  std::string_view moduleInstance(std::string_view frame) const override {
    if (isModuleCall(frame)) frame.remove_prefix(kModule.size());
    return frame;
  }

  std::string_view moduleClass(std::string_view instance) const override {
    return instance.substr(0, instance.rfind('_'));
  }

  std::string_view replacedClass(std::string_view moduleClass) const override {
    const auto* found = std::ranges::find(kReplacedClasses, moduleClass, kName);
    return found == std::end(kReplacedClasses) ? moduleClass : found->second;
  }

  bool isOperatorCall(std::string_view name) const override {
    return name.find("::") != std::string_view::npos || !withoutKernelPrefix(name).empty();
  }

  bool isGeneratedCode(std::string_view name) const override { return startsWithOneOf(kGenerated, name); }

  bool isStepOfRegion(std::string_view name) const override { return name == kStepOfRegion; }

  /// `triton_poi_fused_add_relu_3`, `cpp_fused_add_relu_3` and `graph_0_cpp_fused_add_relu_3` list `add_relu`.
  std::string_view operatorList(std::string_view kernelName) const override {
    std::string_view list = withoutKernelPrefix(kernelName);
    // Triton before version 3 appends the indices of specialised arguments to the running number: `_0d1d2de`.
    if (const size_t last = list.find_last_not_of("0123456789cde");
        last != std::string_view::npos && list[last] == '_' && list.find('d', last) != std::string_view::npos &&
        list.find_first_of(kDigits, last) == last + 1)
      list = list.substr(0, last);
    const size_t last = list.find_last_not_of(kDigits);
    if (last == std::string_view::npos || last == 0 || last + 1 == list.size() || list[last] != '_') return {};
    return list.substr(1, last - 1);
  }

  /// Inductor lists the ATen operators before their decomposition, without namespace and overload, each once, sorted
  /// and joined by `_`.
  std::vector<std::string> listedOperators(std::string_view list,
                                           const std::function<bool(std::string_view)>& isOperator) const override {
    std::vector<std::string> operators;
    if (list.size() > limits::kListedOperatorsBytes) return operators;
    // A reading of the list from `begin` on that begins with the name [begin, end): its number of names, how many
    // readings have as few, and where the next name begins and ends.
    struct Reading {
      size_t names = std::numeric_limits<size_t>::max();
      size_t ways = 0;
      std::pair<size_t, size_t> next;
    };
    std::map<std::pair<size_t, size_t>, Reading> readings;  // by [begin, end)
    const auto isName = [&](std::string_view name) {
      return isWithoutWork(name) || contains(kDetails, name) || contains(kCreations, name) ||
             isOperator(std::string(kOperators) += name);
    };
    const auto nameOf = [&](std::pair<size_t, size_t> range) {
      return list.substr(range.first, range.second - range.first);
    };
    std::vector<size_t> ends;
    for (size_t at = 0; at <= list.size(); ++at)
      if (at == list.size() || list[at] == '_') ends.push_back(at);
    const auto take = [](Reading& best, const Reading& rest, std::pair<size_t, size_t> next) {
      if (rest.names + 1 < best.names)
        best = {rest.names + 1, rest.ways, next};
      else if (rest.names + 1 == best.names)
        best.ways = std::min<size_t>(2, best.ways + rest.ways);
    };
    std::vector<size_t> begins{0};
    for (const size_t end : ends)
      if (end + 1 < list.size()) begins.push_back(end + 1);
    for (auto begin = begins.rbegin(); begin != begins.rend(); ++begin) {
      for (auto at = std::ranges::upper_bound(ends, *begin); at != ends.end(); ++at) {
        const size_t end = *at;
        const std::pair range{*begin, end};
        if (end > *begin + kLongestOperator) break;
        const auto rest = readings.lower_bound({end + 1, 0});
        const bool isReadable = end == list.size() || (rest != readings.end() && rest->first.first == end + 1);
        if (!isReadable || !isName(nameOf(range))) continue;
        Reading best;
        if (end == list.size()) best = {1, 1, {end, end}};
        for (auto next = rest; next != readings.end() && next->first.first == end + 1; ++next)
          if (nameOf(range) < nameOf(next->first)) take(best, next->second, next->first);
        if (best.ways > 0) readings.emplace(range, best);
      }
    }
    Reading whole;
    for (const auto& [range, reading] : readings)
      if (range.first == 0) take(whole, reading, range);
    if (whole.ways != 1) return operators;
    for (auto at = whole.next; at.first < list.size(); at = readings.at(at).next)
      operators.push_back(std::string(kOperators) += nameOf(at));
    return operators;
  }

  /// `c10d::allreduce_`, `autograd::engine::evaluate_function: AddmmBackward0`, `Optimizer.step#AdamW.step`.
  Phase phase(std::string_view name) const override {
    if (startsWithOneOf(kCollectives, name)) return Phase::Communication;
    if (name.starts_with(kOptimizer) && name.find('#') != std::string_view::npos) return Phase::Optimizer;
    if (name.starts_with(kGradient)) return Phase::Backward;
    if (isDataLoading(name)) return Phase::Data;
    return name == kDistributedForward ? Phase::Forward : Phase::Other;
  }

  std::string_view phaseStep(std::string_view name) const override {
    if (name.starts_with(kGradient)) name.remove_prefix(kGradient.size());
    return name;
  }

  OperatorRole role(std::string_view operatorName, bool hasChildren) const override {
    if (!isOperatorCall(operatorName) || startsWithOneOf(kBookkeeping, operatorName)) return OperatorRole::Wrapper;
    if ((operatorName.starts_with(kOperators) && isWithoutWork(operatorName.substr(kOperators.size()))) ||
        (!hasChildren && isIdentityInInference(operatorName)))
      return OperatorRole::NoWork;
    return isOneOf(kDetails, operatorName) ? OperatorRole::Detail : OperatorRole::Work;
  }

  bool isIdentityInInference(std::string_view operatorName) const override {
    return isOneOf(kIdentitiesInInference, operatorName);
  }

  bool createsConstant(std::string_view operatorName) const override { return isOneOf(kCreations, operatorName); }

  bool isBesideModel(std::string_view operatorName) const override { return isOneOf(kBesideModel, operatorName); }

  bool writes(std::string_view operatorName) const override { return isOneOf(kWrites, operatorName); }

  std::string_view computedType(std::string_view operatorName,
                                std::span<const std::string> operandTypes) const override {
    if (isOneOf(kDetails, operatorName)) return {};
    for (const auto& [prefix, type] : kTypesByName)
      if (operatorName.starts_with(prefix)) return type;
    for (const std::string& operand : operandTypes)
      if (const auto* type = std::ranges::find(kElementTypes, operand, kName); type != std::end(kElementTypes))
        return type->second;
    return {};
  }

  std::string_view elementType(std::string_view written) const override {
    if (const auto* type = std::ranges::find(kElementTypes, written, kName); type != std::end(kElementTypes))
      return type->second;
    const auto* const other = std::ranges::find(kOtherElementTypes, written, kName);
    return other == std::end(kOtherElementTypes) ? std::string_view() : other->second;
  }

  bool takesPackedWeights(std::string_view operatorName) const override {
    return startsWithOneOf(kTakePackedWeights, operatorName);
  }

  /// `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`
  bool isDataLoading(std::string_view name) const override { return startsWithOneOf(kDataLoading, name); }

  /// `torch/utils/data/dataloader.py(701): __next__`
  bool isLoadingFrame(std::string_view frame) const override {
    return frame.find("torch/utils/data/dataloader.py(") != std::string_view::npos && frame.ends_with("): __next__");
  }

  /// `torch/nn/modules/module.py(1775): _call_impl`, `<built-in method item of Tensor object at 0x7f>`,
  /// `contextlib.py(120): decorate`; a file of the program stands with a folder that is none of these, or alone.
  bool isLibraryFrame(std::string_view frame) const override {
    return frame.starts_with('<') || isModuleCall(frame) || startsWithOneOf(kLibraryFiles, frame) ||
           frame.find("/torch/") != std::string_view::npos || frame.find("-packages/") != std::string_view::npos;
  }

  /// `<string>(2): __init__`, and not `<built-in method read>`
  bool isMadeCode(std::string_view frame) const override {
    return frame.starts_with('<') && !frame.starts_with("<built-in");
  }

  /// `torch/utils/checkpoint.py(1351): unpack_hook`; with `use_reentrant`, `torch/utils/checkpoint.py(281): backward`
  /// in `autograd::engine::evaluate_function: CheckpointFunctionBackward`.
  bool isRecomputation(std::string_view name) const override {
    if (name.starts_with(kGradient)) return phaseStep(name) == "CheckpointFunctionBackward";
    return name.find("torch/utils/checkpoint.py(") != std::string_view::npos &&
           std::ranges::any_of(kRecomputation, [&](std::string_view function) { return name.ends_with(function); });
  }

  /// `aten::_fused_adamw_`, `FusedAdam`
  bool isFusedUpdate(std::string_view name) const override {
    return name.find("fused") != std::string_view::npos || name.find("Fused") != std::string_view::npos;
  }

  /// `aten::_foreach_add_`
  bool isUpdateOfLists(std::string_view name) const override { return name.find("foreach") != std::string_view::npos; }

  /// `_compile.compile_inner (dynamo_timed)`, `torch/_inductor/compile_fx.py(690): compile_fx_inner`
  bool isCompilation(std::string_view name) const override {
    if (name.ends_with("(dynamo_timed)")) return true;
    return std::ranges::any_of(kCompilation,
                               [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
  }

  bool hasSizeOfValues(std::string_view operatorName) const override { return isOneOf(kSizesOfValues, operatorName); }

  bool writesInPlace(std::string_view operatorName) const override {
    return operatorName.ends_with('_') && operatorName.find("::") != operatorName.npos;
  }

  std::span<const std::string_view> kernelNamespaces() const override { return kKernelNamespaces; }

  std::span<const std::string_view> operatorVariants() const override { return kOperatorVariants; }
};

}  // namespace

const RuntimeAdapter& pyTorchAdapter() {
  static const PyTorchRuntime kAdapter;
  return kAdapter;
}

}  // namespace amdahlc
