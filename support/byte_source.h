/// Bytes that are read once, from the beginning to the end: of a file, a pipe or memory, plain or compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace amdahlc {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads up to `count` bytes; fewer only at the end or after a failure, which has been reported.
  virtual size_t read(char* to, size_t count) = 0;
  /// Whether reading stopped before the end.
  bool failed() const { return failed_; }

 protected:
  bool failed_ = false;
};

/// A regular file or a pipe (`-` is stdin). Reports `file-unreadable` and returns null. `diagnostics` must outlive the
/// source.
std::unique_ptr<ByteSource> openBytes(const std::string& path, DiagnosticEngine& diagnostics);

/// All bytes of a source, of which `expected` are likely. Reports `file-too-large` for more than `limit`; nullopt then,
/// and if the source fails. `file` names it.
std::optional<std::string> readAll(ByteSource& source, uint64_t limit, const std::string& file,
                                   DiagnosticEngine& diagnostics, size_t expected = 0);

/// Bytes in memory, which must outlive the source.
std::unique_ptr<ByteSource> bytesInMemory(std::string_view bytes);

enum class Compression : uint8_t { None, Gzip, Zstd };

/// The bytes that tell the compression.
inline constexpr size_t kMagicBytes = 4;

/// By the first bytes of a file.
Compression compressionOf(std::string_view beginning);

/// The decompressed bytes of `compressed`, which must outlive the result. Reports `compressed-damaged` at the byte
/// where the compressed data are damaged or end early; `file` names them.
std::unique_ptr<ByteSource> decompress(ByteSource& compressed, Compression compression, const std::string& file,
                                       DiagnosticEngine& diagnostics);

/// `bytes` as a file of this name has them: compressed for `.gz` and `.zst`, nullopt for other names.
std::optional<std::string> compressedFor(std::string_view fileName, std::string_view bytes);

}  // namespace amdahlc
