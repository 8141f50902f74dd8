#include "ir/onnx_schemas/proto_values.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>
#include <type_traits>

#include "ir/onnx_schemas/program_keys.h"

namespace amdahlc::ir::onnx_schemas {

namespace {

/// The only entry in `external_data` of a tensor whose data was dropped, so that no path is left there.
constexpr const char* kDroppedBytesKey = "amdahlc.dropped_bytes";

std::vector<Dim> dimensions(const onnx::TensorShapeProto& shape) {
  std::vector<Dim> dims;
  dims.reserve(static_cast<size_t>(shape.dim_size()));
  for (const auto& dim : shape.dim()) {
    // Some exporters write -1 for "unknown".
    if (dim.has_dim_value() && dim.dim_value() >= 0)
      dims.push_back(Dim::of(dim.dim_value()));
    else if (dim.has_dim_param() && !dim.dim_param().empty())
      dims.push_back(Dim::named(dim.dim_param()));
    else
      dims.push_back(Dim{});
  }
  return dims;
}

template <typename TensorType>
Type tensorType(const TensorType& proto) {
  const ElementType element = elementType(proto.elem_type());
  return proto.has_shape() ? Type::tensor(element, dimensions(proto.shape())) : Type::unranked(element);
}

template <typename Dims>
std::vector<Dim> numericDims(const Dims& dims) {
  std::vector<Dim> result;
  for (int64_t dim : dims) result.push_back(dim >= 0 ? Dim::of(dim) : Dim{});
  return result;
}

/// Layout of a floating-point format narrower than 32 bits.
struct SmallFloat {
  ElementType element;
  int exponentBits;
  int mantissaBits;
  int bias;
  enum class Special : uint8_t {
    /// all-ones exponent: infinity and NaN.
    Ieee,
    /// Only the all-ones pattern is NaN.
    NanOnly,
    /// Negative zero is NaN, nothing else is special.
    Fnuz,
    /// Every pattern is a number.
    None,
  } special;
};

double decode(uint32_t bits, const SmallFloat& format) {
  const uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  const uint32_t exponentMask = (1u << format.exponentBits) - 1;
  const uint32_t mantissa = bits & mantissaMask;
  const uint32_t exponent = (bits >> format.mantissaBits) & exponentMask;
  const bool negative = (bits >> (format.mantissaBits + format.exponentBits)) & 1u;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Special = SmallFloat::Special;
  if (format.special == Special::Ieee && exponent == exponentMask) {
    if (mantissa != 0) return nan;
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  if (format.special == Special::NanOnly && exponent == exponentMask && mantissa == mantissaMask) return nan;
  if (format.special == Special::Fnuz && negative && exponent == 0 && mantissa == 0) return nan;
  const double fraction = std::ldexp(static_cast<double>(mantissa), -format.mantissaBits);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - format.bias)
                                         : std::ldexp(1.0 + fraction, static_cast<int>(exponent) - format.bias);
  return negative ? -magnitude : magnitude;
}

constexpr SmallFloat kSmallFloats[] = {
    {ElementType::Float16, 5, 10, 15, SmallFloat::Special::Ieee},
    {ElementType::BFloat16, 8, 7, 127, SmallFloat::Special::Ieee},
    {ElementType::Float8E4M3FN, 4, 3, 7, SmallFloat::Special::NanOnly},
    {ElementType::Float8E4M3FNUZ, 4, 3, 8, SmallFloat::Special::Fnuz},
    {ElementType::Float8E5M2, 5, 2, 15, SmallFloat::Special::Ieee},
    {ElementType::Float8E5M2FNUZ, 5, 2, 16, SmallFloat::Special::Fnuz},
    {ElementType::Float6E2M3, 2, 3, 1, SmallFloat::Special::None},
    {ElementType::Float6E3M2, 3, 2, 3, SmallFloat::Special::None},
    {ElementType::Float4E2M1, 2, 1, 1, SmallFloat::Special::None},
};

/// The elements as bit patterns, zero-extended; nullopt where the stored data does not hold that many.
std::optional<std::vector<uint64_t>> patterns(const onnx::TensorProto& tensor, ElementType element, size_t count) {
  const uint32_t bits = bitWidth(element);
  if (bits == 0 || bits > 64) return std::nullopt;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  std::vector<uint64_t> result(count);
  if (!tensor.raw_data().empty()) {
    const std::string& raw = tensor.raw_data();
    if (raw.size() < (count * bits + 7) / 8) return std::nullopt;
    for (size_t i = 0; i < count; ++i) {
      const size_t firstBit = i * bits;
      uint64_t word = 0;
      std::memcpy(&word, raw.data() + firstBit / 8,
                  std::min<size_t>((firstBit % 8 + bits + 7) / 8, raw.size() - firstBit / 8));
      result[i] = (word >> (firstBit % 8)) & mask;
    }
    return result;
  }
  /// `perEntry` elements are packed into each entry of a list.
  const auto unpacked = [&](const auto& entries, size_t perEntry,
                            const auto& patternOf) -> std::optional<std::vector<uint64_t>> {
    if (static_cast<size_t>(entries.size()) * perEntry < count) return std::nullopt;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t entry = patternOf(entries[static_cast<int>(i / perEntry)]);
      result[i] = (entry >> (i % perEntry * bits)) & mask;
    }
    return result;
  };
  const auto asUnsigned = [](auto entry) { return static_cast<std::make_unsigned_t<decltype(entry)>>(entry); };
  switch (element) {
    case ElementType::Float:
      return unpacked(tensor.float_data(), 1, [](float entry) { return std::bit_cast<uint32_t>(entry); });
    case ElementType::Double:
      return unpacked(tensor.double_data(), 1, [](double entry) { return std::bit_cast<uint64_t>(entry); });
    case ElementType::Int64:
      return unpacked(tensor.int64_data(), 1, asUnsigned);
    case ElementType::UInt32:
    case ElementType::UInt64:
      return unpacked(tensor.uint64_data(), 1, asUnsigned);
    default:
      // Sub-byte elements are packed into bytes, each stored as an int32; wider elements take an int32 each.
      return unpacked(tensor.int32_data(), bits < 8 ? 8 / bits : 1, asUnsigned);
  }
}

int64_t signExtend(uint64_t pattern, uint32_t bits) {
  if (bits == 64) return static_cast<int64_t>(pattern);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return static_cast<int64_t>((pattern ^ sign) - sign);
}

template <typename Result, typename Items, typename Convert>
AttributeValue listOf(const Items& items, Convert convert) {
  std::vector<Result> result;
  result.reserve(static_cast<size_t>(items.size()));
  for (const auto& item : items) result.push_back(convert(item));
  return result;
}

}  // namespace

