/// Measures elapsed wall-clock time in nanoseconds, for `-time-passes`.
#pragma once

#include <chrono>
#include <cstdint>

namespace amdahlc {

class Stopwatch {
 public:
  Stopwatch() : start_(std::chrono::steady_clock::now()) {}
  int64_t elapsedNs() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace amdahlc
