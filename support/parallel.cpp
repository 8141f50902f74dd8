#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace amdahlc {

size_t availableCores() { return std::max<size_t>(std::thread::hardware_concurrency(), 1); }

void runInParallel(size_t count, size_t threads, const std::function<void(size_t)>& work,
                   const std::function<void(size_t)>& progress) {
  std::atomic<size_t> next{0}, done{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take = [&](bool isCaller) {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
        const size_t finished = ++done;
        if (isCaller && progress) progress(finished);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
        return;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < std::min(threads, count); ++i) {
      try {
        others.emplace_back(take, false);
      } catch (const std::system_error&) {
        break;  // fewer threads do the same work
      } catch (const std::bad_alloc&) {
        break;
      }
    }
    take(true);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace amdahlc
