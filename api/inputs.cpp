#include "api/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "api/shipped_files.h"
#include "grammar/rule_loader.h"
#include "grammar/stored/stored_rules.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/text.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/guessed_iterations.h"
#include "report/comparison/report_reader.h"
#include "support/byte_source.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/printable.h"

namespace amdahlc::api {
namespace {

namespace fs = std::filesystem;

enum class ModelKind : uint8_t { Onnx, OnnxText, IrText, Unknown };

/// The text after blanks and comments (`//` or `#`) at the start.
std::string_view withoutComments(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c != '#' && text.substr(at, 2) != "//") return text.substr(at);
    at = text.find('\n', at);
    if (at == std::string_view::npos) return {};
  }
  return {};
}

/// The kind of the content: protobuf begins with the tag of `ir_version`, ONNX text with `<`, IR text with its name.
ModelKind sniff(std::string_view bytes) {
  if (bytes.starts_with('\x08') || bytes.substr(0, 256).find('\0') != std::string_view::npos) return ModelKind::Onnx;
  const std::string_view text = withoutComments(bytes.substr(0, 65536));
  if (text.starts_with('<')) return ModelKind::OnnxText;
  if (text.starts_with("amdahlc.ir")) return ModelKind::IrText;
  return ModelKind::Unknown;
}

ModelKind kindOf(const std::string& path, std::string_view bytes) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".onnx") return ModelKind::Onnx;
  if (extension == ".onnxtxt") return ModelKind::OnnxText;
  if (extension == ".air") return ModelKind::IrText;
  return sniff(bytes);
}

/// A runtime's name comes from IR text or a trace. It is used as the name of a library only if it cannot be a path.
bool canNameLibrary(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                              std::string_view::npos;
}

/// The path of the shipped library with the name of the runtime, or that of the fallback. A path, because a bare name
/// could also be a file or folder here.
std::string defaultLibrary(const std::string& runtime, const std::vector<fs::path>& folders) {
  std::string fallback(kFallbackRuntime);
  for (const std::string& name : {runtime, fallback}) {
    if (!canNameLibrary(name)) continue;
    std::error_code error;
    for (const fs::path& folder : folders)
      if (const fs::path file = folder / (name + ".akp"); fs::is_regular_file(file, error)) return file.string();
  }
  return fallback;
}

/// Those of the runtimes of the module and its runs, the module's first.
std::vector<std::string> defaultLibraries(const ir::Module* module, const std::vector<fs::path>& folders) {
  std::vector<std::string> libraries{defaultLibrary(module ? module->target.runtime : std::string(), folders)};
  if (module == nullptr) return libraries;
  for (const Timeline& timeline : module->timelines) {
    std::string library = defaultLibrary(timeline.target.runtime, folders);
    if (std::ranges::find(libraries, library) == libraries.end()) libraries.push_back(std::move(library));
  }
  return libraries;
}

std::optional<ir::Module> readModel(const Request& request, SourceManager& sources, DiagnosticEngine& diagnostics) {
  const ModelArgument& input = *request.model;
  auto bytes = input.bytes ? input.bytes : readFile(input.path, limits::kModelBytes, diagnostics);
  if (!bytes) return std::nullopt;
  const std::string name = inputName(input.path);
  ir::OnnxImportOptions options;
  for (const DimArgument& dim : request.dims) options.dims.emplace(dim.name, dim.size);
  switch (kindOf(input.path, *bytes)) {
    case ModelKind::Onnx:
      return ir::importOnnx(*bytes, name, options, diagnostics);
    case ModelKind::OnnxText:
      return ir::importOnnxText(sources.add(name, std::move(*bytes)), sources, options, diagnostics);
    case ModelKind::IrText:
      if (!request.dims.empty()) {
        diagnostics.error(DiagId::OptionConflict, FileLocation{name},
                          "`-dim` fixes dimensions of ONNX models; this is IR text, whose shapes are fixed");
        return std::nullopt;
      }
      return ir::parse(sources.add(name, std::move(*bytes)), sources, grammar::ruleReader(sources), diagnostics);
    case ModelKind::Unknown:
      break;
  }
  const std::string_view text = withoutComments(*bytes);
  const bool trace = compressionOf(*bytes) != Compression::None || text.starts_with('{') || text.starts_with('[');
  diagnostics.error(DiagId::InputKind, FileLocation{name},
                    trace ? fmt::format("this looks like a trace, not a model; give it as `-trace={}`", input.path)
                    : bytes->empty() ? "the file is empty"
                                     : "this is neither a trace (JSON or SQLite) nor a model (ONNX, ONNX text or IR "
                                       "text)");
  return std::nullopt;
}

bool haveSameSelection(const Timeline& a, const Timeline& b) {
  return std::equal(a.iterations.begin(), a.iterations.end(), b.iterations.begin(), b.iterations.end(),
                    [](const Iteration& x, const Iteration& y) { return x.selected() == y.selected(); });
}

/// The decompressed text of a file of at most `limits::kReportBytes`.
std::optional<std::string> readReportText(const std::string& path, DiagnosticEngine& diagnostics) {
  auto bytes = readFile(path, limits::kReportBytes, diagnostics);
  if (!bytes) return std::nullopt;
  const Compression compression = compressionOf(*bytes);
  if (compression == Compression::None) return bytes;
  const auto packed = bytesInMemory(*bytes);
  const auto plain = decompress(*packed, compression, inputName(path), diagnostics);
  return readAll(*plain, limits::kReportBytes, inputName(path), diagnostics);
}

}  // namespace

