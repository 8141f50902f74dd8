#include "driver/outputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include "support/byte_source.h"
#include "support/file.h"

namespace amdahlc::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDumps = "dumps of -print-to";

bool isStdout(const std::string& path) { return namedDescriptor(path) == STDOUT_FILENO; }

/// Whether several outputs may go there, one behind the other. A file receives one, and so does a named pipe, whose
/// reader is done after the first.
bool sharable(const fs::path& path) {
  std::error_code error;
  return fs::is_character_file(path, error);
}

/// The file of a path, with links resolved; nullopt for devices, pipes, folders and missing files.
std::optional<std::pair<dev_t, ino_t>> regularFile(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

/// Where a write to a path goes: links are followed, also to a file that does not exist yet. The path of a folder may
/// end with a slash.
fs::path targetOf(const std::string& path) {
  fs::path target(path);
  if (!target.has_filename()) target = target.parent_path();
  followLinks(target);
  return target;
}

/// Whether outputs on two descriptors of one file stand one behind the other: both append, or they share a place in it,
/// as copies of one descriptor do. Those that the shell opened by themselves overwrite each other.
bool writeInTurn(int a, int b) {
  const auto appends = [](int descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    return flags != -1 && (flags & O_APPEND) != 0;
  };
  if (appends(a) && appends(b)) return true;
  const off_t place = ::lseek(a, 0, SEEK_CUR), other = ::lseek(b, 0, SEEK_CUR);
  if (place == -1 || other == -1 || ::lseek(a, place + 1, SEEK_SET) == -1) return false;
  const bool areCopies = ::lseek(b, 0, SEEK_CUR) != other;
  ::lseek(a, place, SEEK_SET);
  return areCopies;
}

bool samePlace(const std::string& a, const std::string& b) {
  const fs::path one = targetOf(a), other = targetOf(b);
  const auto first = namedDescriptor(one.string()), second = namedDescriptor(other.string());
  // What is written to a descriptor replaces nothing. Outputs on stdout may be there by mistake, because no path also
  // means stdout.
  if (first && first == second) return first == STDOUT_FILENO;
  // The shell may have opened the file for its redirection.
  if (first || second) {
    const auto fileOf = [](const fs::path& path, std::optional<int> descriptor) {
      return regularFile(descriptor ? fmt::format("/dev/fd/{}", *descriptor) : path.string());
    };
    const auto file = fileOf(one, first);
    return file && file == fileOf(other, second) && !(first && second && writeInTurn(*first, *second));
  }
  std::error_code error;
  const auto place = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path, error), error); };
  return place(one) == place(other) && !sharable(one);
}

/// Why a file cannot be created or replaced there, or files in a folder; empty if they can.
std::string obstacle(const Destination& destination) {
  const std::string& path = destination.path;
  if (isStdout(path)) return "";
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (destination.isFolder && fs::exists(status) && !fs::is_directory(status)) return "it is no folder";
  if (!destination.isFolder && fs::is_directory(status)) return "it is a folder";
  if (fs::exists(status)) return ::access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  fs::path target = targetOf(path);
  if (const int loop = followLinks(target)) return std::strerror(loop);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (!fs::is_directory(folder, error)) return fmt::format("there is no folder `{}`", folder.string());
  return ::access(folder.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
}

/// The destination of an output: `path`, else `-o`, else stdout.
std::string destinationOf(const std::string& path, const Settings& settings) {
  if (!path.empty()) return path;
  return settings.output.empty() ? "-" : settings.output;
}

/// Folders that were made for outputs. Those that are still empty at the end are removed: nothing was written.
class MadeFolders {
 public:
  MadeFolders() = default;
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;
  ~MadeFolders() {
    std::error_code error;
    for (const fs::path& folder : made_) fs::remove(folder, error);
  }

  /// Reports why a folder cannot be made and returns false.
  bool make(const std::string& folder, DiagnosticEngine& diagnostics) {
    std::error_code error;
    if (fs::is_directory(folder, error)) return true;
    if (fs::create_directory(folder, error)) {
      made_.emplace_back(folder);
      return true;
    }
    diagnostics.error(DiagId::FileUnwritable, FileLocation{folder},
                      fmt::format("cannot make the folder: {}", error ? error.message() : "it is no folder"));
    return false;
  }

 private:
  std::vector<fs::path> made_;
};

}  // namespace

