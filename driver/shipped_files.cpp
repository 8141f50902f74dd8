#include "driver/shipped_files.h"

#include <algorithm>
#include <system_error>

namespace amdahlc::driver {

namespace fs = std::filesystem;

std::optional<fs::path> shippedFolder(std::string_view folder) {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  fs::path found = executable.parent_path() / ".." / folder;
  if (error || !fs::is_directory(found, error)) return std::nullopt;
  return found;
}

std::vector<std::string> shippedNames(std::string_view folder, std::string_view ending) {
  std::vector<std::string> names;
  const auto found = shippedFolder(folder);
  if (!found) return names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(*found, error))
    if (entry.path().extension() == ending) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace amdahlc::driver
