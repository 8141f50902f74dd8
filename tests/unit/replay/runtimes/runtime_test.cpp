#include "replay/runtimes/runtime.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace amdahlc;

TEST_CASE("PyTorch's steps, calls of modules and operators are known by their names") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  CHECK(runtime.isStep("ProfilerStep#12"));
  CHECK_FALSE(runtime.isStep("ProfilerStep#"));
  CHECK_FALSE(runtime.isStep("ProfilerStep#1a"));
  CHECK(runtime.isModuleCall("nn.Module: Linear_4"));
  CHECK_FALSE(runtime.isModuleCall("torch/nn/functional.py(12): relu"));
  CHECK(runtime.moduleInstance("nn.Module: Linear_4") == "Linear_4");
  CHECK(runtime.moduleClass("Linear_4") == "Linear");
  CHECK(runtime.moduleClass("My_Block_0") == "My_Block");
  CHECK(runtime.replacedClass("ConvReLU2d") == "Conv2d");
  CHECK(runtime.replacedClass("Conv2d") == "Conv2d");
  CHECK(runtimeAdapter("onnxruntime").replacedClass("ConvReLU2d") == "ConvReLU2d");
  CHECK(runtime.isOperatorCall("aten::addmm"));
  CHECK_FALSE(runtime.isOperatorCall("Torch-Compiled Region: 0/0"));
  CHECK(runtime.kernelNamespaces().size() == 3);
  CHECK(runtime.isDataLoading("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"));
  CHECK_FALSE(runtime.isDataLoading("DataLoader"));
  CHECK(runtime.isLoadingFrame("torch/utils/data/dataloader.py(701): __next__"));
  CHECK_FALSE(runtime.isLoadingFrame("torch/utils/data/dataloader.py(701): _next_data"));
  CHECK(runtime.isLibraryFrame("torch/nn/modules/module.py(1775): _call_impl"));
  CHECK(runtime.isLibraryFrame("<built-in method item of Tensor object at 0x7f>"));
  CHECK_FALSE(runtime.isLibraryFrame("train.py(12): step"));
  CHECK(runtime.isCompilation("_compile.compile_inner (dynamo_timed)"));
  CHECK_FALSE(runtime.isCompilation("TorchDynamo Cache Lookup"));
  CHECK(runtime.hasSizeOfValues("aten::nonzero"));
  CHECK_FALSE(runtime.hasSizeOfValues("aten::item"));
  CHECK(runtime.writesInPlace("aten::add_"));
  CHECK_FALSE(runtime.writesInPlace("aten::add"));
  CHECK_FALSE(runtimeAdapter("onnxruntime").writesInPlace("aten::add_"));
  CHECK(runtime.isRecomputation("torch/utils/checkpoint.py(1351): unpack_hook"));
  CHECK(runtime.isRecomputation("/usr/lib/python3/dist-packages/torch/utils/checkpoint.py(281): backward"));
  CHECK(runtime.isRecomputation("autograd::engine::evaluate_function: CheckpointFunctionBackward"));
  CHECK_FALSE(runtime.isRecomputation("torch/utils/checkpoint.py(1341): pack_hook"));
  CHECK_FALSE(runtime.isRecomputation("autograd::engine::evaluate_function: AddmmBackward0"));
  CHECK(runtime.isMadeCode("<string>(2): __init__"));
  CHECK_FALSE(runtime.isMadeCode("<built-in method read of _io.BytesIO object at 0x7f>"));
  CHECK(runtime.isFusedUpdate("aten::_fused_adamw_"));
  CHECK(runtime.isUpdateOfLists("aten::_foreach_add_"));
  CHECK_FALSE(runtimeAdapter("onnxruntime").isDataLoading("enumerate(DataLoader)#_MultiProcessingDataLoaderIter"));
}

