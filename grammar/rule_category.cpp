#include "grammar/rule_category.h"

#include <algorithm>
#include <initializer_list>

namespace amdahlc::grammar {

std::string_view categoryOf(const std::vector<std::string>& types) {
  const auto count = [&](std::initializer_list<std::string_view> wanted) {
    return std::ranges::count_if(
        types, [&](const std::string& type) { return std::ranges::find(wanted, type) != wanted.end(); });
  };
  const auto some = [&](auto test) { return std::ranges::any_of(types, test); };
  const auto contractions = count({"MatMul", "Gemm", "MatMulInteger", "QLinearMatMul", "Einsum"});
  const auto softmax = count({"Softmax", "LogSoftmax"});
  if ((contractions > 1 && softmax > 0) || count({"Attention", "MultiHeadAttention"}) > 0) return "attention";
  if (some([](const std::string& type) { return type.starts_with("Conv"); })) return "convolution";
  if (contractions > 0) return "gemm";
  if (some([](const std::string& type) { return type.ends_with("Normalization"); })) return "normalization";
  if (softmax > 0) return "softmax";
  if (count({"Erf", "Gelu", "FastGelu", "Relu", "LeakyRelu", "PRelu", "Elu", "Selu", "Celu", "Sigmoid", "HardSigmoid",
             "HardSwish", "Tanh", "Softplus", "Softsign", "Mish"}) > 0)
    return "activation";
  if (some([](const std::string& type) { return type.ends_with("Pool"); })) return "pooling";
  if (some([](const std::string& type) { return type.starts_with("Reduce"); })) return "reduction";
  const auto all = static_cast<ptrdiff_t>(types.size());
  if (count({"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"}) == all) return "indexing";
  if (count({"Concat", "Split", "Slice", "Pad", "Tile", "Expand"}) == all) return "copy";
  return "elementwise";
}

}  // namespace amdahlc::grammar
