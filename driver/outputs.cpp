#include "driver/outputs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include "support/compress.h"
#include "support/csv_row.h"
#include "support/file.h"

namespace amdahlc::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDumps = "dumps of -print-to";

bool isStdout(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

/// Devices and pipes may receive several outputs; a file receives one.
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

/// The file of a path, with links resolved; nullopt for devices, pipes, folders and missing files.
std::optional<std::pair<dev_t, ino_t>> regularFile(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

/// Why a file cannot be created or replaced at `path`; empty if it can.
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

std::string destinationOf(const std::string& path, const Settings& settings) {
  if (!path.empty()) return path;
  return settings.output.empty() ? "-" : settings.output;
}

std::vector<Destination> plannedDestinations(const Pipeline& pipeline, const Settings& settings) {
  std::vector<Destination> destinations;
  for (const PlannedPass& planned : pipeline)
    for (const auto& [request, parameter] : plannedOutputs(planned))
      destinations.push_back({request.kind, destinationOf(request.path, settings), request.path.empty()});
  if (!rendersOutputs(pipeline)) destinations.push_back({std::string(kIrOutput), destinationOf("", settings), true});
  if (!settings.printTo.empty()) destinations.push_back({std::string(kDumps), settings.printTo});
  return destinations;
}

std::vector<std::string> inputFiles(const Settings& settings, const SourceManager& sources) {
  std::vector<std::string> files;
  for (const InputArgument& input : settings.inputs) files.push_back(input.path);
  for (const TraceArgument& trace : settings.traces) files.insert(files.end(), trace.paths.begin(), trace.paths.end());
  if (settings.ranks)
    for (const RankArgument::File& file : settings.ranks->files) files.push_back(file.path);
  if (!settings.baseline.empty()) files.push_back(settings.baseline);
  for (BufferId buffer = 0; buffer < sources.size(); ++buffer)
    if (!sources.name(buffer).starts_with('<')) files.emplace_back(sources.name(buffer));
  return files;
}

ExitCode checkDestinations(const std::vector<Destination>& destinations, const std::vector<std::string>& inputs,
                           DiagnosticEngine& diagnostics) {
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
  for (const Destination& destination : destinations) {
    const auto file = isStdout(destination.path) ? std::nullopt : regularFile(destination.path);
    if (!file) continue;
    for (const std::string& input : inputs) {
      if (regularFile(input) != file) continue;
      diagnostics.error(
          DiagId::OutputConflict, FileLocation{destination.path},
          fmt::format("`{}` would replace the input `{}`; give it another path", destination.what, input));
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

void guardTables(std::vector<Artifact>& artifacts, const PassRegistry& registry) {
  for (Artifact& artifact : artifacts)
    if (const OutputKind* kind = findOutputKind(registry.outputKinds(), artifact.kind); kind && kind->isCsv)
      artifact.bytes = withoutFormulas(artifact.bytes);
}

ExitCode writeOutputs(const std::vector<Artifact>& artifacts, const std::string& dumps, const Settings& settings,
                      const SourceManager& sources, DiagnosticEngine& diagnostics, const TraceCopier& copyTrace) {
  std::vector<Destination> destinations;
  std::vector<FileToWrite> files;
  std::deque<std::string> compressed;
  for (const Artifact& artifact : artifacts) {
    destinations.push_back({artifact.kind, destinationOf(artifact.path, settings), artifact.path.empty()});
    const std::string& path = destinations.back().path;
    if (artifact.annotations)
      files.push_back({path, {}, [&artifact, &copyTrace, path](ByteSink& out) {
                         const auto compressing = compressingSink(path, out);
                         ByteSink& copy = compressing ? *compressing : out;
                         return copyTrace(artifact, copy) && copy.finish();
                       }});
    else if (auto bytes = compressedFor(path, artifact.bytes))
      files.push_back({path, compressed.emplace_back(std::move(*bytes))});
    else
      files.push_back({path, artifact.bytes});
  }
  if (!settings.printTo.empty()) destinations.push_back({std::string(kDumps), settings.printTo});
  // Some outputs have one file per run. All files are known only now.
  if (const ExitCode code = checkDestinations(destinations, inputFiles(settings, sources), diagnostics);
      code != ExitCode::Done)
    return code;
  const bool written = writeDumps(dumps, settings, sources, diagnostics) && writeFilesAtomically(files, diagnostics);
  return written ? ExitCode::Done : ExitCode::InputFault;
}

bool writeDumps(const std::string& dumps, const Settings& settings, const SourceManager& sources,
                DiagnosticEngine& diagnostics) {
  if (settings.printTo.empty()) return true;
  // Rules were read after the destinations were checked, and a failed run comes here without a second check.
  const Destination destination{std::string(kDumps), settings.printTo};
  return checkDestinations({destination}, inputFiles(settings, sources), diagnostics) == ExitCode::Done &&
         writeFileAtomically(settings.printTo, dumps, diagnostics);
}

}  // namespace amdahlc::driver
