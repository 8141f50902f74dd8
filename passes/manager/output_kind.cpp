#include "passes/manager/output_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "support/edit_distance.h"

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

/// Whether an output of this kind can exist of a run. Reports `emit-output-unavailable` if not.
bool canWrite(const OutputKind& kind, const Timeline& timeline, DiagnosticEngine& diagnostics) {
  const std::string why = kind.whyNot ? kind.whyNot(timeline) : "";
  if (why.empty()) return true;
  diagnostics.error(DiagId::EmitOutputUnavailable, {},
                    fmt::format("output `{}` cannot exist of run `{}`: {}", kind.name, timeline.label, why));
  return false;
}

}  // namespace

std::optional<std::vector<Artifact>> renderOutput(const OutputKind& kind, const std::string& path,
                                                  const OutputContext& context, DiagnosticEngine& diagnostics) {
  const auto isPossible = [&](std::optional<ir::CoverId> cover) {
    const std::string why = kind.whyNotDocument ? kind.whyNotDocument(context, cover) : "";
    if (!why.empty())
      diagnostics.error(DiagId::EmitOutputUnavailable, {},
                        fmt::format("output `{}` cannot be written: {}", kind.name, why));
    return why.empty();
  };
  if (kind.write) {
    if (!isPossible(std::nullopt)) return std::nullopt;
    return std::vector<Artifact>{{kind.name, path, kind.write(context)}};
  }
  if (kind.writeRanks)
    return std::vector<Artifact>{{kind.name, path, kind.writeRanks(*context.report.ranks, context.style)}};
  if (kind.writeTimeline) {
    std::vector<const Timeline*> timelines;
    for (const Timeline& timeline : context.module.timelines) timelines.push_back(&timeline);
    return renderTimelines(kind, path, timelines, diagnostics);
  }
  const std::vector<ir::CoverId> runs =
      kind.alsoWithoutTrace ? reportedCovers(context.module) : coversOfRuns(context.module);
  std::vector<Artifact> artifacts;
  for (const ir::CoverId id : runs) {
    const std::string& label = context.module.cover(id).traceLabel;
    if (!isPossible(id)) return std::nullopt;
    const std::string nameOfRun = runs.size() == 1 ? "" : label;
    if (kind.writeRun) {
      if (kind.whyNot && !canWrite(kind, *context.module.findTimeline(label), diagnostics)) return std::nullopt;
      artifacts.push_back({kind.name, pathWithName(path, nameOfRun), kind.writeRun(context, id)});
      continue;
    }
    for (NamedDocument& document : kind.writeDocuments(context, id)) {
      if (kind.isFolder) {
        const std::string file = (std::filesystem::path(path) / document.name).string();
        artifacts.push_back({.kind = fmt::format("{} ({})", kind.name, document.name),
                             .path = pathWithName(file, nameOfRun),
                             .bytes = std::move(document.bytes),
                             .folder = path});
        continue;
      }
      const char* separator = nameOfRun.empty() || document.name.empty() ? "" : ".";
      artifacts.push_back({document.name.empty() ? kind.name : fmt::format("{} ({})", kind.name, document.name),
                           pathWithName(path, nameOfRun + separator + document.name), std::move(document.bytes)});
    }
  }
  return artifacts;
}

std::optional<std::vector<Artifact>> renderTimelines(const OutputKind& kind, const std::string& path,
                                                     std::span<const Timeline* const> timelines,
                                                     DiagnosticEngine& diagnostics) {
  std::vector<Artifact> artifacts;
  for (const Timeline* timeline : timelines) {
    if (!canWrite(kind, *timeline, diagnostics)) return std::nullopt;
    artifacts.push_back(
        {kind.name, timelines.size() == 1 ? path : pathWithName(path, timeline->label), kind.writeTimeline(*timeline)});
  }
  return artifacts;
}

const OutputKind* findOutputKind(const std::vector<OutputKind>& kinds, std::string_view name) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const OutputKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

std::string unknownOutputMessage(std::string_view name, const std::vector<std::string>& known) {
  return fmt::format("unknown output `{}`{}", name, didYouMeanOrKnown(name, known, ""));
}

std::string emptyOutputPathMessage(std::string_view kind) {
  return fmt::format("the path of `{}` is empty; leave the `=` out for `-o` or stdout", kind);
}

}  // namespace amdahlc
