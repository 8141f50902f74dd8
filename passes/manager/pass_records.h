/// What is recorded of the runs of passes: times and counters.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "passes/manager/instrumentation.h"
#include "support/timer.h"

namespace amdahlc {

/// `-time-passes`: wall time by pass, with each analysis under the pass that computed it.
class PassTimes : public PassInstrumentation {
 public:
  void beforePass(const PassRun& run) override { begin(run.info.name); }
  bool afterPass(const PassRun&, const PassResult&) override {
    end();
    return true;
  }
  void afterPassFailed(const PassRun&) override { end(); }
  void beforeAnalysis(const char* name) override { begin(std::string(name) + " (analysis)"); }
  void afterAnalysis(const char*) override { end(); }
  /// Work outside passes: reading inputs, writing outputs.
  void addPhase(std::string name, int64_t elapsedNs) { rows_.push_back({std::move(name), elapsedNs, 0}); }
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
  bool afterPass(const PassRun& run, const PassResult&) override {
    addRows(run);
    return true;
  }
  /// The counters of a failed pass show how far it came.
  void afterPassFailed(const PassRun& run) override { addRows(run); }
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
