#include "api/shipped_files.h"

#include <algorithm>
#include <system_error>

namespace amdahlc::api {

namespace fs = std::filesystem;

Known<fs::path> folderOf(ShippedFiles files, const fs::path& shippedFolder) {
  if (shippedFolder.empty()) return Absence{Absence::Reason::NoShippedFolder, {std::string(files.folder)}};
  std::error_code error;
  fs::path folder = shippedFolder / files.folder;
  if (!fs::is_directory(folder, error)) return Absence{Absence::Reason::NoFolder, {folder.string()}};
  return folder;
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
