/// Kinds of outputs. Passes declare them; the pass that renders outputs looks up their writers.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/segments.h"
#include "passes/manager/analysis.h"
#include "report/comparison/measured_run.h"
#include "report/comparison/regressions.h"
#include "report/drawing/diagram.h"
#include "runs/ranks/comparison.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// The output of a pipeline that does not render outputs.
inline constexpr std::string_view kIrOutput = "ir";
/// The output of traces of several ranks without a model.
inline constexpr std::string_view kRanksOutput = "ranks";
/// The output of `-suggest-rules`.
inline constexpr std::string_view kSuggestedRulesOutput = "suggested-rules";

/// Width of text that is not for a terminal: lines are as long as they need.
inline constexpr unsigned kColumnsOfAPipe = std::numeric_limits<unsigned>::max();

/// Width and colour of text for a terminal.
struct TextStyle {
  unsigned columns = kColumnsOfAPipe;
  bool color = false;
};

/// What the tables of reports show, and what a run is compared with.
struct ReportOptions {
  /// Times are medians instead of means.
  bool medians = false;
  /// Rows of each table; nullopt: the tables' own numbers.
  std::optional<int64_t> top = std::nullopt;
  /// Of `-baseline`, or null.
  const comparison::Baseline* baseline = nullptr;
  comparison::RegressionLimit regressionLimit = {};
  /// What comparisons of several runs put together.
  ir::SegmentChoice segments = {};
  /// The ranks of the run, or null.
  const ranks::RankComparison* ranks = nullptr;
};

/// The input of a writer.
struct OutputContext {
  const ir::Module& module;
  AnalysisManager& analyses;
  TextStyle style;
  drawing::PictureOptions picture = {};
  ReportOptions report = {};
};

/// One of the documents of an output.
struct NamedDocument {
  /// A part of its path, without slashes; empty for the document that is written to the path itself. In a folder the
  /// name of its file.
  std::string name;
  std::string bytes;
};

/// A kind of output. Exactly one of `write`, `writeRun`, `writeDocuments`, `writeTimeline` and `writeRanks` is set.
struct OutputKind {
  /// As `-emit=` takes it.
  std::string name;
  /// One line for help.
  std::string summary;
  /// The facet that it needs.
  std::optional<ir::Facet> needs = std::nullopt;
  /// It shows what the pass that declares it asks for: without this pass it cannot exist.
  bool needsItsPass = false;
  /// The whole output as one document.
  std::string (*write)(const OutputContext&) = nullptr;
  /// One document for each cover with a trace.
  std::string (*writeRun)(const OutputContext&, ir::CoverId) = nullptr;
  /// Several documents for each cover with a trace, with different names. They need a path: a stream takes one.
  std::vector<NamedDocument> (*writeDocuments)(const OutputContext&, ir::CoverId) = nullptr;
  /// With `writeDocuments`: the path is a folder, and the documents are its files. It needs a path of its own.
  bool isFolder = false;
  /// With `writeRun` and `writeDocuments`: without a trace there are documents of the default cover.
  bool alsoWithoutTrace = false;
  /// With `write` (then of no cover) or `writeRun`: why the document cannot be written, as a clause for users; empty if
  /// it can.
  std::string (*whyNotDocument)(const OutputContext&, std::optional<ir::CoverId>) = nullptr;
  /// One document for each run, from its trace alone: it needs no model.
  std::string (*writeTimeline)(const Timeline&) = nullptr;
  /// The whole output as one document, from the ranks of a run alone: it needs no model.
  std::string (*writeRanks)(const ranks::RankComparison&, const TextStyle&) = nullptr;
  /// With `writeTimeline` or `writeRun`, of an output that has the events of the trace: why it cannot write a run, as a
  /// clause for users; empty if it can.
  std::string (*whyNot)(const Timeline&) = nullptr;
  /// Whether it compares the runs with those of `-baseline`: not, if one is given, or always.
  enum class BaselineUse : uint8_t { None, IfGiven, Needed };
  BaselineUse baseline = BaselineUse::None;
  /// What `-help=schema-` calls its JSON Schema; empty without one.
  std::string schemaName = {};
  std::string (*schema)() = nullptr;
  /// It is CSV, which `-csv-safe` changes.
  bool isCsv = false;

  /// Whether traces are all that it needs.
  bool needsNoModel() const { return writeTimeline != nullptr || writeRanks != nullptr; }
};

/// An option in angle brackets: of a pass in pipeline text, or of an output.
struct PipelineParameter {
  std::string name;
  std::optional<std::string> value;
  SourceRange nameRange;
  SourceRange valueRange;
};

/// A requested output.
struct OutputRequest {
  std::string kind;
  /// Empty for `-o`, or else stdout; `-` for stdout.
  std::string path;
  /// Of this output alone.
  std::vector<PipelineParameter> settings = {};
};

/// Parses `kind`, `kind<option=value;flag>`, and both with `=path`. `where` is the place of the text. Reports an error
/// of the syntax as `pipeline-syntax`.
std::optional<OutputRequest> readOutputRequest(std::string_view text, SourceRange where, DiagnosticEngine& diagnostics);
/// The same of a text without errors.
OutputRequest parseOutputRequest(std::string_view text);

/// Bytes for the driver to write, because passes open no files.
struct Artifact {
  std::string kind;
  /// As in `OutputRequest`.
  std::string path;
  std::string bytes;
  /// The folder of `path` if it is to be made; else empty.
  std::string folder = {};
};

/// Renders an output. If a kind has one document per run and there are several runs, each path gets the run's label:
/// `out.csv` becomes `out.h100.csv`, `out.json.gz` becomes `out.h100.json.gz`. The names of several documents of a run
/// come behind it: `out.h100.kernels.json`. In a folder, the label is a part of the name of each file:
/// `out/kernels.h100.config`. Reports `emit-output-unavailable` and
/// returns nullopt if it cannot write one of the runs.
std::optional<std::vector<Artifact>> renderOutput(const OutputKind& kind, const std::string& path,
                                                  const OutputContext& context, DiagnosticEngine& diagnostics);

/// As `renderOutput`, of a kind with `writeTimeline`.
std::optional<std::vector<Artifact>> renderTimelines(const OutputKind& kind, const std::string& path,
                                                     std::span<const Timeline* const> timelines,
                                                     DiagnosticEngine& diagnostics);

const OutputKind* findOutputKind(const std::vector<OutputKind>& kinds, std::string_view name);
/// ``unknown output `jsno`; did you mean `json`?``
std::string unknownOutputMessage(std::string_view name, const std::vector<std::string>& known);
/// The error for `kind=`.
std::string emptyOutputPathMessage(std::string_view kind);

}  // namespace amdahlc
