#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/file.h"
#include "support/memory.h"

namespace amdahlc {
namespace {

/// Closes the file, but not standard input.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd > STDERR_FILENO) ::close(fd);
  }
};

}  // namespace

std::optional<std::string> readFile(const std::filesystem::path& path, uint64_t maxBytes,
                                    DiagnosticEngine& diagnostics) {
  const bool isStdin = path == "-";
  const FileLocation location{inputName(path.string())};
  const auto unreadable = [&](std::string_view why) -> std::optional<std::string> {
    diagnostics.error(DiagId::FileUnreadable, location, fmt::format("cannot read the file: {}", why));
    return std::nullopt;
  };
  const auto tooLarge = [&]() -> std::optional<std::string> {
    diagnostics.error(DiagId::FileTooLarge, location,
                      fmt::format("the file is larger than the limit of {}", describeBytes(maxBytes)));
    return std::nullopt;
  };

  if (path.native().find('\0') != std::string::npos) return unreadable("the name contains a zero byte");
  Descriptor file{isStdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return unreadable(std::strerror(errno));
  struct stat status{};
  if (::fstat(file.fd, &status) != 0) return unreadable(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return unreadable("it is a folder");
  if (S_ISBLK(status.st_mode)) return unreadable("it is a block device");

  constexpr size_t kStep = 1u << 16;
  std::string bytes;
  if (S_ISREG(status.st_mode)) {
    if (static_cast<uint64_t>(status.st_size) > maxBytes) return tooLarge();
    // One byte more, so that the end is seen without room for more.
    bytes.reserve(static_cast<size_t>(status.st_size) + 1);
  } else {
    bytes.reserve(kStep);
  }
  for (size_t used = 0;;) {
    // One byte more than the limit, to distinguish a file of exactly that size from a larger one.
    if (used > maxBytes) return tooLarge();
    const size_t capacity = used < bytes.capacity() ? bytes.capacity() : used + std::max(used / 2, kStep);
    bytes.resize(std::min<uint64_t>(capacity, maxBytes + 1));
    const ssize_t got = ::read(file.fd, bytes.data() + used, bytes.size() - used);
    if (got < 0) {
      if (errno == EINTR) continue;
      return unreadable(std::strerror(errno));
    }
    used += static_cast<size_t>(got);
    if (got == 0) {
      bytes.resize(used);
      return bytes;
    }
  }
}

}  // namespace amdahlc
