/// Files in and out: bounded reads, and writes that are whole or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace amdahlc {

/// Reads a whole regular file or a pipe (`-` is stdin). Reports `file-unreadable` or `file-too-large` and returns
/// nullopt.
std::optional<std::string> readFile(const std::filesystem::path& path, uint64_t maxBytes,
                                    DiagnosticEngine& diagnostics);

/// Writes beside the target and renames, so that a reader sees the old file or the new one. A device or a pipe is
/// written in place; `-` is stdout. Reports `file-unwritable` and returns false.
bool writeFileAtomically(const std::filesystem::path& path, std::string_view bytes, DiagnosticEngine& diagnostics);

/// A text and where it goes; both outlive the write.
struct FileToWrite {
  std::filesystem::path path;
  std::string_view bytes;
};

/// Writes several files as one, each as `writeFileAtomically` does: first everything that goes into files, beside its
/// target; then devices, pipes and stdout; then all renames. Whatever fails, no file was touched, save where a rename
/// fails after others (the folder changed meanwhile). Each text that cannot be written is reported.
bool writeFilesAtomically(std::span<const FileToWrite> files, DiagnosticEngine& diagnostics);

/// Inflates gzip or zlib data. nullopt and a diagnostic at the byte offset for damaged or truncated data, or where the
/// result would exceed `maxBytes`.
std::optional<std::string> inflate(std::string_view compressed, uint64_t maxBytes, const std::string& file,
                                   DiagnosticEngine& diagnostics);
bool looksGzipped(std::string_view bytes);

/// 64-bit FNV-1a as 16 hexadecimal digits: names a file's content, no security intended.
std::string contentHash(std::string_view bytes);

}  // namespace amdahlc
