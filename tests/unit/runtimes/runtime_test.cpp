#include "runtimes/runtime.h"

#include <doctest/doctest.h>

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
  CHECK(runtime.isOperatorCall("aten::addmm"));
  CHECK_FALSE(runtime.isOperatorCall("Torch-Compiled Region: 0/0"));
  CHECK(runtime.kernelNamespaces().size() == 3);
}

TEST_CASE("PyTorch's operators on a CPU have roles") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  CHECK(runtime.role("aten::addmm", true) == OperatorRole::Work);
  CHECK(runtime.role("mylib::op", false) == OperatorRole::Work);
  CHECK(runtime.role("aten::view", false) == OperatorRole::NoWork);
  CHECK(runtime.role("aten::dropout", false) == OperatorRole::NoWork);
  CHECK(runtime.role("aten::dropout", true) == OperatorRole::Work);
  CHECK(runtime.role("aten::reshape", true) == OperatorRole::Detail);
  CHECK(runtime.role("autograd::engine::evaluate_function", true) == OperatorRole::Wrapper);
  CHECK(runtime.role("CompiledFunction", true) == OperatorRole::Wrapper);
  CHECK(runtime.isIdentityInInference("aten::dropout"));
  CHECK_FALSE(runtime.isIdentityInInference("aten::relu"));
  CHECK(runtime.writes("aten::copy_"));
  CHECK_FALSE(runtime.writes("aten::clone"));
}

TEST_CASE("PyTorch's training steps have phases") {
  const RuntimeAdapter& runtime = runtimeAdapter("pytorch");
  CHECK(runtime.phase("autograd::engine::evaluate_function: AddmmBackward0") == TrainingPhase::Backward);
  CHECK(runtime.phaseStep("autograd::engine::evaluate_function: AddmmBackward0") == "AddmmBackward0");
  CHECK(runtime.phase("Optimizer.step#AdamW.step") == TrainingPhase::Optimizer);
  CHECK(runtime.phase("Optimizer.zero_grad#SGD.zero_grad") == TrainingPhase::Optimizer);
  CHECK(runtime.phase("Optimizer.py") == TrainingPhase::Forward);
  CHECK(runtime.phase("aten::addmm") == TrainingPhase::Forward);
  CHECK(runtime.phase("ProfilerStep#1") == TrainingPhase::Forward);
}

TEST_CASE("for an unknown runtime every operator is work, and no name is a step or a module") {
  const RuntimeAdapter& runtime = runtimeAdapter("jax");
  CHECK(runtime.role("aten::view", false) == OperatorRole::Work);
  CHECK_FALSE(runtime.isStep("ProfilerStep#1"));
  CHECK_FALSE(runtime.isModuleCall("nn.Module: Linear_4"));
  CHECK(runtime.moduleInstance("f") == "f");
  CHECK(runtime.phase("Optimizer.step#SGD.step") == TrainingPhase::Forward);
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
  CHECK(runtime.namedNodes("/Fusion") == Names{"/Fusion"});
  CHECK(runtime.namedNodes("Gelu") == Names{"Gelu"});
  CHECK(runtime.isLayoutConversion("ReorderOutput", "ReorderOutput_token_3"));
  CHECK(runtime.isLayoutConversion("Reshape", "gemm_input_reshape_token_2"));
  CHECK_FALSE(runtime.isLayoutConversion("Reshape", "/a/Reshape"));
}
