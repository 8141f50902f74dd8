#include "grammar/rule_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "grammar/checker.h"
#include "grammar/parse.h"
#include "ir/text.h"
#include "support/edit_distance.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/sort_unique.h"

namespace amdahlc::grammar {

namespace fs = std::filesystem;

bool RuleFiles::isFile(const fs::path& path) const {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::optional<std::string> RuleFiles::read(const fs::path& path, DiagnosticEngine& diagnostics) const {
  return readFile(path, limits::kRuleFileBytes, diagnostics);
}

std::vector<fs::path> RuleFiles::rulesIn(const fs::path& folder) const {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kRuleExtension && it->is_regular_file(error)) out.push_back(it->path());
  std::ranges::sort(out, [](const fs::path& a, const fs::path& b) { return a.filename() < b.filename(); });
  return out;
}

fs::path rulesOfPrograms(const fs::path& library) {
  fs::path file = library;
  return file.replace_filename(library.stem().string() + "_programs").replace_extension(kRuleExtension);
}

const RuleFiles& ruleFilesOnDisk() {
  static const RuleFiles kDisk;
  return kDisk;
}

namespace {

// A file with more messages is probably not a rule file.
constexpr size_t kMaxReported = 1000;

/// `-print-rules` and IR text have all rules as one file, with fragments expanded, which must be readable again.
void checkSizeAsOneFile(const ir::RuleSet& rules, DiagnosticEngine& diagnostics) {
  // A token has a byte at least.
  if (static_cast<int64_t>(ir::printRules(rules).size()) <= limits::kRuleTokens) return;
  ir::RuleSet head;
  head.views = rules.views;
  head.hidden = rules.hidden;
  const std::string text = ir::printRules(head);
  auto bytes = static_cast<int64_t>(text.size());
  int64_t tokens = countTokens(text);
  const auto add = [&](const std::string& printed, SourceRange range) {
    bytes += static_cast<int64_t>(printed.size()) + 1;  // a blank line
    tokens += countTokens(printed);
    const auto report = [&](int64_t size, std::string_view unit, int64_t most) {
      diagnostics.error(
          DiagId::AkpTooLarge, range,
          fmt::format("with fragments expanded, the rules up to this one are {} {} in one file, more than {}", size,
                      unit, most));
      return false;
    };
    if (tokens > limits::kRuleTokens) return report(tokens, "tokens", limits::kRuleTokens);
    return bytes <= limits::kRuleFileBytes || report(bytes, "bytes", limits::kRuleFileBytes);
  };
  for (const ir::Rule& rule : rules.rules)
    if (!add(ir::printRule(rule), rule.range)) return;
  for (const ir::Lowering& lowering : rules.lowerings)
    if (!add(ir::printLowering(lowering), lowering.range)) return;
}

CheckedFiles checkFiles(const std::vector<SourceFile>& files, const RuleLoadOptions& options,
                        const SourceManager& sources, DiagnosticEngine& diagnostics) {
  CheckedFiles checked = checkRules(files, options, sources, diagnostics);
  if (checked.complete) checkSizeAsOneFile(checked.rules, diagnostics);
  return checked;
}

class Loader {
 public:
  Loader(const RuleLoadOptions& options, SourceManager& sources, DiagnosticEngine& diagnostics)
      : options_(options), sources_(sources), diagnostics_(diagnostics) {}

  std::optional<ir::RuleSet> run(const std::vector<RequestedName>& specifications) {
    const size_t before = diagnostics_.errorCount();
    for (const RequestedName& specification : specifications) loadSpecification(specification);
    CheckedFiles checked = checkFiles(files_, options_, sources_, diagnostics_);
    if (!checked.complete || diagnostics_.errorCount() != before) return std::nullopt;
    return std::move(checked.rules);
  }

  OpenedRules open(const fs::path& path) {
    load(path, path.parent_path(), FileLocation{path.string()});
    CheckedFiles checked = checkFiles(files_, options_, sources_, diagnostics_);
    return {std::move(files_), std::move(checked)};
  }

