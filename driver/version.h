/// What is installed: the version of the command, and the files that ship with it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace amdahlc::driver {

/// The folders of shipped rules and of descriptions of hardware, from the folder above that of the command.
inline constexpr std::string_view kRulesFolder = "share/amdahlc/rules", kHardwareFolder = "share/amdahlc/hardware",
                                  kPagesFolder = "share/amdahlc/docs";

/// `../share/amdahlc` of the folder of the command, which a build folder has as well, or the one that was set.
std::filesystem::path shippedFolder();
/// For a command that is no file of its own, as in the package of Python. Before any thread is started.
void setShippedFolder(std::filesystem::path folder);

/// The version alone, as in `0.1.0`.
std::string versionNumber();

/// The text of `-version`, what a report of a fault needs: the version, then `key: value` lines: source, compiler and
/// build, the libraries it was built with, and the rules that it finds. Equal builds of equal sources print the same:
/// no path, no name of a machine, no time.
std::string versionText();

}  // namespace amdahlc::driver
