#include "driver/version.h"

#include <RuntimeMetaData.h>
#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <utility>

#include "api/shipped_files.h"

namespace amdahlc::driver {
namespace {

constexpr std::string_view kCommit =
#include "commit.inc"
    ;

constexpr std::pair<std::string_view, std::string_view> kLibraries[] = {
#include "libraries.inc"
};

#ifdef __clang__
constexpr std::string_view kCompiler = "Clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "GCC " __VERSION__;
#endif

#ifdef NDEBUG
constexpr std::string_view kAssertions = "off";
#else
constexpr std::string_view kAssertions = "on";
#endif

/// Empty: beside the command.
std::filesystem::path& givenFolder() {
  static std::filesystem::path folder;
  return folder;
}

std::string_view orNone(std::string_view text) { return text.empty() ? "none" : text; }

}  // namespace

void setShippedFolder(std::filesystem::path folder) { givenFolder() = std::move(folder); }

std::filesystem::path shippedFolder() {
  if (!givenFolder().empty()) return givenFolder();
  std::error_code error;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : (executable.parent_path() / ".." / kRulesFolder).parent_path();
}

std::string versionNumber() { return AMDAHLC_VERSION; }

std::string versionText() {
  std::string text = fmt::format("amdahlc {}\n", AMDAHLC_VERSION);
  const auto line = [&](std::string_view key, std::string_view value) { text += fmt::format("{}: {}\n", key, value); };
  line("commit", kCommit);
  line("system", AMDAHLC_SYSTEM);
  line("compiler", kCompiler);
  line("build type", orNone(AMDAHLC_BUILD_TYPE));
  line("assertions", kAssertions);
  line("sanitizers", orNone(AMDAHLC_BUILD_SANITIZERS));
  for (const auto& [name, version] : kLibraries) line(name, version);
  line("ANTLR", antlr4::RuntimeMetaData::VERSION);
  const std::vector<std::string> names = api::namesOf(api::kShippedRules, shippedFolder());
  line("rules", names.empty() ? fmt::format("none; {} beside the command is missing or empty", kRulesFolder)
                              : fmt::format("{} in {} beside the command", fmt::join(names, ", "), kRulesFolder));
  return text;
}

}  // namespace amdahlc::driver
