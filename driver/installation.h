/// Where the command is installed.
#pragma once

#include <filesystem>
#include <string_view>

namespace amdahlc::driver {

/// The folders of shipped rules and of descriptions of hardware, from the folder above that of the command.
inline constexpr std::string_view kRulesFolder = "share/amdahlc/rules", kHardwareFolder = "share/amdahlc/hardware";

/// The folder of both, beside the command, which is one in a build folder, too.
std::filesystem::path shippedFolder();

}  // namespace amdahlc::driver
