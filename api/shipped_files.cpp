#include "api/shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace amdahlc::api {

namespace fs = std::filesystem;

std::optional<fs::path> folderOf(ShippedFiles files, const fs::path& shippedFolder) {
  std::error_code error;
  fs::path folder = shippedFolder / files.folder;
  if (shippedFolder.empty() || !fs::is_directory(folder, error)) return std::nullopt;
  return folder;
}

std::string whyNone(ShippedFiles files, const fs::path& shippedFolder) {
  return shippedFolder.empty() ? fmt::format("the request has no `shippedFolder`, the folder with `{}`", files.folder)
                               : fmt::format("there is no folder `{}`", (shippedFolder / files.folder).string());
}

std::vector<std::string> namesOf(ShippedFiles files, const fs::path& shippedFolder) {
  std::vector<std::string> names;
  std::error_code error;
  if (const auto folder = folderOf(files, shippedFolder))
    for (const fs::directory_entry& entry : fs::directory_iterator(*folder, error))
      if (entry.path().extension() == files.ending) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace amdahlc::api
