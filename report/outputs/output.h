/// Outputs: what `-emit=` writes. Each is a constant beside its writer, in a file of `report/outputs/`, or of the
/// section whose tables it shows as CSV; `outputs.def` lists them, and so all of help, completion, planning and
/// rendering.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/module.h"
#include "ir/segments.h"
#include "passes/manager/analysis.h"
#include "report/comparison/measured_run.h"
#include "report/comparison/regressions.h"
#include "report/drawing/diagram.h"
#include "runs/ranks/comparison.h"
#include "support/absence.h"

namespace amdahlc {

struct Report;
struct RunReport;

/// Width of text that is not for a terminal: lines are as long as they need.
inline constexpr unsigned kColumnsOfAPipe = std::numeric_limits<unsigned>::max();

/// Width and colour of text for a terminal.
struct TextStyle {
  unsigned columns = kColumnsOfAPipe;
  bool color = false;
  std::string bold(std::string_view text) const {
    return color ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
  }
  friend bool operator==(const TextStyle&, const TextStyle&) = default;
};

/// What the tables of reports show, and what a run is compared with.
struct ReportOptions {
  /// Rows of each table; nullopt: the tables' own numbers.
  std::optional<int64_t> top = std::nullopt;
  size_t rows(size_t usual) const { return top ? static_cast<size_t>(*top) : usual; }
  /// Of `-baseline`, or null.
  const comparison::Baseline* baseline = nullptr;
  comparison::RegressionLimit regressionLimit = {};
  /// What comparisons of several runs put together.
  ir::SegmentChoice segments = {};
  /// Of a page, most bytes of the columns of all runs.
  int64_t pageBytes = 0;
  /// The ranks of the run, or null.
  const ranks::RankComparison* ranks = nullptr;
};

/// The input of a writer.
struct OutputContext {
  const ir::Module& module;
  AnalysisManager& analyses;
  TextStyle style = {};
  drawing::PictureOptions picture = {};
  ReportOptions report = {};

  /// The report, which all outputs share.
  const Report& reported() const;
  const RunReport& reported(ir::CoverId cover) const;
};

/// One of the documents of an output.
struct NamedDocument {
  /// A part of its path, without slashes; empty for the document that is written to the path itself. In a folder the
  /// name of its file.
  std::string name;
  std::string bytes;
};

using WriteModule = std::string (*)(const OutputContext&);
using DrawModule = drawing::Diagram (*)(const OutputContext&);
using WriteRun = std::string (*)(const OutputContext&, ir::CoverId);
using DrawRun = drawing::Diagram (*)(const OutputContext&, ir::CoverId);
/// The documents of a run have different names. They need a path: a stream takes one.
using WriteRunFiles = std::vector<NamedDocument> (*)(const OutputContext&, ir::CoverId);
/// From the trace of a run alone: it needs no model.
using WriteTrace = std::string (*)(const Timeline&);
/// From the ranks of a run alone: it needs no model.
using WriteRanks = std::string (*)(const ranks::RankComparison&, const TextStyle&);

/// Of the program of runs, and not of a model.
using WriteProgram = Known<std::string> (*)(const ir::Module&);

/// A kind of output.
struct Output {
  /// As `-emit=` takes it.
  std::string_view name;
  /// One line for help.
  std::string_view summary;
  /// The pass whose findings it shows, which `default` contains if the output is asked for; empty: the whole report.
  std::string_view pass = {};
  /// A pass whose findings it also shows, which `default` contains where the graph is a model: of a program it is not
  /// known before the run is read whether the pass can run.
  std::string_view passOfModels = {};
  /// The facet that it needs. Where a pass is named and no facet, the output needs that the pass ran.
  std::optional<ir::Facet> needs = std::nullopt;
  /// Of the module, a program and ranks there is one document, and of a trace one for each run. Outputs of runs that
  /// need no facts of runs are of the default cover where there is no run. Diagrams are folded, and become SVG.
  std::variant<WriteModule, DrawModule, WriteRun, DrawRun, WriteRunFiles, WriteTrace, WriteRanks, WriteProgram> write;
  /// Set if it is made of the events of a trace. Why a run does not have it; nullopt if it does.
  std::optional<Absence> (*absenceOf)(const Timeline&) = nullptr;
  /// Set if not every build can write it. Why this one cannot; nullopt if it can.
  std::optional<Absence> (*absenceInBuild)() = nullptr;
  /// Of several documents: the path is a folder, and the documents are its files. It needs a path of its own.
  bool isFolder = false;
  /// It is CSV, which `-csv-safe` changes.
  bool isCsv = false;
  /// What it does with `-baseline`. `None`: nothing. `IfGiven`: it compares the runs with those of the baseline if
  /// there is one. `Needed`: without a baseline it cannot exist.
  enum class BaselineUse : uint8_t { None, IfGiven, Needed };
  BaselineUse baseline = BaselineUse::None;
  /// Names of the options of outputs that it takes (`output_options.h`).
  std::span<const std::string_view> options = {};
  /// What `-help=schema-` calls its JSON Schema; empty without one.
  std::string_view schemaName = {};
  std::string (*schema)() = nullptr;

  bool needsRanks() const { return std::holds_alternative<WriteRanks>(write); }
  bool needsProgram() const { return std::holds_alternative<WriteProgram>(write); }
  bool needsTraceAlone() const { return std::holds_alternative<WriteTrace>(write); }
  /// Whether traces are all that it needs.
  bool needsNoModel() const { return needsRanks() || needsTraceAlone(); }
  bool needsItsPass() const { return !pass.empty() && !needs; }
};

#define AMDAHLC_OUTPUT(FILE, NAME) extern const Output NAME;
#include "report/outputs.def"

/// In the order in which help lists them.
std::span<const Output* const> allOutputs();
/// Null for an unknown name.
const Output* findOutput(std::string_view name);
/// Those that show what this pass finds; with an empty name, those of the whole report.
std::vector<const Output*> outputsOf(std::string_view pass);

}  // namespace amdahlc
