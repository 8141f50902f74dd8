/// Kinds of outputs: passes declare them, the pass that renders outputs looks their writers up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/manager/report_section.h"

namespace amdahlc {

/// The kind of output that a pipeline gives which renders none.
inline constexpr std::string_view kIrOutput = "ir";

/// How wide and how coloured a text for people may be.
struct TextStyle {
  unsigned columns = 100;
  bool color = false;
};

/// What a writer may use.
struct OutputContext {
  const ir::Module& module;
  AnalysisManager& analyses;
  TextStyle style;
  /// Of all passes, in their order.
  std::span<const ReportSection> sections = {};
};

/// A kind of output. Exactly one of the writers is set.
struct OutputKind {
  /// As `-emit=` takes it.
  std::string name;
  /// One line for help.
  std::string summary;
  /// What must be established for it to exist.
  std::optional<ir::Facet> needs = std::nullopt;
  /// The whole output as one document.
  std::string (*write)(const OutputContext&) = nullptr;
  /// One document for each cover with a trace.
  std::string (*writeRun)(const OutputContext&, ir::CoverId) = nullptr;
};

/// An output that was asked for.
struct OutputRequest {
  std::string kind;
  /// Empty: to `-o`, or else to stdout; `-`: to stdout.
  std::string path;
};

/// Splits `kind` or `kind=path`.
OutputRequest parseOutputRequest(std::string_view text);

/// Bytes for the driver to write: passes open no files.
struct Artifact {
  std::string kind;
  /// As in `OutputRequest`.
  std::string path;
  std::string bytes;
};

/// Renders an output. Where a kind has one document for each run and there are several, each path carries the run's
/// label: `out.csv` becomes `out.h100.csv`.
std::vector<Artifact> renderOutput(const OutputKind& kind, const std::string& path, const OutputContext& context);

const OutputKind* findOutputKind(const std::vector<OutputKind>& kinds, std::string_view name);
/// ``unknown output `jsno`; did you mean `json`?``
std::string unknownOutputMessage(std::string_view name, const std::vector<std::string>& known);
/// What is wrong with `kind=`.
std::string emptyOutputPathMessage(std::string_view kind);

}  // namespace amdahlc
