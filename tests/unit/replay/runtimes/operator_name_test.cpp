#include "replay/runtimes/operator_name.h"

#include <doctest/doctest.h>

#include "replay/runtimes/runtime.h"

using namespace amdahlc;

TEST_CASE("an exporter's target is the operator without namespace, overload and in-place underscore") {
  CHECK(originOperator("aten.addmm.default") == "addmm");
  CHECK(originOperator("aten::relu_") == "relu");
  CHECK(originOperator("addmm") == "addmm");
  CHECK(originOperator("aten::__and__") == "__and");
  CHECK(originOperator("_") == "_");
  CHECK(originOperator("").empty());
}

TEST_CASE("names of one operator in ONNX and in a framework compare equal or alike") {
  CHECK(comparableName("aten::layer_norm") == "layernorm");
  CHECK(comparableName("ReduceMean") == "mean");
  CHECK(comparableName("").empty());
}

TEST_CASE("each runtime has its own prefixes for variants of an operator") {
  const RuntimeAdapter& pytorch = runtimeAdapter("pytorch");
  CHECK(pytorch.comparableName("aten::native_layer_norm") == "layernorm");
  CHECK(pytorch.comparableName("aten::cudnn_convolution") == "convolution");
  CHECK(pytorch.comparableName("aten::mean") == "mean");
  CHECK(pytorch.comparableName("native") == "native");
  CHECK(runtimeAdapter("other").comparableName("native_layer_norm") == "nativelayernorm");
}
