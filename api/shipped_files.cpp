#include "api/shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace amdahlc::api {

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> folderIn(const fs::path& shippedFolder, std::string_view name) {
  std::error_code error;
  fs::path folder = shippedFolder / name;
  if (shippedFolder.empty() || !fs::is_directory(folder, error)) return std::nullopt;
  return folder;
}

/// Of the files with this ending, without it.
std::vector<std::string> namesIn(const std::optional<fs::path>& folder, std::string_view ending) {
  std::vector<std::string> names;
  if (!folder) return names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder, error))
    if (entry.path().extension() == ending) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::optional<fs::path> shippedRules(const fs::path& shippedFolder) { return folderIn(shippedFolder, "rules"); }
std::optional<fs::path> shippedHardware(const fs::path& shippedFolder) { return folderIn(shippedFolder, "hardware"); }

std::string whyNoneShipped(const fs::path& shippedFolder, const std::string& what) {
  return shippedFolder.empty() ? fmt::format("the request has no `shippedFolder`, the folder with `{}`", what)
                               : fmt::format("there is no folder `{}`", (shippedFolder / what).string());
}

std::vector<std::string> namesOfShippedRules(const fs::path& shippedFolder) {
  return namesIn(shippedRules(shippedFolder), ".akp");
}
std::vector<std::string> namesOfShippedHardware(const fs::path& shippedFolder) {
  return namesIn(shippedHardware(shippedFolder), ".yaml");
}

}  // namespace amdahlc::api
