#include "report/outputs/rendering.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "report/drawing/diagram_writers.h"
#include "report/drawing/fold.h"
#include "support/csv_row.h"

namespace amdahlc {
namespace {

/// `report.csv` with the name `h100`: `report.h100.csv`.
std::string pathWithName(const std::string& path, const std::string& name) {
  if (name.empty() || path.empty() || path == "-") return path;
  std::filesystem::path file(path);
  std::string extension;
  for (bool isCompressed = true; isCompressed && file.has_extension(); file.replace_extension()) {
    isCompressed = file.extension() == ".gz" || file.extension() == ".zst";
    extension.insert(0, file.extension().string());
  }
  return file.string() + "." + name + extension;
}

/// The runs of which there is a document each.
std::vector<ir::CoverId> runsOf(const Output& output, const ir::Module& module) {
  const bool needsRun = output.needs && ir::info(*output.needs).level == ir::FacetLevel::Run;
  return needsRun ? coversOfRuns(module) : reportedCovers(module);
}

/// Renders an output by the function that its `write` holds. Each function adds documents, or reports why there is none
/// and returns false.
class Renderer {
 public:
  Renderer(const Output& output, const std::string& path, const OutputContext& context, DiagnosticEngine& diagnostics)
      : output_(output), path_(path), context_(context), diagnostics_(diagnostics) {}

  std::optional<std::vector<Artifact>> run() {
    if (!std::visit([this](auto write) { return render(write); }, output_.write)) return std::nullopt;
    return std::move(artifacts_);
  }

 private:
  bool render(WriteModule write) { return add("", write(context_)); }
  bool render(DrawModule draw) { return add("", draw(context_)); }
  bool render(WriteRanks write) { return add("", write(*context_.report.ranks, context_.style)); }
  bool render(WriteProgram write) {
    const Known<std::string> bytes = write(context_.module);
    return bytes ? add("", *bytes) : fail("be written: " + describe(*bytes.absence()));
  }
  bool render(WriteTrace write) {
    const auto& timelines = context_.module.timelines;
    return std::ranges::all_of(timelines, [&](const Timeline& timeline) {
      return exists(timeline) && add(timelines.size() == 1 ? "" : timeline.label, write(timeline));
    });
  }
  template <typename Document>
  bool render(Document (*write)(const OutputContext&, ir::CoverId)) {
    const std::vector<ir::CoverId> runs = runsOf(output_, context_.module);
    return std::ranges::all_of(runs, [&](ir::CoverId run) {
      const std::string& label = context_.module.cover(run).traceLabel;
      if (output_.absenceOf != nullptr && !exists(*context_.module.findTimeline(label))) return false;
      return add(runs.size() == 1 ? "" : label, write(context_, run));
    });
  }

  /// Whether the output can be of a run. Reports why not.
  bool exists(const Timeline& timeline) {
    const auto absence = output_.absenceOf != nullptr ? output_.absenceOf(timeline) : std::nullopt;
    return !absence || fail(fmt::format("exist of run `{}`: {}", timeline.label, describe(*absence)));
  }
  bool fail(const std::string& what) {
    diagnostics_.error(DiagId::EmitOutputUnavailable, {}, fmt::format("output `{}` cannot {}", output_.name, what));
    return false;
  }

  // The name of a run is empty where there is only one document, or one run.

  bool add(const std::string& nameOfRun, std::string bytes) {
    artifacts_.push_back({std::string(output_.name), pathWithName(path_, nameOfRun), std::move(bytes)});
    return true;
  }
  bool add(const std::string& nameOfRun, const drawing::Diagram& whole) {
    const drawing::Diagram diagram = drawing::fold(whole, context_.picture.fold);
    if (const auto absence = drawing::absenceOfPicture(diagram))
      return fail(
          fmt::format("be written: {}; `svg<fold=0>` draws each of the outermost modules as one node, if the "
                      "model has modules",
                      describe(*absence)));
    return add(nameOfRun, drawing::writeSvg(diagram, context_.picture));
  }
  bool add(const std::string& nameOfRun, std::vector<NamedDocument> documents) {
    for (NamedDocument& document : documents) {
      std::string kind(output_.name);
      if (!document.name.empty()) kind += fmt::format(" ({})", document.name);
      const char* separator = nameOfRun.empty() || document.name.empty() ? "" : ".";
      const std::string path = output_.isFolder
                                   ? pathWithName((std::filesystem::path(path_) / document.name).string(), nameOfRun)
                                   : pathWithName(path_, nameOfRun + separator + document.name);
      artifacts_.push_back({std::move(kind), path, std::move(document.bytes), output_.isFolder ? path_ : ""});
    }
    return true;
  }

  const Output& output_;
  const std::string& path_;
  const OutputContext& context_;
  DiagnosticEngine& diagnostics_;
  std::vector<Artifact> artifacts_;
};

}  // namespace

std::optional<std::vector<Artifact>> renderOutput(const Output& output, const std::string& path,
                                                  const OutputContext& context, DiagnosticEngine& diagnostics) {
  return Renderer(output, path, context, diagnostics).run();
}

std::optional<std::vector<Artifact>> render(const OutputRequest& request, OutputOptions& options,
                                            const ir::Module& module, AnalysisManager& analyses,
                                            DiagnosticEngine& diagnostics) {
  const Output& output = *findOutput(request.kind);
  const auto& rendering = analyses.options<Rendering>();
  const OutputOptions::Values ofAll = options.values;
  for (const PipelineParameter& setting : request.settings) options.set(setting);
  OutputContext context{module, analyses, rendering.style, options.ofPictures(), options.ofReports()};
  options.values = ofAll;
  context.report.baseline = rendering.baseline;
  context.report.ranks = rendering.ranks;
  auto artifacts = renderOutput(output, request.path, context, diagnostics);
  if (artifacts && output.isCsv && rendering.isCsvSafe)
    for (Artifact& artifact : *artifacts) artifact.bytes = withoutFormulas(artifact.bytes);
  return artifacts;
}

}  // namespace amdahlc
