#include "driver/installation.h"

#include <system_error>

namespace amdahlc::driver {

std::filesystem::path shippedFolder() {
  std::error_code error;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : (executable.parent_path() / ".." / kRulesFolder).parent_path();
}

}  // namespace amdahlc::driver
