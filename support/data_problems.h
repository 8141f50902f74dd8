/// Counted problems of data: what was unusual in an input, but usable. Shared by models and timelines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amdahlc {

/// Unusual but usable data. It is counted and reported once per kind.
struct DataProblem {
  /// Kebab case, stable.
  std::string name;
  int64_t count = 0;
  /// One sentence.
  std::string what;
  friend bool operator==(const DataProblem&, const DataProblem&) = default;
};

/// Sorted by name if only `add` fills it.
class DataProblems {
 public:
  DataProblems() = default;
  DataProblems(std::initializer_list<DataProblem> problems) : problems_(problems) {}

  /// Adds to the count of a named problem, which keeps its first sentence; no effect if `count` is 0.
  void add(std::string_view name, int64_t count, std::string_view what);
  /// Adds a problem at the end as it is, so that IR text is kept as it was read.
  void append(DataProblem problem) { problems_.push_back(std::move(problem)); }

  bool empty() const { return problems_.empty(); }
  size_t size() const { return problems_.size(); }
  const DataProblem& operator[](size_t index) const { return problems_[index]; }
  auto begin() const { return problems_.begin(); }
  auto end() const { return problems_.end(); }

 private:
  std::vector<DataProblem> problems_;
};

}  // namespace amdahlc
