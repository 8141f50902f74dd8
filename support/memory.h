/// A limit on the memory of the process, and the error of what reached it.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "support/diagnostic.h"

namespace amdahlc {

/// From now on, an allocation that would take the process beyond so many bytes of its own throws std::bad_alloc (or
/// makes a library report it), instead of letting the system end some process. 0 stands for the memory of the machine,
/// or what its control group may use if that is less. Files that are mapped are not counted. A build with a sanitizer
/// needs far more memory than it uses, and has no limit.
void limitMemory(int64_t bytes);

/// Puts the first 32 MB of the heap of this thread on large pages, where the system has them, unless the limit on
/// memory leaves no room to spare. To be given memory in small pages takes a tenth of the time of a short analysis.
void useLargePages();

/// Reports `out-of-memory`: which input, and while what was done to it.
void reportOutOfMemory(DiagnosticEngine& diagnostics, Location where, std::string_view doing);

/// The result of `work`, a kind of std::optional. If memory runs out, it is reported, and the result is empty.
template <typename Work>
auto withinMemory(DiagnosticEngine& diagnostics, Location where, std::string_view doing, Work&& work)
    -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): what it held must be freed first
  }
  reportOutOfMemory(diagnostics, std::move(where), doing);
  return {};
}

}  // namespace amdahlc
