#include "support/memory.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "support/bytes.h"

namespace amdahlc {
namespace {

/// 0 stands for no limit.
int64_t lesserLimit(int64_t a, int64_t b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

/// The least limit of a control group and of all groups around it, 0 without one. `path` begins with `/`.
int64_t limitOfGroups(const std::string& root, std::string path, const char* file) {
  int64_t least = 0;
  for (;;) {
    int64_t limit = 0;
    // `max` is no number.
    if (std::ifstream(root + path + "/" + file) >> limit && limit > 0) least = lesserLimit(least, limit);
    if (path.size() <= 1) return least;
    path.resize(std::max<size_t>(1, path.rfind('/')));
  }
}

/// That of the control groups of this process, of version 2 and 1; 0 without one.
int64_t limitOfGroups() {
  int64_t least = 0;
  std::ifstream groups("/proc/self/cgroup");
  // `ID:CONTROLLERS:PATH`; version 2 has no controllers.
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      path = line.substr(second + 1);
    int64_t limit = 0;
    if (controllers == ",,")
      limit = limitOfGroups("/sys/fs/cgroup", path, "memory.max");
    else if (controllers.find(",memory,") != std::string::npos)
      limit = limitOfGroups("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
    least = lesserLimit(least, limit);
  }
  return least;
}

/// 0 if neither the memory of the machine nor a limit of its control group is known.
int64_t memoryOfMachine() {
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES), pageBytes = ::sysconf(_SC_PAGESIZE);
  return lesserLimit(pages > 0 && pageBytes > 0 ? pages * pageBytes : 0, limitOfGroups());
}

// GCC 12 defines macros for its sanitizers, Clang tells of features.
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

void limitMemory(int64_t bytes) {
  if (bytes == 0) bytes = memoryOfMachine();
  struct rlimit limit{};
  if (kSanitized || bytes <= 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(static_cast<rlim_t>(bytes), limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

void useLargePages() {
  // Larger blocks are never part of the heap: glibc has no higher threshold.
  constexpr uintptr_t kHeap = uintptr_t{1} << 25;
  constexpr rlim_t kPlenty = rlim_t{1} << 29;
  struct rlimit limit{};
  if (kSanitized || ::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur < kPlenty) return;
  ::mallopt(M_MMAP_THRESHOLD, kHeap);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kHeap);
  const auto pageBytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const block = std::malloc(kHeap - pageBytes);
  // A page starts at a multiple of its size.
  const auto offset = reinterpret_cast<uintptr_t>(block) % pageBytes;
  ::madvise(static_cast<char*>(block) - offset, kHeap - pageBytes, MADV_HUGEPAGE);
  // The heap keeps what it has grown by.
  std::free(block);
}

void reportOutOfMemory(DiagnosticEngine& diagnostics, Location where, std::string_view doing) {
  struct rlimit limit{};
  const bool isKnown = ::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  diagnostics
      .error(DiagId::OutOfMemory, std::move(where),
             isKnown
                 ? fmt::format("memory ran out while {}; the limit is {}", doing, formatBytesExactly(limit.rlim_cur))
                 : fmt::format("memory ran out while {}", doing))
      .note("`-max-memory=` sets the limit; by default it is the memory of the machine, or of its control group");
}

}  // namespace amdahlc