ElementType elementType(int32_t onnxType) {
  const bool known = onnxType >= 0 && onnxType <= static_cast<int32_t>(kLastElementType);
  return known ? static_cast<ElementType>(onnxType) : ElementType::Undefined;
}

namespace {

/// Of a program, a type that ONNX has not for inputs: an unknown one, or a tensor of unknown rank.
Type opaqueType(const onnx::TypeProto::Opaque& proto) {
  Type result;
  result.kind = Type::Kind::Opaque;
  std::string_view text = proto.name();
  if (proto.domain() != kTypeDomain) return result;
  const auto type = parseType(text);
  const bool isMeant = type && text.empty() && (type->kind == Type::Kind::Unknown || type->kind == Type::Kind::Tensor);
  return isMeant && !type->ranked ? *type : result;
}

/// `depth` levels of sequence, optional and map may follow: the text form's bound, beyond which a type is unknown.
Type nestedType(const onnx::TypeProto& proto, int depth) {
  Type result;
  if (depth == 0) return result;
  switch (proto.value_case()) {
    case onnx::TypeProto::kTensorType:
      return tensorType(proto.tensor_type());
    case onnx::TypeProto::kSparseTensorType:
      result = tensorType(proto.sparse_tensor_type());
      result.kind = Type::Kind::SparseTensor;
      return result;
    case onnx::TypeProto::kSequenceType:
      result.kind = Type::Kind::Sequence;
      result.parameters.push_back(nestedType(proto.sequence_type().elem_type(), depth - 1));
      return result;
    case onnx::TypeProto::kOptionalType:
      result.kind = Type::Kind::Optional;
      result.parameters.push_back(nestedType(proto.optional_type().elem_type(), depth - 1));
      return result;
    case onnx::TypeProto::kMapType:
      result.kind = Type::Kind::Map;
      result.element = elementType(proto.map_type().key_type());
      result.parameters.push_back(nestedType(proto.map_type().value_type(), depth - 1));
      return result;
    case onnx::TypeProto::kOpaqueType:
      return opaqueType(proto.opaque_type());
    case onnx::TypeProto::VALUE_NOT_SET:
      return result;
  }
  return result;
}

}  // namespace

