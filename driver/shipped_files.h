/// The files that ship with the command: rules and descriptions of hardware.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::driver {

/// The folder of shipped rules, from the folder above that of the command.
inline constexpr std::string_view kRulesFolder = "share/amdahlc/rules";
/// That of descriptions of hardware.
inline constexpr std::string_view kHardwareFolder = "share/amdahlc/hardware";

/// One of these folders beside the command, which is one in a build folder, too; nullopt if it is missing.
std::optional<std::filesystem::path> shippedFolder(std::string_view folder);

/// Names of its files with this ending, without it; sorted.
std::vector<std::string> shippedNames(std::string_view folder, std::string_view ending);

}  // namespace amdahlc::driver