std::vector<Destination> plannedDestinations(const api::Analysis& analysis, const Settings& settings) {
  std::vector<Destination> destinations;
  for (const OutputRequest& planned : analysis.plannedOutputs()) {
    const Output* output = findOutput(planned.kind);
    destinations.push_back({planned.kind, destinationOf(planned.path, settings), planned.path.empty(),
                            output != nullptr && output->isFolder});
  }
  if (!settings.printTo.empty()) destinations.push_back({std::string(kDumps), settings.printTo});
  return destinations;
}

std::vector<std::string> inputFiles(const api::Request& request, const SourceManager& sources) {
  std::vector<std::string> files;
  if (request.model) files.push_back(request.model->path);
  for (const api::TraceArgument& trace : request.traces)
    files.insert(files.end(), trace.paths.begin(), trace.paths.end());
  if (request.ranks) {
    for (const api::RankArgument::File& file : request.ranks->files)
      for (const std::string* const path : {&file.path, &file.executionTrace})
        if (!path->empty()) files.push_back(*path);
    files.insert(files.end(), request.ranks->executionTraces.begin(), request.ranks->executionTraces.end());
  }
  if (!request.baseline.empty()) files.push_back(request.baseline);
  for (BufferId buffer = 0; buffer < sources.size(); ++buffer)
    if (!sources.name(buffer).starts_with('<')) files.emplace_back(sources.name(buffer));
  return files;
}

Outcome checkDestinations(const std::vector<Destination>& destinations, const std::vector<std::string>& inputs,
                          DiagnosticEngine& diagnostics) {
  for (size_t i = 0; i < destinations.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (!samePlace(destinations[i].path, destinations[k].path)) continue;
      const std::string place = isStdout(destinations[i].path) ? "stdout" : fmt::format("`{}`", destinations[i].path);
      diagnostics.error(DiagId::OutputConflict, {},
                        fmt::format("`{}` and `{}` both go to {}; give one of them another path", destinations[k].what,
                                    destinations[i].what, place));
      return Outcome::RequestFault;
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
      return Outcome::RequestFault;
    }
  }
  Outcome code = Outcome::Done;
  for (const Destination& destination : destinations) {
    const std::string why = obstacle(destination);
    if (why.empty()) continue;
    diagnostics.error(DiagId::FileUnwritable, FileLocation{destination.path},
                      fmt::format("cannot write `{}` there: {}", destination.what, why));
    code = Outcome::InputFault;
  }
  return code;
}

Outcome writeOutputs(const std::vector<Artifact>& artifacts, const std::string& dumps, const Settings& settings,
                     const std::vector<std::string>& inputs, DiagnosticEngine& diagnostics) {
  std::vector<Destination> destinations;
  std::vector<FileToWrite> files;
  std::deque<std::string> compressed;
  MadeFolders folders;
  for (const Artifact& artifact : artifacts)
    if (!artifact.folder.empty() && !folders.make(artifact.folder, diagnostics)) return Outcome::InputFault;
  for (const Artifact& artifact : artifacts) {
    destinations.push_back({artifact.kind, destinationOf(artifact.path, settings), artifact.path.empty()});
    const std::string& path = destinations.back().path;
    if (auto bytes = compressedFor(path, artifact.bytes))
      files.push_back({path, compressed.emplace_back(std::move(*bytes))});
    else
      files.push_back({path, artifact.bytes});
  }
  if (!settings.printTo.empty()) destinations.push_back({std::string(kDumps), settings.printTo});
  // Some outputs have one file per run. All files are known only now.
  if (const Outcome code = checkDestinations(destinations, inputs, diagnostics); code != Outcome::Done) return code;
  const bool written = writeDumps(dumps, settings, inputs, diagnostics) && writeFilesAtomically(files, diagnostics);
  return written ? Outcome::Done : Outcome::InputFault;
}

bool writeDumps(const std::string& dumps, const Settings& settings, const std::vector<std::string>& inputs,
                DiagnosticEngine& diagnostics) {
  if (settings.printTo.empty()) return true;
  // Rules were read after the destinations were checked, and a failed run comes here without a second check.
  const Destination destination{std::string(kDumps), settings.printTo};
  return checkDestinations({destination}, inputs, diagnostics) == Outcome::Done &&
         writeFileAtomically(settings.printTo, dumps, diagnostics);
}

}  // namespace amdahlc::driver