 private:
  void loadSpecification(const RequestedName& requested) {
    const std::string& specification = requested.text;
    std::error_code error;
    const fs::path path(specification);
    if (fs::is_directory(path, error)) {
      const std::vector<fs::path> files = rulesIn(path);
      for (const fs::path& file : files) load(file, path, requested.range);
      if (files.empty()) reportEmpty(path, requested);
      return;
    }
    if (fs::exists(path, error)) {
      // The library that is read by default has its path.
      const auto& folders = options_.libraryFolders;
      loadsLibrary_ = std::ranges::find(folders, path.parent_path()) != folders.end();
      load(path, path.parent_path(), requested.range);
      loadsLibrary_ = false;
      return;
    }
    for (const fs::path& folder : options_.libraryFolders) {
      for (const fs::path& shipped : {folder / (specification + std::string(kRuleExtension)), folder / specification}) {
        if (!fs::is_regular_file(shipped, error)) continue;
        loadsLibrary_ = true;
        load(shipped, folder, requested.range);
        loadsLibrary_ = false;
        return;
      }
    }
    std::vector<std::string> names;
    for (const fs::path& folder : options_.libraryFolders)
      for (const fs::path& file : rulesIn(folder)) names.push_back(file.stem().string());
    sortUnique(names);
    auto report = diagnostics_.error(
        DiagId::AkpMissingFile, requested.range,
        fmt::format("no rule file, folder or shipped rules `{}`{}", specification, didYouMean(specification, names)));
    if (!names.empty()) report.note(fmt::format("shipped rules are {}", fmt::join(names, ", ")));
  }

  void reportEmpty(const fs::path& folder, const RequestedName& requested) {
    auto report = diagnostics_.error(DiagId::AkpMissingFile, requested.range,
                                     fmt::format("folder `{}` has no `{}` file", requested.text, kRuleExtension));
    std::vector<std::string> below;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (it->is_directory(error) && !rulesIn(it->path()).empty()) below.push_back(it->path().filename().string());
    std::ranges::sort(below);
    if (!below.empty())
      report.note(fmt::format("a folder is not searched below; `{}` has rules",
                              (fs::path(requested.text) / below.front()).string()));
  }

  std::vector<fs::path> rulesIn(const fs::path& folder) const { return options_.files->rulesIn(folder); }

  /// Loads a file after its imports. Returns the index of its entry in `files_`, or nullopt if it could not be read.
  std::optional<size_t> load(const fs::path& path, const fs::path& root, const Location& from) {
    std::error_code error;
    fs::path identity = fs::weakly_canonical(path, error);
    if (error) identity = path.lexically_normal();
    if (const auto known = loaded_.find(identity); known != loaded_.end()) return known->second;
    if (const auto open = std::ranges::find(open_, identity); open != open_.end()) {
      std::string chain;
      for (auto it = open; it != open_.end(); ++it) chain += it->filename().string() + " -> ";
      diagnostics_.error(DiagId::AkpImportCycle, from,
                         fmt::format("import cycle: {}{}", chain, identity.filename().string()));
      return std::nullopt;
    }
    // The first open file is imported by none; a file is among `files_` once its imports are.
    const bool isTooDeep = open_.size() > limits::kImportNesting;
    if (isTooDeep || files_.size() + open_.size() >= limits::kRuleFiles) {
      diagnostics_.error(DiagId::AkpTooLarge, from,
                         isTooDeep ? fmt::format("imports nest deeper than {}", limits::kImportNesting)
                                   : fmt::format("more than {} rule files", limits::kRuleFiles));
      return std::nullopt;
    }
    auto text = options_.files->read(path, diagnostics_);
    if (!text) {
      loaded_.emplace(identity, std::nullopt);
      return std::nullopt;
    }
    SourceFile file;
    file.path = path;
    file.buffer = sources_.add(path.string(), std::move(*text));
    file.shown = root.empty() ? path.lexically_normal().generic_string()
                              : path.lexically_normal().lexically_relative(root.lexically_normal()).generic_string();
    if (file.shown.empty() || file.shown.starts_with("..")) file.shown = path.filename().string();
    if (loadsLibrary_ && options_.shipped != nullptr) options_.shipped->insert(file.buffer);
    file.tree = parse(file.buffer, sources_, diagnostics_);
    open_.push_back(identity);
    for (const ast::Declaration& declaration : file.tree.declarationsOf(ast::Declaration::Kind::Import))
      import(declaration, path, root, file);
    open_.pop_back();
    files_.push_back(std::move(file));
    loaded_.emplace(identity, files_.size() - 1);
    return files_.size() - 1;
  }

