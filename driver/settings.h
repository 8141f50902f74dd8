/// The settings of a run: an `Invocation` with every value parsed and checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/request.h"
#include "driver/options.h"
#include "passes/manager/ir_printing.h"
#include "passes/manager/registry.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

using api::Outcome;

enum class ColorMode : uint8_t { Auto, Always, Never };

struct Settings {
  api::Request request;
  /// 0: that of the machine.
  int64_t maxMemoryBytes = 0;
  bool printRules = false;
  bool languageServer = false;
  bool printPipeline = false;
  /// `-o`; empty: stdout.
  std::string output;
  SourceRange outputRange;
  IrPrintingOptions dumps;
  /// Parallel to `dumps.filter`.
  std::vector<SourceRange> filterRanges;
  /// Empty: stderr.
  std::string printTo;
  bool verifyEach = false;
  bool timePasses = false;
  bool stats = false;
};

/// Parses the values. Reports every error. The outcome is that of the worst error.
Outcome readSettings(const Invocation& invocation, const PassRegistry& registry, SourceManager& sources,
                     DiagnosticEngine& diagnostics, Settings& settings);

/// What the settings ask for.
Job jobOf(const Settings& settings);

/// `-color=`, which is needed before the first message; `Auto` if it is invalid.
ColorMode colorMode(const Invocation& invocation);

}  // namespace amdahlc::driver
