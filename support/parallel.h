/// Independent pieces of work on several cores.
#pragma once

#include <cstddef>
#include <functional>

namespace amdahlc {

/// The number of cores that this process may use; at least 1.
size_t availableCores();

/// Calls `work` with 0 to `count` - 1, each once, from up to `threads` threads, the calling one among them. Rethrows
/// an exception of `work` after all threads have ended; then pieces may be left. Numbers are handed out in ascending
/// order. After each piece of the calling thread, `progress` is called
/// there with the number of pieces that are done.
void runInParallel(size_t count, size_t threads, const std::function<void(size_t)>& work,
                   const std::function<void(size_t)>& progress = {});

}  // namespace amdahlc