  void import(const ast::Declaration& declaration, const fs::path& importer, const fs::path& root, SourceFile& into) {
    const fs::path written(declaration.name.text);
    if (written.empty() || written.is_absolute() || written.extension() != kRuleExtension) {
      diagnostics_.error(DiagId::AkpMissingFile, declaration.name.range,
                         "an import is a relative path to an `.akp` file");
      return;
    }
    const fs::path path = (importer.parent_path() / written).lexically_normal();
    if (!options_.files->isFile(path)) {
      std::vector<std::string> names;
      for (const fs::path& file : rulesIn(path.has_parent_path() ? path.parent_path() : fs::path(".")))
        names.push_back(file.filename().string());
      diagnostics_.error(DiagId::AkpMissingFile, declaration.name.range,
                         fmt::format("no file `{}` beside this one{}", declaration.name.text,
                                     didYouMean(written.filename().string(), names)));
      into.tree.hasSyntaxErrors = true;  // its names are missing, so unknown names are not errors
      return;
    }
    const auto index = load(path, root, declaration.name.range);
    if (!index)
      into.tree.hasSyntaxErrors = true;
    else
      into.imports.push_back({declaration.name.range, *index});
  }

  const RuleLoadOptions& options_;
  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  std::vector<SourceFile> files_;
  std::map<fs::path, std::optional<size_t>> loaded_;
  bool loadsLibrary_ = false;
  // Being loaded, the first of them imports the next.
  std::vector<fs::path> open_;
};

/// Runs `work` with an engine that collects. Several stages report errors of one file, so they are sorted by place.
template <typename Work>
auto inOrderOfPlaces(DiagnosticEngine& diagnostics, Work work) {
  std::vector<Diagnostic> found;
  DiagnosticEngine collector([&](const Diagnostic& diagnostic) { found.push_back(diagnostic); });
  auto result = work(collector);
  auto place = [](const Diagnostic& diagnostic) {
    const auto* range = std::get_if<SourceRange>(&diagnostic.primary.location);
    return range == nullptr ? std::pair<uint64_t, uint32_t>{0, 0}
                            : std::pair<uint64_t, uint32_t>{uint64_t{range->buffer} + 1, range->begin};
  };
  std::ranges::stable_sort(found, [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  const size_t reported = std::min(found.size(), kMaxReported);
  for (size_t i = 0; i < reported; ++i) diagnostics.report(found[i]);
  if (reported < found.size() && collector.hasErrors())
    diagnostics.error(DiagId::AkpTooLarge, {},
                      fmt::format("{} more messages about the rules are not shown", found.size() - reported));
  return result;
}

}  // namespace

std::optional<ir::RuleSet> loadRules(const std::vector<RequestedName>& specifications, const RuleLoadOptions& options,
                                     SourceManager& sources, DiagnosticEngine& diagnostics) {
  return inOrderOfPlaces(diagnostics, [&](DiagnosticEngine& collector) {
    return Loader(options, sources, collector).run(specifications);
  });
}

namespace {

std::optional<ir::RuleSet> checkBuffer(BufferId buffer, const RuleLoadOptions& options, const SourceManager& sources,
                                       DiagnosticEngine& diagnostics) {
  return inOrderOfPlaces(diagnostics, [&](DiagnosticEngine& collector) -> std::optional<ir::RuleSet> {
    SourceFile file;
    file.path = file.shown = sources.name(buffer);
    file.buffer = buffer;
    file.tree = parse(buffer, sources, collector);
    for (const ast::Declaration& declaration : file.tree.declarationsOf(ast::Declaration::Kind::Import))
      collector.error(DiagId::AkpMissingFile, declaration.name.range,
                      "these rules are in no file, so that they can import none");
    std::vector<SourceFile> files;
    files.push_back(std::move(file));
    CheckedFiles checked = checkFiles(files, options, sources, collector);
    if (!checked.complete || collector.hasErrors()) return std::nullopt;
    return std::move(checked.rules);
  });
}

}  // namespace

std::optional<ir::RuleSet> loadRuleText(const std::string& name, const std::string& text, SourceManager& sources,
                                        DiagnosticEngine& diagnostics) {
  return checkBuffer(sources.add(name, text), {}, sources, diagnostics);
}

ir::RuleReader ruleReader(SourceManager& sources) {
  return [&sources](SourceRange text, DiagnosticEngine& diagnostics) {
    DiagnosticEngine errors([&](const Diagnostic& diagnostic) {
      if (diagnostic.severity == Severity::Error) diagnostics.report(diagnostic);
    });
    RuleLoadOptions options;
    options.warns = false;
    return checkBuffer(sources.addPart(text), options, sources, errors);
  };
}

OpenedRules openRules(const fs::path& path, const RuleLoadOptions& options, SourceManager& sources,
                      DiagnosticEngine& diagnostics) {
  return inOrderOfPlaces(diagnostics,
                         [&](DiagnosticEngine& collector) { return Loader(options, sources, collector).open(path); });
}

}  // namespace amdahlc::grammar
