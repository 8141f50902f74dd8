#include "support/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/bytes.h"
#include "support/file.h"

namespace amdahlc {
namespace {

class FileBytes : public ByteSource {
 public:
  FileBytes(const std::string& path, DiagnosticEngine& diagnostics)
      : name_(inputName(path)), diagnostics_(diagnostics) {
    if (const std::string why = open(path); !why.empty()) fail(why);
  }
  ~FileBytes() override {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// Of a regular file; 0 for others.
  uint64_t size() const { return size_; }

  size_t read(char* to, size_t count) override {
    size_t used = 0;
    while (used < count && !failed_) {
      const ssize_t got = ::read(fd_, to + used, count - used);
      if (got == 0) break;
      if (got > 0)
        used += static_cast<size_t>(got);
      else if (errno != EINTR)
        fail(std::strerror(errno));
    }
    return used;
  }

 private:
  /// Why the file cannot be read; empty if it can.
  std::string open(const std::string& path) {
    if (path.find('\0') != std::string::npos) return "the name contains a zero byte";
    fd_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (fd_ < 0 || ::fstat(fd_, &status) != 0) return std::strerror(errno);
    if (S_ISDIR(status.st_mode)) return "it is a folder";
    if (S_ISBLK(status.st_mode)) return "it is a block device";
    if (S_ISREG(status.st_mode)) size_ = static_cast<uint64_t>(status.st_size);
    return {};
  }
  void fail(std::string_view why) {
    failed_ = true;
    diagnostics_.error(DiagId::FileUnreadable, FileLocation{name_}, fmt::format("cannot read the file: {}", why));
  }

  const std::string name_;
  DiagnosticEngine& diagnostics_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : rest_(bytes) {}
  size_t read(char* to, size_t count) override {
    const size_t taken = std::min(count, rest_.size());
    std::copy_n(rest_.data(), taken, to);
    rest_.remove_prefix(taken);
    return taken;
  }

 private:
  std::string_view rest_;
};

std::nullopt_t tooLarge(uint64_t limit, const std::string& file, DiagnosticEngine& diagnostics) {
  diagnostics.error(DiagId::FileTooLarge, FileLocation{file},
                    fmt::format("the file is larger than the limit of {}", formatBytesExactly(limit)));
  return std::nullopt;
}

}  // namespace

std::unique_ptr<ByteSource> openBytes(const std::string& path, DiagnosticEngine& diagnostics) {
  auto file = std::make_unique<FileBytes>(path, diagnostics);
  if (file->failed()) return nullptr;
  return file;
}

std::optional<std::string> readAll(ByteSource& source, uint64_t limit, const std::string& file,
                                   DiagnosticEngine& diagnostics, size_t expected) {
  constexpr size_t kStep = size_t{1} << 16;
  std::string bytes;
  // One byte more, so that the end is seen without room for more.
  bytes.reserve(expected > 0 ? expected + 1 : kStep);
  for (size_t used = 0;;) {
    // One byte more than the limit, to distinguish a file of exactly that size from a larger one.
    if (used > limit) return tooLarge(limit, file, diagnostics);
    const size_t capacity = used < bytes.capacity() ? bytes.capacity() : used + std::max(used / 2, kStep);
    bytes.resize(std::min<uint64_t>(capacity, limit + 1));
    used += source.read(bytes.data() + used, bytes.size() - used);
    if (source.failed()) return std::nullopt;
    if (used == bytes.size()) continue;
    bytes.resize(used);
    return bytes;
  }
}

std::optional<std::string> readFile(const std::filesystem::path& path, uint64_t maxBytes,
                                    DiagnosticEngine& diagnostics) {
  FileBytes file(path.string(), diagnostics);
  if (file.failed()) return std::nullopt;
  const std::string name = inputName(path.string());
  if (file.size() > maxBytes) return tooLarge(maxBytes, name, diagnostics);
  return readAll(file, maxBytes, name, diagnostics, static_cast<size_t>(file.size()));
}

std::unique_ptr<ByteSource> bytesInMemory(std::string_view bytes) { return std::make_unique<MemoryBytes>(bytes); }

}  // namespace amdahlc
