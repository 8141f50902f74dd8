#include "bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string_view>

namespace amdahlc::bench {

double bestOfMs(int runs, const std::function<void()>& call, const std::function<void()>& prepare) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    if (prepare) prepare();
    const std::clock_t start = std::clock();
    call();
    best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void GrowthTable::print(const std::string& title, const std::string& sizeName) const {
  fmt::print("{}\n{:>12}", title, sizeName);
  for (const std::string& phase : phases_) fmt::print("{:>22}", phase + " ms");
  fmt::print("\n");
  for (size_t i = 0; i < rows_.size(); ++i) {
    fmt::print("{:>12}", rows_[i].size);
    for (size_t k = 0; k < phases_.size(); ++k) {
      std::string cell = fmt::format("{:.1f}", rows_[i].milliseconds[k]);
      if (i > 0) cell += fmt::format(" (x{:.1f})", rows_[i].milliseconds[k] / rows_[i - 1].milliseconds[k]);
      fmt::print("{:>22}", cell);
    }
    fmt::print("\n");
  }
}

}  // namespace amdahlc::bench

int main(int argc, char** argv) {
  const std::string_view only = argc > 1 ? argv[1] : "";
  bool known = only.empty();
  if (only.empty() || only == "fuse") {
    amdahlc::bench::fuse();
    known = true;
  }
  if (!known) fmt::print(stderr, "unknown benchmark `{}`; there is: fuse\n", only);
  return known ? 0 : 2;
}
