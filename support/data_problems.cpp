#include "support/data_problems.h"

#include <algorithm>

namespace amdahlc {

void DataProblems::add(std::string_view name, int64_t count, std::string_view what) {
  if (count == 0) return;
  const auto at = std::ranges::lower_bound(problems_, name, {}, &DataProblem::name);
  if (at != problems_.end() && at->name == name) {
    at->count += count;
  } else {
    problems_.insert(at, {std::string(name), count, std::string(what)});
  }
}

}  // namespace amdahlc