std::optional<ir::Module> loadModel(const Request& request, SourceManager& sources, DiagnosticEngine& diagnostics) {
  return withinMemory(diagnostics, FileLocation{inputName(request.model->path)}, "the model was read",
                      [&] { return readModel(request, sources, diagnostics); });
}

bool haveRulesForRuns(const ir::Module& module, DiagnosticEngine& diagnostics) {
  for (const Timeline& timeline : module.timelines) {
    const ir::Applicability own{{timeline.target.runtime}, {}, {}};
    const auto mayApply = [&](const ir::Rule& rule) { return ir::admitCommonTarget(rule.where, own); };
    if (timeline.target.runtime.empty() || module.coverOfRun(timeline.label) || module.rules.rules.empty() ||
        std::ranges::any_of(module.rules.rules, mayApply))
      continue;
    diagnostics.error(DiagId::TraceLabel, FileLocation{timeline.file},
                      fmt::format("the rules in the IR text are not for `{}`, on which run `{}` ran; give `-rules=` to "
                                  "group it again",
                                  printable(timeline.target.runtime), timeline.label));
    return false;
  }
  return true;
}

std::optional<ir::RuleSet> loadRuleSet(const Request& request, const ir::Module* module, SourceManager& sources,
                                       DiagnosticEngine& diagnostics, std::set<BufferId>* shipped) {
  grammar::RuleLoadOptions options;
  options.shipped = shipped;
  const auto folder = folderOf(kShippedRules, request.shippedFolder);
  if (folder) options.libraryFolders.push_back(*folder);
  options.disabled = request.disabledRules;
  std::vector<grammar::RequestedName> names = request.rules;
  // Shipped rules are for all opsets. An operator that this model cannot have gets a warning only if all rules are a
  // user's own, or if the rules are checked, which sums up what is about shipped rules.
  const bool own = !names.empty() && std::ranges::all_of(names, [](const grammar::RequestedName& name) {
    return name.text.find('/') != std::string::npos || name.text.ends_with(".akp");
  });
  if (module && (own || request.checkRules)) options.opsets.assign(module->opsets.begin(), module->opsets.end());
  if (names.empty() && !folder) {
    diagnostics.error(DiagId::AkpMissingFile, {},
                      fmt::format("no rules are named, and none are shipped: {}; give rules with `-rules=`",
                                  describe(*folder.absence())));
    return std::nullopt;
  }
  if (names.empty())
    for (const std::string& library : defaultLibraries(module, options.libraryFolders)) {
      names.push_back({library, {}});
      const fs::path ofPrograms = grammar::rulesOfPrograms(library);
      std::error_code error;
      const bool isOfRun = request.model ? module && module->isRecorded() : !request.traces.empty();
      if (isOfRun && !request.checkRules && fs::is_regular_file(ofPrograms, error))
        names.push_back({ofPrograms.string(), {}});
    }
  const bool mayBeStored = request.rules.empty() && request.disabledRules.empty() && !request.checkRules;
  return withinMemory(diagnostics, FileLocation{names.front().text}, "the rules were read", [&] {
    auto stored = mayBeStored ? grammar::storedRules(names, sources) : std::nullopt;
    return stored ? std::move(stored) : grammar::loadRules(names, options, sources, diagnostics);
  });
}

bool giveHostEvents(Timeline& held, Timeline read, bool regrouped, SourceRange range, DiagnosticEngine& diagnostics) {
  const auto refuse = [&](const std::string& message) {
    diagnostics.error(DiagId::TraceLabel, range, message);
    return false;
  };
  if (held.contentHash != read.contentHash)
    return refuse(fmt::format(
        "the IR text contains a run labelled `{}` of another trace, `{}` (hash {}, not {}); name this one with "
        "`-trace=label=file`",
        held.label, held.file, held.contentHash, read.contentHash));
  if (held.device != read.device)
    return refuse(
        fmt::format("the run `{}` of the IR text is of device {}, this one of device {}; give the same `-device`, or "
                    "name this one "
                    "with `-trace=label=file`",
                    held.label, held.device, read.device));
  if (!regrouped && read.host && held.size() == read.size()) takeAsBefore(read, held);
  if (!regrouped && !haveSameSelection(held, read))
    return refuse(
        fmt::format("the run `{}` of the IR text has other iterations selected; give the same `-steps`, `-window` "
                    "and `-annotation`, or name this one with `-trace=label=file`",
                    held.label));
  if (held.average != read.average)
    return refuse(
        fmt::format("the run `{}` of the IR text reports {}; give the same `-stat`, or name this one with "
                    "`-trace=label=file`",
                    held.label, held.average == Average::Mean ? "means" : "medians"));
  const std::string difference = regrouped ? std::string() : deviceEventDifference(held, read);
  if (!difference.empty())
    return refuse(fmt::format("the run `{}` of the IR text differs from this trace: {}", held.label, difference));
  read.target = std::move(held.target);
  held = std::move(read);
  return true;
}

std::optional<comparison::Baseline> loadBaseline(const Request& request, DiagnosticEngine& diagnostics) {
  const std::string name = inputName(request.baseline);
  return withinMemory(diagnostics, FileLocation{name}, "the baseline was read", [&] {
    const auto text = readReportText(request.baseline, diagnostics);
    return text ? comparison::readReport(name, *text, diagnostics) : std::nullopt;
  });
}

}  // namespace amdahlc::api
