/// What is recorded of the runs of passes: times and counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passes/manager/instrumentation.h"
#include "support/timer.h"

namespace amdahlc {

/// `-time-passes`: wall time by pass, with each analysis under the pass that computed it.
class PassTimes : public PassInstrumentation {
 public:
  void beforePass(const PassRun& run) override;
  bool afterPass(const PassRun& run, const PassResult& result) override;
  void afterPassFailed(const PassRun& run) override;
  void beforeAnalysis(const char* name) override;
  void afterAnalysis(const char* name) override;
  /// Work outside passes: reading inputs, writing outputs.
  void addPhase(std::string name, int64_t elapsedNs);
  std::string report() const;

 private:
  struct Row {
    std::string name;
    int64_t elapsedNs = 0;
    unsigned depth = 0;
  };
  struct Running {
    size_t row = 0;
    Stopwatch watch;
  };
  void begin(std::string name);
  void end();

  std::vector<Row> rows_;
  std::vector<Running> stack_;
};

/// `-stats`: the counters that passes declare.
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
