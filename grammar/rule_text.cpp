#include "grammar/rule_text.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "support/printable.h"

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
  const auto allAre = [&](std::initializer_list<std::string_view> wanted) {
    return std::ranges::all_of(
        types, [&](const std::string& type) { return std::ranges::find(wanted, type) != wanted.end(); });
  };
  if (allAre({"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"})) return "indexing";
  if (allAre({"Concat", "Split", "Slice", "Pad", "Tile", "Expand"})) return "copy";
  return "elementwise";
}

std::string ruleName(const std::string& name) {
  // Parts of letters, digits and `_`, with `-` between them; a number that a part begins with would be a token of its
  // own.
  bool atStart = true, plain = !name.empty();
  for (const char c : name) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    plain = plain && (letter || (!atStart && (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0)));
    atStart = c == '-';
  }
  return plain && !atStart ? name : quotedString(name);
}

std::string quotedString(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string regexOf(std::string_view text) {
  // Regular expressions of rules have no line ends; a slash would end them.
  static constexpr std::string_view kSpecial = "\\^$.|?*+()[]{}/";
  std::string out = "/";
  for (const char c : printable(text)) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + "/";
}

}  // namespace amdahlc::grammar