TEST_CASE("PyTorch's operators on a CPU have roles") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  CHECK(runtime.role("aten::addmm", true) == OperatorRole::Work);
  CHECK(runtime.role("mylib::op", false) == OperatorRole::Work);
  CHECK(runtime.role("aten::view", false) == OperatorRole::NoWork);
  CHECK(runtime.role("aten::dropout", false) == OperatorRole::NoWork);
  CHECK(runtime.role("aten::dropout", true) == OperatorRole::Work);
  CHECK(runtime.role("aten::reshape", true) == OperatorRole::Detail);
  CHECK(runtime.role("aten::type_as", true) == OperatorRole::Detail);
  CHECK(runtime.role("autograd::engine::evaluate_function", true) == OperatorRole::Wrapper);
  CHECK(runtime.role("CompiledFunction", true) == OperatorRole::Wrapper);
  CHECK(runtime.isIdentityInInference("aten::dropout"));
  CHECK_FALSE(runtime.isIdentityInInference("aten::relu"));
  CHECK(runtime.writes("aten::copy_"));
  CHECK_FALSE(runtime.writes("aten::clone"));
  CHECK(runtime.createsConstant("aten::arange"));
  CHECK_FALSE(runtime.createsConstant("aten::add"));
}

TEST_CASE("the type in which a call of PyTorch computes is that of its first tensor, or of packed weights") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  using Types = std::vector<std::string>;
  CHECK(runtime.computedType("aten::addmm", Types{"c10::BFloat16", "c10::BFloat16", "c10::BFloat16"}) == "bfloat16");
  CHECK(runtime.computedType("aten::linear", Types{"Scalar", "float", ""}) == "float32");
  CHECK(runtime.computedType("aten::_int_mm", Types{"signed char", "signed char"}) == "int8");
  CHECK(runtime.computedType("quantized::linear_dynamic", Types{"float", "", "Scalar"}) == "int8");
  CHECK(runtime.computedType("quantized::linear_dynamic_fp16", Types{"float", ""}) == "float16");
  CHECK(runtime.computedType("aten::quantized_lstm", Types{"float"}).empty());
  CHECK(runtime.computedType("aten::copy_", Types{"c10::BFloat16", "float"}).empty());
  CHECK(runtime.computedType("aten::mm", Types{}).empty());
  CHECK(runtimeAdapter("onnxruntime").computedType("MatMul", Types{"float"}).empty());
}

TEST_CASE("operators of PyTorch that take packed weights are products, convolutions, embeddings and recurrent layers") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  for (const char* name : {"aten::quantized_lstm", "aten::_weight_int4pack_mm_for_cpu", "quantized::linear_dynamic",
                           "quantized::conv2d_relu", "quantized::embedding_bag_byte", "onednn::qlinear_pointwise"})
    CHECK_MESSAGE(runtime.takesPackedWeights(name), name);
  for (const char* name : {"quantized::add", "quantized::cat", "quantized::mul_relu", "aten::addmm", "aten::_int_mm"})
    CHECK_MESSAGE(!runtime.takesPackedWeights(name), name);
}

TEST_CASE("the names of Inductor's kernels list operators") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  CHECK(runtime.operatorList("triton_poi_fused_add_cos_sin_0") == "add_cos_sin");
  CHECK(runtime.operatorList("triton_per_fused__softmax_12") == "_softmax");
  CHECK(runtime.operatorList("triton_poi_fused_add_0d1d2de").empty());  // without a running number
  CHECK(runtime.operatorList("triton_poi_fused_add_3_0d1d2de") == "add");
  CHECK(runtime.operatorList("triton_poi_fused_0").empty());
  CHECK(runtime.operatorList("triton_mm").empty());
  CHECK(runtime.operatorList("cpp_fused_add_relu_3") == "add_relu");
  CHECK(runtime.operatorList("graph_0_cpp_fused_add_relu_3") == "add_relu");
  CHECK(runtime.operatorList("graph_0_add_relu_3").empty());
  CHECK(runtime.operatorList("aten::add").empty());
  CHECK(runtime.isOperatorCall("triton_poi_fused_add_0"));
  CHECK_FALSE(runtime.isOperatorCall("triton_kernel"));
  CHECK(runtimeAdapter("jax").operatorList("triton_poi_fused_add_0").empty());
}

TEST_CASE("a list of operators is read where there is only one way to read it") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  const auto read = [&](std::string_view list, std::vector<std::string_view> known) {
    return runtime.listedOperators(
        list, [&](std::string_view name) { return std::find(known.begin(), known.end(), name) != known.end(); });
  };
  using Names = std::vector<std::string>;
  CHECK(read("add_native_layer_norm", {"aten::add", "aten::native_layer_norm"}) ==
        Names{"aten::add", "aten::native_layer_norm"});
  // Views need not be known: the runtime has them.
  CHECK(read("_unsafe_view_add_mean", {"aten::add", "aten::mean"}) ==
        Names{"aten::_unsafe_view", "aten::add", "aten::mean"});
  CHECK(read("add_unheard_of", {"aten::add"}).empty());
  // They are sorted, and each occurs once.
  CHECK(read("relu_add", {"aten::add", "aten::relu"}).empty());
  CHECK(read("add_add", {"aten::add"}).empty());
  // The longest names are meant; with several ways, none.
  CHECK(read("a_b", {"aten::a", "aten::b", "aten::a_b"}) == Names{"aten::a_b"});
  CHECK(read("a_b_c", {"aten::a", "aten::b_c", "aten::a_b", "aten::c"}).empty());
}

