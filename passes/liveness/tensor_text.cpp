#include "passes/liveness/tensor_text.h"

#include <fmt/format.h>

#include <iterator>

namespace amdahlc {
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

std::string formatBytes(int64_t bytes) {
  static constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

}  // namespace amdahlc
