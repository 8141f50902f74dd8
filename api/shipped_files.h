/// The shipped files: rules and descriptions of hardware.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace amdahlc::api {

/// The folders of rules and of hardware below `Request::shippedFolder`; nullopt if it is missing there.
std::optional<std::filesystem::path> shippedRules(const std::filesystem::path& shippedFolder);
std::optional<std::filesystem::path> shippedHardware(const std::filesystem::path& shippedFolder);

/// Why there are none of `what`, `rules` or `hardware`, as a clause.
std::string whyNoneShipped(const std::filesystem::path& shippedFolder, const std::string& what);

/// The names by which their files can be requested, sorted.
std::vector<std::string> namesOfShippedRules(const std::filesystem::path& shippedFolder);
std::vector<std::string> namesOfShippedHardware(const std::filesystem::path& shippedFolder);

}  // namespace amdahlc::api