TEST_CASE("PyTorch's training steps have phases") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  CHECK(runtime.phase("autograd::engine::evaluate_function: AddmmBackward0") == Phase::Backward);
  CHECK(runtime.phaseStep("autograd::engine::evaluate_function: AddmmBackward0") == "AddmmBackward0");
  CHECK(runtime.phase("Optimizer.step#AdamW.step") == Phase::Optimizer);
  CHECK(runtime.phase("Optimizer.zero_grad#SGD.zero_grad") == Phase::Optimizer);
  CHECK(runtime.phase("Optimizer.py") == Phase::Other);
  CHECK(runtime.phase("aten::addmm") == Phase::Other);
  CHECK(runtime.phase("ProfilerStep#1") == Phase::Other);
  CHECK(runtime.phase("c10d::allreduce_") == Phase::Communication);
  CHECK(runtime.phase("_c10d_functional::all_reduce") == Phase::Communication);
  CHECK(runtime.phase("nccl:all_to_all") == Phase::Communication);
  CHECK(runtime.phase("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") == Phase::Data);
  CHECK(runtime.phase("DistributedDataParallel.forward") == Phase::Forward);
}

TEST_CASE("for an unknown runtime every operator is work, and no name is a step or a module") {
  const RuntimeAdapter& runtime = runtimeAdapter("jax");
  CHECK(runtime.role("aten::view", false) == OperatorRole::Work);
  CHECK_FALSE(runtime.isStep("ProfilerStep#1"));
  CHECK_FALSE(runtime.isModuleCall("nn.Module: Linear_4"));
  CHECK(runtime.moduleInstance("f") == "f");
  CHECK(runtime.phase("Optimizer.step#SGD.step") == Phase::Other);
  CHECK(runtime.isOperatorCall("dot"));
  CHECK(runtime.kernelNamespaces().empty());
}

TEST_CASE("names of ONNX Runtime") {
  const RuntimeAdapter& runtime = runtimeAdapter("onnxruntime");
  CHECK(runtime.isStep("SequentialExecutor::Execute"));
  CHECK_FALSE(runtime.isStep("model_run"));
  CHECK_FALSE(runtime.isOperatorCall("If"));
  CHECK(runtime.role("Loop", true) == OperatorRole::Wrapper);
  CHECK(runtime.role("Loop", false) == OperatorRole::Work);
  using Names = std::vector<std::string_view>;
  CHECK(runtime.namedNodes("/q/MatMul/MatMulAddFusion") == Names{"/q/MatMul"});
  CHECK(runtime.namedNodes("/self/MatMul/MatMulScaleFusion/") == Names{"/self/MatMul"});
  CHECK(runtime.namedNodes("/a/MatMul/MatMulScaleFusion/MatmulTransposeFusion/") == Names{"/a/MatMul"});
  CHECK(runtime.namedNodes("/relu/Relu_output_0_nchwc") == Names{"/relu/Relu_output_0"});
  CHECK(runtime.namedNodes("/view_new_reshape") == Names{"/view"});
  CHECK(runtime.namedNodes("/Fusion") == Names{"/Fusion"});
  CHECK(runtime.namedNodes("Gelu") == Names{"Gelu"});
  CHECK(runtime.isLayoutConversion("ReorderOutput", "ReorderOutput_token_3"));
  CHECK(runtime.isLayoutConversion("Reshape", "gemm_input_reshape_token_2"));
  CHECK_FALSE(runtime.isLayoutConversion("Reshape", "/a/Reshape"));
  CHECK_FALSE(runtime.isLayoutConversion("Reshape", "gemm_output_reshape_new_reshape"));
  const auto movedTypes = runtime.movedTypes("Squeeze");
  CHECK(std::vector<std::string_view>(movedTypes.begin(), movedTypes.end()) == Names{"Squeeze", "Gather"});
  CHECK(runtime.movedTypes("MatMul").empty());
}
