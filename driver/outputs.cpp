#include "driver/outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "support/file.h"

namespace amdahlc::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDumps = "dumps of -print-to";

bool isStdout(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

/// Devices and pipes may take several outputs; a file holds one.
bool sharable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::is_character_file(status);
}

bool samePlace(const std::string& a, const std::string& b) {
  if (isStdout(a) || isStdout(b)) return isStdout(a) && isStdout(b);
  std::error_code error;
  const auto place = [&](const std::string& path) { return fs::weakly_canonical(fs::absolute(path, error), error); };
  return place(a) == place(b) && !sharable(a);
}

/// Why a file cannot be made or replaced at `path`; empty when nothing speaks against it.
std::string obstacle(const std::string& path) {
  if (isStdout(path)) return "";
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return "it is a folder";
  if (fs::exists(status)) return ::access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error)) return fmt::format("there is no folder `{}`", folder.string());
  return ::access(folder.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
}

}  // namespace

std::pair<std::string, std::string> splitOutput(const std::string& output) {
  const size_t equals = output.find('=');
  if (equals == std::string::npos) return {output, ""};
  return {output.substr(0, equals), output.substr(equals + 1)};
}

std::string destinationOf(const std::string& path, const Settings& settings) {
  if (!path.empty()) return path;
  return settings.output.empty() ? "-" : settings.output;
}

std::vector<Destination> plannedDestinations(const Pipeline& pipeline, const Settings& settings) {
  std::vector<Destination> destinations;
  bool emits = false;
  for (const PlannedPass& planned : pipeline) {
    if (planned.info->name != "emit") continue;
    emits = true;
    for (const PipelineParameter& parameter : planned.parameters) {
      if (parameter.name != "output" || !parameter.value) continue;
      const auto [kind, path] = splitOutput(*parameter.value);
      destinations.push_back({kind, destinationOf(path, settings), path.empty()});
    }
    if (planned.parameters.empty()) destinations.push_back({"summary", destinationOf("", settings), true});
  }
  if (!emits) destinations.push_back({"ir", destinationOf("", settings), true});
  if (!settings.printTo.empty()) destinations.push_back({std::string(kDumps), settings.printTo});
  return destinations;
}

ExitCode checkDestinations(const std::vector<Destination>& destinations, DiagnosticEngine& diagnostics) {
  for (size_t i = 0; i < destinations.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (!samePlace(destinations[i].path, destinations[k].path)) continue;
      const std::string place = isStdout(destinations[i].path) ? "stdout" : fmt::format("`{}`", destinations[i].path);
      diagnostics.error(DiagId::OutputConflict, {},
                        fmt::format("`{}` and `{}` both go to {}; give one of them another path", destinations[k].what,
                                    destinations[i].what, place));
      return ExitCode::CommandLineFault;
    }
  }
  ExitCode code = ExitCode::Done;
  for (const Destination& destination : destinations) {
    const std::string why = obstacle(destination.path);
    if (why.empty()) continue;
    diagnostics.error(DiagId::FileUnwritable, FileLocation{destination.path},
                      fmt::format("cannot write `{}` there: {}", destination.what, why));
    code = ExitCode::InputFault;
  }
  return code;
}

ExitCode writeOutputs(const std::vector<Artifact>& artifacts, const std::string& dumps, const Settings& settings,
                      DiagnosticEngine& diagnostics) {
  std::vector<Destination> destinations;
  std::vector<FileToWrite> files;
  for (const Artifact& artifact : artifacts) {
    destinations.push_back({artifact.kind, destinationOf(artifact.path, settings), artifact.path.empty()});
    files.push_back({destinations.back().path, artifact.bytes});
  }
  if (!settings.printTo.empty()) destinations.push_back({std::string(kDumps), settings.printTo});
  // Some outputs come in several files, one a run; only now are all of them known.
  if (const ExitCode code = checkDestinations(destinations, diagnostics); code != ExitCode::Done) return code;
  const bool written = writeDumps(dumps, settings, diagnostics) && writeFilesAtomically(files, diagnostics);
  return written ? ExitCode::Done : ExitCode::InputFault;
}

bool writeDumps(const std::string& dumps, const Settings& settings, DiagnosticEngine& diagnostics) {
  return settings.printTo.empty() || writeFileAtomically(settings.printTo, dumps, diagnostics);
}

}  // namespace amdahlc::driver
