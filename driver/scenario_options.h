/// The options that name scenarios: `-what-if=`, and its old spellings `-speedup=` and `-speedups=`.
#pragma once

#include <vector>

#include "api/scenario_file.h"
#include "driver/options.h"
#include "driver/settings.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

class ScenarioOptions {
 public:
  ScenarioOptions(SourceManager& sources, DiagnosticEngine& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  /// Reads the value of an option. Each `-what-if=` is a scenario that is named by its text, or a file of scenarios
  /// (`isScenarioFile`). All `-speedup=` together are the scenario `what-if`, which is the first.
  void read(const Occurrence& option);

  /// Moves the scenarios to `scenarios`. Reports a change that a scenario has twice, and a name that two have.
  Outcome finish(std::vector<ir::Scenario>& scenarios);

 private:
  void readFile(const Occurrence& option);
  bool checkNames();

  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  api::PlacedScenario together_{{"what-if", {}}, {}};
  std::vector<api::PlacedScenario> scenarios_;
};

}  // namespace amdahlc::driver
