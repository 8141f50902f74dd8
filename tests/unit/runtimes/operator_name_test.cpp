#include "runtimes/operator_name.h"

#include <doctest/doctest.h>

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
  CHECK(comparableName("aten::native_layer_norm") == "layernorm");
  CHECK(comparableName("ReduceMean") == "mean");
  CHECK(comparableName("aten::cudnn_convolution") == "convolution");
  CHECK(comparableName("native") == "native");
  CHECK(comparableName("").empty());
}
