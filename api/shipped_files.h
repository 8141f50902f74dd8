/// Files that ship with the analysis: rules, and descriptions of hardware.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/absence.h"

namespace amdahlc::api {

/// A kind of shipped files: their folder in `Request::shippedFolder`, and how their names end.
struct ShippedFiles {
  std::string_view folder, ending;
};
inline constexpr ShippedFiles kShippedRules{"rules", ".akp"}, kShippedHardware{"hardware", ".yaml"};

Known<std::filesystem::path> folderOf(ShippedFiles files, const std::filesystem::path& shippedFolder);
/// The names by which they can be requested, sorted.
std::vector<std::string> namesOf(ShippedFiles files, const std::filesystem::path& shippedFolder);

}  // namespace amdahlc::api
