/// Makes names of operators comparable that runtimes, exporters and ONNX write.
#pragma once

#include <string>
#include <string_view>

namespace amdahlc {

/// The operator that an exporter names as the origin of a node: `aten.addmm.default` and `aten::addmm_` are `addmm`,
/// without namespace, overload and the underscore of in-place variants.
std::string_view originOperator(std::string_view target);

/// The same with its namespace, as runtimes write it: `aten::addmm`.
std::string originCall(std::string_view target);

/// The spelling for comparison: lower case letters and digits only, without namespace and without ONNX's prefix
/// `Reduce`: `aten::layer_norm` is `layernorm`, `ReduceMean` is `mean`. `RuntimeAdapter::comparableName` also removes
/// prefixes for variants of an operator.
std::string comparableName(std::string_view name);

}  // namespace amdahlc
