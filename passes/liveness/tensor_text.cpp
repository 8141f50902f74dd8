#include "passes/liveness/tensor_text.h"

#include <fmt/format.h>

#include <iterator>

namespace amdahlc {
namespace {

/// Of other types the name itself.
std::string abbreviated(ir::ElementType type) {
  using enum ir::ElementType;
  switch (type) {
    case Float:
      return "f32";
    case Float16:
      return "f16";
    case BFloat16:
      return "bf16";
    case Double:
      return "f64";
    case Int8:
      return "i8";
    case Int16:
      return "i16";
    case Int32:
      return "i32";
    case Int64:
      return "i64";
    case UInt8:
      return "u8";
    case UInt16:
      return "u16";
    case UInt32:
      return "u32";
    case UInt64:
      return "u64";
    case Bool:
      return "b8";
    case Complex64:
      return "c64";
    case Complex128:
      return "c128";
    default:
      return std::string(name(type));
  }
}

}  // namespace

std::string tensorName(const ir::Module& module, ir::ValueId id) {
  const ir::Value& value = module.values[id];
  std::string own(module.text(value.name));
  const ir::OpId parent = module.graphs[value.graph].parent;
  if (parent.isNone()) return own;
  std::string branch;
  for (const ir::Region& region : module.ops[parent].regions)
    if (region.graph == value.graph) branch = region.name;
  return fmt::format("{}/{}/{}", module.displayName(parent), branch, own);
}

std::string tensorDimensions(const ir::Type& type) {
  if (!type.isTensor()) return toString(type);
  std::string dims = type.ranked ? "" : "*";
  for (const ir::Dim& dim : type.dims) {
    if (!dims.empty()) dims += ", ";
    dims += dim.isNumber() ? std::to_string(dim.value) : dim.isUnknown() ? "?" : dim.symbol;
  }
  return fmt::format("{}[{}]", abbreviated(type.element), dims);
}

std::string shownBytes(int64_t bytes) {
  static constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

}  // namespace amdahlc
