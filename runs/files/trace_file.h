/// One opened file of a trace: its beginning, which tells the format, then its content from the start. Internal to the
/// readers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/byte_source.h"
#include "support/content_hash.h"
#include "support/diagnostic.h"

namespace amdahlc::trace {

/// How many bytes of a damaged text a message shows, around the damage if they are before and after it.
inline constexpr size_t kShownBytes = 40;

class TraceFile : public ByteSource {
 public:
  /// `-` is stdin. Reports why the file cannot be read and returns null. `diagnostics` must outlive the file.
  static std::unique_ptr<TraceFile> open(const std::string& path, DiagnosticEngine& diagnostics);
  /// Of bytes in memory, which must outlive it. `name` names them in messages.
  static std::unique_ptr<TraceFile> inMemory(std::string_view bytes, const std::string& name,
                                             DiagnosticEngine& diagnostics);
  ~TraceFile() override;

  /// As given, for messages.
  const std::string& name() const { return name_; }
  /// The last component of the name.
  std::string lastComponent() const;
  /// The path of a plain regular file, for libraries that open it themselves; empty for stdin, memory, a pipe or a
  /// compressed file.
  const std::string& plainPath() const { return plainPath_; }
  TraceLocation at(uint64_t byteOffset) const { return {name_, byteOffset, std::nullopt}; }

  /// Reports that the content goes on behind the bytes that its header states.
  void reportGoesOn(uint64_t stated) const;
  /// Reports that the JSON ends early, at this byte.
  void reportJsonEnd(uint64_t byteOffset) const;
  /// Reports that the JSON is damaged at a byte, with the text around it. `text` begins at `textOffset` of the file.
  void reportJsonDamage(uint64_t byteOffset, std::string_view text, uint64_t textOffset) const;

  /// The first `kBeginningBytes` of the content, decompressed; all of a shorter one.
  static constexpr size_t kBeginningBytes = size_t{1} << 16;
  std::string_view beginning() const;

  /// Calls `told` after each read of the content with the part of the file that is read. Never if its size is unknown.
  void tellReads(std::function<void(double fraction)> told) { told_ = std::move(told); }

  /// The content, decompressed, from the start. The beginning is part of it. Only once.
  size_t read(char* to, size_t count) override;
  /// All of it. Reports why not and returns nullopt if there are more than `maxBytes`, more than the content itself
  /// states, or far more than the compressed file explains, as it does if reading fails.
  std::optional<std::string> readAll(uint64_t maxBytes, std::optional<uint64_t> stated = std::nullopt);

  /// Of the file's bytes, as they are on disk. Reads what has not been read yet.
  std::string contentHash();

 private:
  class Hashed;
  class Peeked;

  TraceFile(std::unique_ptr<ByteSource> bytes, std::string name, DiagnosticEngine& diagnostics);

  const std::string name_;
  DiagnosticEngine& diagnostics_;
  std::string plainPath_;
  /// On disk; 0 if it is not known.
  uint64_t sizeOnDisk_ = 0;
  std::function<void(double)> told_;
  std::unique_ptr<Hashed> file_;
  /// The file, with the bytes that tell its compression.
  std::unique_ptr<Peeked> compressed_;
  std::unique_ptr<ByteSource> decompressed_;
  /// What is decompressed, or else the file.
  std::unique_ptr<Peeked> content_;
};

}  // namespace amdahlc::trace
