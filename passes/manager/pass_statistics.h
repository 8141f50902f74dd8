/// `-stats`: the counters that passes declare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passes/manager/instrumentation.h"

namespace amdahlc {

class PassStatistics : public PassInstrumentation {
 public:
  bool afterPass(const PassRun& run, const PassResult& result) override;
  /// The counters of a failed pass show how far it came.
  void afterPassFailed(const PassRun& run) override;
  /// One line per counter, in the order of runs. A pass that runs twice is listed twice.
  std::string report() const;

 private:
  struct Row {
    std::string pass, name, description;
    int64_t value = 0;
  };
  void addRows(const PassRun& run);

  std::vector<Row> rows_;
};

}  // namespace amdahlc
