#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "support/decimal_time.h"
#include "support/file.h"

namespace amdahlc {
namespace {

// The limit of Linux on symbolic links.
constexpr int kMaxLinks = 40;

/// Writes all bytes. Returns 0, or the error number.
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

int writeInPlace(const std::filesystem::path& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = writeAll(fd, bytes);
  if (::close(fd) != 0 && error == 0) return errno;
  return error;
}

std::filesystem::path folderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// Calls `create` with names beside `target` until one is free. Returns its result, and the name.
template <typename Create>
int withFreeNameBeside(const std::filesystem::path& target, std::filesystem::path& temporary, const Create& create) {
  int result = -1;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    temporary = target.parent_path() / fmt::format(".amdahlc-{}-{}.tmp", ::getpid(), attempt);
    result = create(temporary.c_str());
    if (result >= 0 || errno != EEXIST) break;
  }
  return result;
}

/// Through /proc, because a link from a descriptor itself needs a privilege.
std::string linkOf(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

/// Creates a file without a name in the folder of `target`, with the permissions of an ordinary new file: it vanishes
/// with the process, whatever ends that. -1 where the file system has no such files, or /proc is not there.
int createWithoutName(const std::filesystem::path& target) {
  const int fd = ::open(folderOf(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd >= 0 && ::access(linkOf(fd).c_str(), F_OK) == 0) return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

/// One file of a write: a file without a name where there are such, else a temporary one beside the target. It gets the
/// name of the target at the end.
class PendingFile {
 public:
  PendingFile(std::filesystem::path path, std::string_view bytes) : path_(std::move(path)), bytes_(bytes) {}
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile() { discard(); }

  /// Resolves the path, and writes the temporary file. Returns 0 or the error number, like the others.
  int stage() {
    if (path_.native().find('\0') != std::string::npos) return EINVAL;
    if (path_.empty()) return ENOENT;
    if (const int error = followLinks(path_)) return error;
    descriptor_ = namedDescriptor(path_.string());
    if (descriptor_) return 0;
    struct stat status{};
    if (::stat(path_.c_str(), &status) != 0) return errno == ENOENT ? stageBeside(nullptr) : errno;
    if (S_ISDIR(status.st_mode)) return EISDIR;
    if (S_ISREG(status.st_mode)) return stageBeside(&status);
    inPlace_ = true;
    return 0;
  }

  /// Writes devices, pipes and stdout, which cannot be renamed.
  int writeThrough() const {
    if (descriptor_) return writeAll(*descriptor_, bytes_);
    return inPlace_ ? writeInPlace(path_, bytes_) : 0;
  }

  int commit() {
    if (fd_ >= 0) {
      const auto link = [&](const char* name) {
        return ::linkat(AT_FDCWD, linkOf(fd_).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
      };
      if (link(path_.c_str()) == 0) return closed();
      std::filesystem::path temporary;
      if (errno == EEXIST && withFreeNameBeside(path_, temporary, link) == 0) {
        // A link replaces nothing, a rename does.
        temporary_ = std::move(temporary);
      } else {
        // Some file systems have files without a name, but do not let them get one.
        closed();
        struct stat status{};
        const bool exists = ::stat(path_.c_str(), &status) == 0;
        if (const int error = stageNamed(exists ? &status : nullptr)) return error;
      }
    }
    if (temporary_.empty()) return 0;
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return errno;
    temporary_.clear();
    return closed();
  }

  void discard() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
    closed();
  }

 private:
  /// Returns 0, because all bytes were written and flushed before.
  int closed() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    return 0;
  }

  int stageBeside(const struct stat* existing) {
    if (existing && ::access(path_.c_str(), W_OK) != 0) return errno;  // a read-only file is not replaced
    fd_ = createWithoutName(path_);
    return fd_ >= 0 ? fill(fd_, existing) : stageNamed(existing);
  }

  int stageNamed(const struct stat* existing) {
    std::filesystem::path temporary;
    const int fd = withFreeNameBeside(
        path_, temporary, [](const char* name) { return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (fd < 0) return errno;
    temporary_ = std::move(temporary);
    const int error = fill(fd, existing);
    return ::close(fd) != 0 && error == 0 ? errno : error;
  }

  /// Writes all bytes, and takes over owner and permissions.
  int fill(int fd, const struct stat* existing) const {
    if (const int error = writeAll(fd, bytes_)) return error;
    if (!existing) return 0;
    // Only root may change the owner of a file; for other users the new file is their own.
    [[maybe_unused]] const int owned = ::fchown(fd, existing->st_uid, existing->st_gid);
    return ::fchmod(fd, existing->st_mode & 07777) == 0 ? 0 : errno;
  }

  // With links resolved, once staged.
  std::filesystem::path path_;
  std::string_view bytes_;
  // Of a file without a name; -1: none.
  int fd_ = -1;
  // Empty: none.
  std::filesystem::path temporary_;
  std::optional<int> descriptor_;
  bool inPlace_ = false;
};

/// Ignores a signal during its lifetime, so that what it tells of is an error number and the process does not end: a
/// closed pipe (SIGPIPE), a file larger than the limit (SIGXFSZ).
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int signal) : signal_(signal) {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(signal_, &ignore, &before_);
  }
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;
  ~IgnoredSignal() { ::sigaction(signal_, &before_, nullptr); }

 private:
  const int signal_;
  struct sigaction before_{};
};

/// Holds back interrupts during its lifetime: all files get their names or, if one came before, none.
class HeldInterrupts {
 public:
  HeldInterrupts() {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&held, signal);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;
  ~HeldInterrupts() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

std::optional<int> namedDescriptor(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    const auto fd = parseWhole(std::string_view(path).substr(prefix.size()));
    if (fd && *fd >= 0 && std::in_range<int>(*fd)) return static_cast<int>(*fd);
  }
  return std::nullopt;
}

int followLinks(std::filesystem::path& path) {
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code error;
    if (namedDescriptor(path.string())) return 0;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) return 0;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return error.value();
    path = path.parent_path() / target;  // an absolute target replaces the whole
  }
  return ELOOP;
}

bool writeFilesAtomically(std::span<const FileToWrite> files, DiagnosticEngine& diagnostics) {
  std::deque<PendingFile> pending;
  for (const FileToWrite& file : files) pending.emplace_back(file.path, file.bytes);
  std::vector<size_t> broken;
  const auto report = [&](size_t i, int error) {
    diagnostics.error(DiagId::FileUnwritable, FileLocation{files[i].path == "-" ? "<stdout>" : files[i].path.string()},
                      fmt::format("cannot write the file: {}", std::strerror(error)));
  };
  const auto phase = [&](int (*step)(PendingFile&)) {
    bool good = true;
    for (size_t i = 0; i < pending.size(); ++i) {
      const int error = step(pending[i]);
      if (error == 0) continue;
      good = false;
      error == EPIPE ? broken.push_back(i) : report(i, error);
    }
    return good;
  };
  bool good = false;
  {
    const IgnoredSignal pipe(SIGPIPE), size(SIGXFSZ);
    good = phase([](PendingFile& file) { return file.stage(); }) &&
           phase([](PendingFile& file) { return file.writeThrough(); });
    if (good) {
      const HeldInterrupts guard;
      good = phase([](PendingFile& file) { return file.commit(); });
    }
  }
  if (broken.empty()) return good;
  // The reader closed the pipe: end by the signal, like other filters, but without temporary files. If the signal is
  // ignored, it is an error.
  pending.clear();
  ::raise(SIGPIPE);
  for (const size_t i : broken) report(i, EPIPE);
  return false;
}

bool writeFileAtomically(const std::filesystem::path& path, std::string_view bytes, DiagnosticEngine& diagnostics) {
  const FileToWrite file{path, bytes};
  return writeFilesAtomically({&file, 1}, diagnostics);
}

}  // namespace amdahlc
