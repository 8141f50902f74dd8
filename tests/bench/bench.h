/// Benchmarks: how long, and how it grows with the input.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace amdahlc::bench {

/// Processor time of one call in milliseconds: the best of a few, because noise only adds. Everything measured runs on
/// one thread.
/// `prepare` runs before each call and is not measured.
double bestOfMs(int runs, const std::function<void()>& call, const std::function<void()>& prepare = {});

/// A table: one row a size, one column a phase, then how much each phase grew over the row before.
class GrowthTable {
 public:
  explicit GrowthTable(std::vector<std::string> phases) : phases_(std::move(phases)) {}
  void add(size_t size, std::vector<double> milliseconds) { rows_.push_back({size, std::move(milliseconds)}); }
  void print(const std::string& title, const std::string& sizeName) const;

 private:
  struct Row {
    size_t size;
    std::vector<double> milliseconds;
  };
  std::vector<std::string> phases_;
  std::vector<Row> rows_;
};

/// `fuse`: matching and choosing over generated models with 100 rules.
void fuse();

}  // namespace amdahlc::bench
