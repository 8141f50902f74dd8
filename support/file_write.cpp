#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "support/file.h"

namespace amdahlc {
namespace {

constexpr int kMaxLinks = 40;  // as Linux: then the links are taken for a circle

/// Writes everything; 0, or the error number.
int writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

/// The descriptor that a name such as `/dev/stdout` or `/dev/fd/3` stands for. Renaming over what it leads to would cut the
/// shell's redirection off from the file it opened.
std::optional<int> namedDescriptor(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    int fd = -1;
    const char* end = path.data() + path.size();
    const auto [stopped, error] = std::from_chars(path.data() + prefix.size(), end, fd);
    if (error == std::errc() && stopped == end && fd >= 0) return fd;
  }
  return std::nullopt;
}

/// Where a chain of symbolic links ends, whether or not something is there; 0 or the error number.
int followLinks(std::filesystem::path& path) {
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code error;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) return 0;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return error.value();
    path = path.parent_path() / target;  // an absolute target replaces the whole
  }
  return ELOOP;
}

int writeInPlace(const std::filesystem::path& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = writeAll(fd, bytes);
  if (::close(fd) != 0 && error == 0) return errno;
  return error;
}

/// A new file beside `target` with the permissions that an ordinary new file has.
int createBeside(const std::filesystem::path& target, std::filesystem::path& temporary) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    temporary = target.parent_path() / fmt::format(".amdahlc-{}-{}.tmp", ::getpid(), attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

int replace(const std::filesystem::path& target, const struct stat* existing, std::string_view bytes) {
  if (existing && ::access(target.c_str(), W_OK) != 0) return errno;  // a read-only file is not ours to replace
  std::filesystem::path temporary;
  const int fd = createBeside(target, temporary);
  if (fd < 0) return errno;
  int error = writeAll(fd, bytes);
  if (error == 0 && existing) {
    // Only root may give a file away; anyone else keeps the file as its own.
    [[maybe_unused]] const int owned = ::fchown(fd, existing->st_uid, existing->st_gid);
    if (::fchmod(fd, existing->st_mode & 07777) != 0) error = errno;
  }
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(temporary.c_str());
  return error;
}

int writeTo(std::filesystem::path path, std::string_view bytes) {
  if (path.native().find('\0') != std::string::npos) return EINVAL;
  if (path.empty()) return ENOENT;
  if (const auto fd = namedDescriptor(path.string())) return writeAll(*fd, bytes);
  if (const int error = followLinks(path)) return error;
  if (const auto fd = namedDescriptor(path.string())) return writeAll(*fd, bytes);
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return errno == ENOENT ? replace(path, nullptr, bytes) : errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  return S_ISREG(status.st_mode) ? replace(path, &status, bytes) : writeInPlace(path, bytes);
}

}  // namespace

bool writeFileAtomically(const std::filesystem::path& path, std::string_view bytes, DiagnosticEngine& diagnostics) {
  const int error = writeTo(path, bytes);
  if (error == 0) return true;
  diagnostics.error(DiagId::FileUnwritable, FileLocation{path == "-" ? "<stdout>" : path.string()},
                    fmt::format("cannot write the file: {}", std::strerror(error)));
  return false;
}

}  // namespace amdahlc
