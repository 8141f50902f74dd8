/// Reads whole files up to a limit, and writes files atomically; failures become diagnostics.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace amdahlc {

/// The name of stdin in messages, and of what was read from it.
inline constexpr std::string_view kStdinName = "<stdin>";
/// The name of the input `path`: `<stdin>` for `-`.
inline std::string inputName(const std::string& path) { return path == "-" ? std::string(kStdinName) : path; }

/// Reads a whole regular file or a pipe (`-` is stdin). Reports `file-unreadable` or `file-too-large` and returns
/// nullopt.
std::optional<std::string> readFile(const std::filesystem::path& path, uint64_t maxBytes,
                                    DiagnosticEngine& diagnostics);

/// Writes a file without a name, which then gets the name of the target, so that a reader sees the old file or the new
/// one, and an interrupt leaves nothing behind. Where the file system has no such files, it is a temporary one beside
/// the target. A device or a pipe is written in place; `-` is stdout. Reports `file-unwritable` and returns false.
bool writeFileAtomically(const std::filesystem::path& path, std::string_view bytes, DiagnosticEngine& diagnostics);

/// The descriptor of a name such as `-`, `/dev/stdout` or `/dev/fd/3`. A rename would replace the file that the shell
/// opened for its redirection.
std::optional<int> namedDescriptor(const std::string& path);

/// Resolves a chain of symbolic links, up to the name of a descriptor; its end need not exist. A write goes there.
/// Returns 0 or the error number.
int followLinks(std::filesystem::path& path);

/// A text and its destination. Both must outlive the write.
struct FileToWrite {
  std::filesystem::path path;
  std::string_view bytes;
};

/// Writes several files together, each like `writeFileAtomically`: first all temporary files, then devices, pipes and
/// stdout, then all renames. After a failure no file has changed, except if a rename fails after others (because the
/// folder changed meanwhile). Reports each text that cannot be written.
bool writeFilesAtomically(std::span<const FileToWrite> files, DiagnosticEngine& diagnostics);

}  // namespace amdahlc
