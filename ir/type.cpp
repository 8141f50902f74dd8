#include "ir/type.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "ir/text/escape.h"
#include "support/limits.h"

namespace amdahlc::ir {

namespace {

/// What arithmetic on an element type is. `Float` has at least 16 bits: narrower ones only store.
enum class Arithmetic : uint8_t { Other, Float, Signed, Unsigned };

struct ElementRow {
  std::string_view name;
  uint32_t bits;
  Arithmetic arithmetic;
};

/// By ONNX's number.
constexpr ElementRow kElements[] = {
    {"undefined", 0, Arithmetic::Other},      {"float32", 32, Arithmetic::Float},
    {"uint8", 8, Arithmetic::Unsigned},       {"int8", 8, Arithmetic::Signed},
    {"uint16", 16, Arithmetic::Unsigned},     {"int16", 16, Arithmetic::Signed},
    {"int32", 32, Arithmetic::Signed},        {"int64", 64, Arithmetic::Signed},
    {"string", 0, Arithmetic::Other},         {"bool", 8, Arithmetic::Unsigned},
    {"float16", 16, Arithmetic::Float},       {"float64", 64, Arithmetic::Float},
    {"uint32", 32, Arithmetic::Unsigned},     {"uint64", 64, Arithmetic::Unsigned},
    {"complex64", 64, Arithmetic::Other},     {"complex128", 128, Arithmetic::Other},
    {"bfloat16", 16, Arithmetic::Float},      {"float8e4m3fn", 8, Arithmetic::Other},
    {"float8e4m3fnuz", 8, Arithmetic::Other}, {"float8e5m2", 8, Arithmetic::Other},
    {"float8e5m2fnuz", 8, Arithmetic::Other}, {"uint4", 4, Arithmetic::Unsigned},
    {"int4", 4, Arithmetic::Signed},          {"float4e2m1", 4, Arithmetic::Other},
    {"float8e8m0", 8, Arithmetic::Other},     {"uint2", 2, Arithmetic::Unsigned},
    {"int2", 2, Arithmetic::Signed},          {"float6e2m3", 6, Arithmetic::Other},
    {"float6e3m2", 6, Arithmetic::Other},
};
static_assert(std::size(kElements) == static_cast<size_t>(kLastElementType) + 1);

/// Numbers that ONNX does not have yet are undefined.
const ElementRow& row(ElementType type) {
  const auto index = static_cast<size_t>(type);
  return kElements[index < std::size(kElements) ? index : 0];
}

/// Multiplies non-negative numbers; nullopt beyond 63 bits.
std::optional<int64_t> checkedProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view plainPrefix(std::string_view text) {
  if (!startsWithPlainName(text)) return {};
  size_t length = 1;
  while (length < text.size() && continuesPlainName(text[length])) ++length;
  return text.substr(0, length);
}

std::optional<Dim> parseDim(std::string_view& text) {
  if (consume(text, "?")) return Dim{};
  if (text.starts_with('"')) {
    UnquoteError error;
    auto symbol = consumeQuoted(text, error);
    if (!symbol || symbol->empty()) return std::nullopt;
    return Dim::named(std::move(*symbol));
  }
  if (const auto symbol = plainPrefix(text); !symbol.empty()) {
    text.remove_prefix(symbol.size());
    return Dim::named(std::string(symbol));
  }
  int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return Dim::of(value);
}

/// `[1,batch,?]`, `[]` or `[*]`.
bool parseShape(std::string_view& text, Type& type) {
  if (!consume(text, "[")) return false;
  if (consume(text, "*")) return consume(text, "]");
  type.ranked = true;
  if (consume(text, "]")) return true;
  while (true) {
    auto dim = parseDim(text);
    if (!dim) return false;
    type.dims.push_back(std::move(*dim));
    if (consume(text, "]")) return true;
    if (!consume(text, ",")) return false;
  }
}

std::optional<Type> parseNested(std::string_view& text, int depth) {
  if (depth > limits::kTypeNesting) return std::nullopt;
  Type type;
  if (consume(text, "?")) return type;
  const auto word = plainPrefix(text);
  text.remove_prefix(word.size());
  if (word == "opaque") {
    type.kind = Type::Kind::Opaque;
    return type;
  }
  if (word == "sparse") {
    if (!consume(text, "<")) return std::nullopt;
    auto inner = parseNested(text, depth + 1);
    if (!inner || inner->kind != Type::Kind::Tensor || !consume(text, ">")) return std::nullopt;
    inner->kind = Type::Kind::SparseTensor;
    return inner;
  }
  if (word == "seq" || word == "opt" || word == "map") {
    type.kind = word == "seq" ? Type::Kind::Sequence : word == "opt" ? Type::Kind::Optional : Type::Kind::Map;
    if (!consume(text, "<")) return std::nullopt;
    if (type.kind == Type::Kind::Map) {
      const auto key = plainPrefix(text);
      const auto element = elementTypeFromName(key);
      text.remove_prefix(key.size());
      if (!element || !consume(text, ",")) return std::nullopt;
      type.element = *element;
    }
    auto parameter = parseNested(text, depth + 1);
    if (!parameter || !consume(text, ">")) return std::nullopt;
    type.parameters.push_back(std::move(*parameter));
    return type;
  }
  const auto element = elementTypeFromName(word);
  if (!element) return std::nullopt;
  type.kind = Type::Kind::Tensor;
  type.element = *element;
  if (!parseShape(text, type)) return std::nullopt;
  return type;
}

void append(std::string& out, const Type& type) {
  using Kind = Type::Kind;
  if (type.kind == Kind::Unknown || type.kind == Kind::Opaque) {
    out += type.kind == Kind::Unknown ? "?" : "opaque";
    return;
  }
  if (!type.isTensor()) {
    out += type.kind == Kind::Sequence ? "seq<" : type.kind == Kind::Optional ? "opt<" : "map<";
    if (type.kind == Kind::Map) out.append(name(type.element)).append(",");
    append(out, type.parameters.empty() ? Type() : type.parameters.front());
    out += '>';
    return;
  }
  if (type.kind == Kind::SparseTensor) out += "sparse<";
  out += name(type.element);
  out += '[';
  if (!type.ranked) out += '*';
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (i != 0) out += ',';
    const Dim& dim = type.dims[i];
    if (dim.isNumber())
      out += std::to_string(dim.value);
    else if (dim.isUnknown())
      out += '?';
    else
      appendName(out, dim.symbol);
  }
  out += ']';
  if (type.kind == Kind::SparseTensor) out += '>';
}

}  // namespace

