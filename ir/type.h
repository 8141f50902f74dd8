/// Types of values: element type, shape, and the byte size that follows from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::ir {

/// ONNX element types, by ONNX's numbers (TensorProto.DataType), so that new ones need only a row in type.cpp.
enum class ElementType : uint8_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
  Float6E2M3 = 27,
  Float6E3M2 = 28,
};
inline constexpr ElementType kLastElementType = ElementType::Float6E3M2;

/// The name used in IR text and in rules: `float32`, `float16`, `bfloat16`, `int64`, `bool`, ...; `undefined` for
/// Undefined.
std::string_view name(ElementType type);
/// Inverse of `name`; also accepts ONNX's spellings `float`, `double`. nullopt for an unknown name.
std::optional<ElementType> elementTypeFromName(std::string_view name);
/// All names, for "did you mean".
const std::vector<std::string>& elementTypeNames();
/// Bits of one element; 0 for String and Undefined.
uint32_t bitWidth(ElementType type);
/// Signed and unsigned integers of any width, and booleans.
bool isInteger(ElementType type);
bool isSignedInteger(ElementType type);
/// Real floating-point numbers of at least 16 bits: what networks compute with. Not the 4- to 8-bit storage formats.
bool isFloatingPoint(ElementType type);

/// One dimension: a number, a symbol such as `batch`, or unknown.
struct Dim {
  static constexpr int64_t kNotNumeric = -1;
  int64_t value = kNotNumeric;
  /// Empty for a number and for an unknown dimension.
  std::string symbol;

  static Dim of(int64_t value) { return {value, {}}; }
  static Dim named(std::string symbol) { return {kNotNumeric, std::move(symbol)}; }
  bool isNumber() const { return value != kNotNumeric; }
  bool isUnknown() const { return !isNumber() && symbol.empty(); }
  friend bool operator==(const Dim&, const Dim&) = default;
};

struct Type {
  enum class Kind : uint8_t { Unknown, Tensor, SparseTensor, Sequence, Optional, Map, Opaque };
  Kind kind = Kind::Unknown;
  /// Tensors; key type of a map.
  ElementType element = ElementType::Undefined;
  /// A tensor whose rank is known.
  bool ranked = false;
  /// Empty for a scalar and for an unranked tensor.
  std::vector<Dim> dims;
  /// The one element type of Sequence and Optional, the value type of Map.
  std::vector<Type> parameters;

  static Type tensor(ElementType element, std::vector<Dim> dims);
  static Type unranked(ElementType element);
  bool isTensor() const { return kind == Kind::Tensor || kind == Kind::SparseTensor; }
  /// A ranked tensor whose dimensions are all numbers.
  bool isStatic() const;
  /// Number of elements of a static tensor; nullopt otherwise or beyond 64 bits.
  std::optional<int64_t> elementCount() const;
  /// Bytes of a static dense tensor, sub-byte elements packed; nullopt otherwise.
  std::optional<int64_t> byteSize() const;
  friend bool operator==(const Type&, const Type&) = default;
};

/// `float16[1,128,256]`, `int64[batch,?]`, `float32[*]` (unranked), `float32[]` (scalar), `seq<float32[*]>`,
/// `opt<...>`, `map<int64,...>`, `?`.
std::string describe(const Type& type);
/// Inverse of `describe`: reads a type at the start of `text` and drops it there. nullopt, and `text` as it was, where
/// no type starts. Types nest at most 16 deep.
std::optional<Type> parseType(std::string_view& text);

}  // namespace amdahlc::ir