Type type(const onnx::TypeProto& proto) { return nestedType(proto, 16); }

Type type(const onnx::TensorProto& tensor) {
  return Type::tensor(elementType(tensor.data_type()), numericDims(tensor.dims()));
}

Type type(const onnx::SparseTensorProto& tensor) {
  Type result = Type::tensor(elementType(tensor.values().data_type()), numericDims(tensor.dims()));
  result.kind = Type::Kind::SparseTensor;
  return result;
}

std::optional<int64_t> elementCount(const onnx::TensorProto& tensor) {
  int64_t count = 1;
  for (int64_t dim : tensor.dims())
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  return count;
}

void dropData(onnx::TensorProto& tensor) {
  const std::optional<int64_t> bytes = byteSize(tensor);
  tensor.clear_float_data();
  tensor.clear_int32_data();
  tensor.clear_string_data();
  tensor.clear_int64_data();
  tensor.clear_raw_data();
  tensor.clear_double_data();
  tensor.clear_uint64_data();
  tensor.clear_data_location();
  tensor.clear_external_data();
  auto* marker = tensor.add_external_data();
  marker->set_key(kDroppedBytesKey);
  marker->set_value(bytes ? std::to_string(*bytes) : "");
}

bool isDropped(const onnx::TensorProto& tensor) {
  return tensor.external_data_size() == 1 && tensor.external_data(0).key() == kDroppedBytesKey;
}

std::optional<int64_t> byteSize(const onnx::TensorProto& tensor) {
  const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  if (external || isDropped(tensor)) {
    for (const auto& entry : tensor.external_data()) {
      if (entry.key() != "length" && entry.key() != kDroppedBytesKey) continue;
      int64_t bytes = 0;
      const char* end = entry.value().data() + entry.value().size();
      if (std::from_chars(entry.value().data(), end, bytes).ptr == end && !entry.value().empty() && bytes >= 0)
        return bytes;
    }
  }
  if (!external && !tensor.raw_data().empty()) return static_cast<int64_t>(tensor.raw_data().size());
  return type(tensor).byteSize();
}

