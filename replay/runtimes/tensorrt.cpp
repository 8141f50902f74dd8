#include "replay/runtimes/tensorrt.h"

#include <unordered_set>

#include "replay/runtimes/adapters.h"
#include "support/decimal_time.h"
#include "support/name_list.h"

namespace amdahlc {
namespace {

constexpr std::string_view kPlus = " + ";
constexpr std::string_view kPointwise = "PWN(";
constexpr std::string_view kRangeBegin = "{ForeignNode[", kRangeEnd = "]}", kRangeDots = "...";
constexpr std::string_view kProfile = " [profile ";

/// What TensorRT puts before the name of the layer or tensor for which it inserted another layer.
constexpr std::string_view kInserted[] = {
    "Reformatting CopyNode for ", "reshape_before_",  "reshape_after_",        "squeeze_before_", "squeeze_after_",
    "unsqueeze_node_after_",      "unsqueeze_after_", "copied_squeeze_after_", "shuffle_before_", "shuffle_after_"};

/// The names in metadata. A name may hold brackets: its own end is the one before a separator, another name or the end
/// of the text.
std::vector<std::string_view> namesInMetadata(std::string_view text) {
  std::vector<std::string_view> names;
  std::unordered_set<std::string_view> known;  // looked up only
  for (size_t at = text.find(kTensorRtOnnxLayer); at != std::string_view::npos;) {
    const size_t begin = at + kTensorRtOnnxLayer.size();
    at = text.find(kTensorRtOnnxLayer, begin);
    std::string_view item = text.substr(begin, at == std::string_view::npos ? at : at - begin);
    item = item.substr(0, item.find_first_of("\x1E\x1F"));
    if (const size_t end = item.rfind(']'); end != std::string_view::npos) item = item.substr(0, end);
    if (!item.empty() && known.insert(item).second) names.push_back(item);
  }
  return names;
}

/// Calls `visit` with the parts of `text` between ` + ` outside of parentheses; with the whole text if its parentheses
/// are not balanced, as they may be in a node's name.
template <typename Visit>
void eachPart(std::string_view text, const Visit& visit) {
  std::vector<std::string_view> parts;
  int64_t depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size() && depth >= 0; ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (depth != 0 || !text.substr(at).starts_with(kPlus)) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + kPlus.size();
    at = begin - 1;
  }
  if (depth != 0) {
    visit(text);
    return;
  }
  parts.push_back(text.substr(begin));
  for (const std::string_view part : parts) visit(part);
}

/// The names in nested `PWN(a, b)`. `text` has balanced parentheses.
void addPointwise(std::string_view text, std::vector<std::string_view>& names) {
  size_t begin = 0, pointwise = 0, depth = 0;
  const auto end = [&](size_t at, size_t next) {
    if (at > begin) names.push_back(text.substr(begin, at - begin));
    begin = next;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const std::string_view separator = rest.starts_with(", ") ? ", " : rest.starts_with(kPlus) ? kPlus : "";
    if (at == begin && rest.starts_with(kPointwise)) {
      ++pointwise;
      begin = at + kPointwise.size();
      at = begin - 1;
    } else if (text[at] == '(') {
      ++depth;
    } else if (text[at] == ')' && depth > 0) {
      --depth;
    } else if (text[at] == ')' && pointwise > 0) {
      --pointwise;
      end(at, at + 1);
    } else if (depth == 0 && !separator.empty()) {
      end(at, at + separator.size());
      at = begin - 1;
    }
  }
  end(text.size(), text.size());
}

bool isRange(std::string_view part) {
  return part.starts_with(kRangeBegin) && part.ends_with(kRangeEnd) && part.find(kRangeDots) != std::string_view::npos;
}

void addNames(std::string_view part, std::vector<std::string_view>& names) {
  if (part.starts_with(kPointwise) && part.ends_with(')')) {
    addPointwise(part, names);
    return;
  }
  if (part.starts_with(kRangeBegin) && part.ends_with(kRangeEnd)) {
    std::string_view inside = part.substr(kRangeBegin.size(), part.size() - kRangeBegin.size() - kRangeEnd.size());
    const size_t dots = inside.find(kRangeDots);
    if (dots != std::string_view::npos) {
      if (dots > 0) names.push_back(inside.substr(0, dots));
      inside = inside.substr(dots + kRangeDots.size());
    }
    if (!inside.empty()) names.push_back(inside);
    return;
  }
  if (!part.empty()) names.push_back(part);
}

/// A layer is named after the nodes that it runs: `Conv_0 + Relu_1`, `PWN(PWN(Sigmoid_3), Mul_4)`,
/// `{ForeignNode[a...b]}`. Its metadata lists them: `[ONNX Layer: a]`, joined by U+001E or U+001F. Both are read.
class TensorRtRuntime final : public RuntimeAdapter {
 public:
  std::vector<std::string_view> namedNodes(std::string_view layer) const override {
    if (layer.find(kTensorRtOnnxLayer) != std::string_view::npos) return namesInMetadata(layer);
    // The rest of such a name is the layer whose tensor it copies, which has an event of its own.
    if (layer.starts_with(kInserted[0])) return {};
    std::vector<std::string_view> names;
    eachPart(tensorRtLayer(layer).name, [&](std::string_view part) { addNames(part, names); });
    return names;
  }

  std::string_view remedy(Remedy kind) const override {
    switch (kind) {
      case Remedy::Tf32:
        return "the builder flag `TF32`";
      case Remedy::NarrowTypes:
      case Remedy::NarrowTypesOnHost:
      case Remedy::NarrowModel:
        return "the builder flag `FP16`, or a model of that type";
      case Remedy::Quantize:
      case Remedy::QuantizeAll:
        return "a model with `QuantizeLinear` and `DequantizeLinear`";
      default:
        return RuntimeAdapter::remedy(kind);
    }
  }
  bool namesAllNodes() const override { return true; }

  bool namesRange(std::string_view layer) const override {
    if (layer.find(kTensorRtOnnxLayer) != std::string_view::npos || layer.starts_with(kInserted[0])) return false;
    bool found = false;
    eachPart(tensorRtLayer(layer).name, [&](std::string_view part) { found |= isRange(part); });
    return found;
  }

  bool isLayoutConversion(std::string_view, std::string_view layer) const override {
    return startsWithOneOf(kInserted, layer);
  }
};

}  // namespace

TensorRtLayer tensorRtLayer(std::string_view name) {
  const size_t at = name.rfind(kProfile);
  if (at == std::string_view::npos || !name.ends_with(']')) return {name};
  const std::string_view digits = name.substr(at + kProfile.size(), name.size() - at - kProfile.size() - 1);
  if (!isDigits(digits)) return {name};
  TensorRtLayer layer{name.substr(0, at)};
  layer.profile = parseWhole(digits);
  return layer;
}

const RuntimeAdapter& tensorRtAdapter() {
  static const TensorRtRuntime kAdapter;
  return kAdapter;
}

}  // namespace amdahlc
