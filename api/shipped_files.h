/// Files that ship with the analysis: rules, descriptions of hardware, and pages of the documentation.
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
inline constexpr ShippedFiles kShippedRules{"rules", ".akp"}, kShippedHardware{"hardware", ".yaml"},
    kShippedPages{"docs", ".md"};

Known<std::filesystem::path> folderOf(ShippedFiles files, const std::filesystem::path& shippedFolder);
/// The names by which they can be requested, sorted.
std::vector<std::string> namesOf(ShippedFiles files, const std::filesystem::path& shippedFolder);

}  // namespace amdahlc::api