TensorConstant constant(const onnx::TensorProto& tensor) {
  TensorConstant result;
  result.type = type(tensor);
  const std::optional<int64_t> count = elementCount(tensor);
  if (!count || *count > TensorConstant::kMaxKeptElements || isDropped(tensor) ||
      tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return result;
  const auto n = static_cast<size_t>(*count);
  const ElementType element = result.type.element;
  const auto* format = std::ranges::find(kSmallFloats, element, &SmallFloat::element);
  const bool isSmallFloat = format != std::end(kSmallFloats);
  const bool isWideFloat = element == ElementType::Float || element == ElementType::Double;
  if (!isSmallFloat && !isWideFloat && !isInteger(element)) return result;
  const auto bits = patterns(tensor, element, n);
  if (!bits) return result;
  if (!isInteger(element)) {
    result.floats.emplace();
    for (const uint64_t pattern : *bits)
      result.floats->push_back(isSmallFloat                     ? decode(static_cast<uint32_t>(pattern), *format)
                               : element == ElementType::Double ? std::bit_cast<double>(pattern)
                                                                : std::bit_cast<float>(static_cast<uint32_t>(pattern)));
  } else {
    result.ints.emplace();
    for (uint64_t pattern : *bits)
      result.ints->push_back(isSignedInteger(element) ? signExtend(pattern, bitWidth(element))
                                                      : static_cast<int64_t>(pattern));
  }
  return result;
}

TensorConstant constant(const onnx::SparseTensorProto& tensor) {
  TensorConstant result;
  result.type = type(tensor);
  return result;
}

namespace {

/// The type that an attribute declares or, in files older than that field, the one that its content implies.
onnx::AttributeProto::AttributeType attributeType(const onnx::AttributeProto& attribute) {
  using Proto = onnx::AttributeProto;
  if (attribute.type() != Proto::UNDEFINED) return attribute.type();
  if (attribute.has_f()) return Proto::FLOAT;
  if (attribute.has_i()) return Proto::INT;
  if (attribute.has_s()) return Proto::STRING;
  if (attribute.has_t()) return Proto::TENSOR;
  if (attribute.has_g()) return Proto::GRAPH;
  if (attribute.has_sparse_tensor()) return Proto::SPARSE_TENSOR;
  if (attribute.has_tp()) return Proto::TYPE_PROTO;
  if (attribute.floats_size() > 0) return Proto::FLOATS;
  if (attribute.ints_size() > 0) return Proto::INTS;
  if (attribute.strings_size() > 0) return Proto::STRINGS;
  if (attribute.tensors_size() > 0) return Proto::TENSORS;
  if (attribute.graphs_size() > 0) return Proto::GRAPHS;
  if (attribute.sparse_tensors_size() > 0) return Proto::SPARSE_TENSORS;
  if (attribute.type_protos_size() > 0) return Proto::TYPE_PROTOS;
  return Proto::UNDEFINED;
}

}  // namespace

std::optional<AttributeValue> attributeValue(const onnx::AttributeProto& attribute) {
  using Proto = onnx::AttributeProto;
  const auto constantOf = [](const auto& tensor) { return constant(tensor); };
  const auto identity = [](const auto& item) { return item; };
  switch (attributeType(attribute)) {
    case Proto::FLOAT:
      return AttributeValue(static_cast<double>(attribute.f()));
    case Proto::INT:
      return AttributeValue(static_cast<int64_t>(attribute.i()));
    case Proto::STRING:
      return AttributeValue(attribute.s());
    case Proto::TENSOR:
      return AttributeValue(constant(attribute.t()));
    case Proto::SPARSE_TENSOR:
      return AttributeValue(constant(attribute.sparse_tensor()));
    case Proto::TYPE_PROTO:
      return AttributeValue(type(attribute.tp()));
    case Proto::FLOATS:
      return listOf<double>(attribute.floats(), identity);
    case Proto::INTS:
      return listOf<int64_t>(attribute.ints(), identity);
    case Proto::STRINGS:
      return listOf<std::string>(attribute.strings(), identity);
    case Proto::TENSORS:
      return listOf<TensorConstant>(attribute.tensors(), constantOf);
    case Proto::SPARSE_TENSORS:
      return listOf<TensorConstant>(attribute.sparse_tensors(), constantOf);
    case Proto::TYPE_PROTOS:
      return listOf<Type>(attribute.type_protos(), [](const auto& item) { return type(item); });
    case Proto::GRAPH:
    case Proto::GRAPHS:
    case Proto::UNDEFINED:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace amdahlc::ir::onnx_schemas