std::string_view name(ElementType type) { return row(type).name; }

std::optional<ElementType> elementTypeFromName(std::string_view text) {
  if (text == "float") return ElementType::Float;
  if (text == "double") return ElementType::Double;
  for (size_t i = 0; i < std::size(kElements); ++i)
    if (kElements[i].name == text) return static_cast<ElementType>(i);
  return std::nullopt;
}

const std::vector<std::string>& elementTypeNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& row : kElements) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

uint32_t bitWidth(ElementType type) { return row(type).bits; }

bool isInteger(ElementType type) {
  return row(type).arithmetic == Arithmetic::Signed || row(type).arithmetic == Arithmetic::Unsigned;
}

bool isSignedInteger(ElementType type) { return row(type).arithmetic == Arithmetic::Signed; }

bool isFloatingPoint(ElementType type) { return row(type).arithmetic == Arithmetic::Float; }

Type Type::tensor(ElementType element, std::vector<Dim> dims) {
  Type type = unranked(element);
  type.ranked = true;
  type.dims = std::move(dims);
  return type;
}

Type Type::unranked(ElementType element) {
  Type type;
  type.kind = Kind::Tensor;
  type.element = element;
  return type;
}

bool Type::isStatic() const { return isTensor() && ranked && std::ranges::all_of(dims, &Dim::isNumber); }

std::optional<int64_t> Type::elementCount() const {
  if (!isStatic()) return std::nullopt;
  // An empty tensor has no elements, however large its other dimensions are.
  for (const Dim& dim : dims)
    if (dim.value == 0) return 0;
  std::optional<int64_t> count = 1;
  for (const Dim& dim : dims) {
    count = checkedProduct(*count, dim.value);
    if (!count) return std::nullopt;
  }
  return count;
}

std::optional<int64_t> Type::byteSize() const {
  if (kind != Kind::Tensor || bitWidth(element) == 0) return std::nullopt;
  const auto count = elementCount();
  if (!count) return std::nullopt;
  const uint32_t bits = bitWidth(element);
  if (bits % 8 == 0) return checkedProduct(*count, bits / 8);
  const int64_t perByte = 8 / bits;
  return *count / perByte + (*count % perByte != 0 ? 1 : 0);
}

std::string describe(const Type& type) {
  std::string out;
  append(out, type);
  return out;
}

std::optional<Type> parseType(std::string_view& text) {
  std::string_view rest = text;
  auto type = parseNested(rest, 0);
  if (type) text = rest;
  return type;
}

}  // namespace amdahlc::ir
