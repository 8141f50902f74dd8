#include "grammar/lsp/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grammar/lsp/uri.h"
#include "support/bytes.h"
#include "support/limits.h"

namespace amdahlc::lsp {
namespace {

namespace fs = std::filesystem;

/// An editor shows errors at their places, so that one early mistake must not hide others.
constexpr size_t kMostDiagnostics = 1000;

/// The files of one analysis: open documents, else those of the disk. It notes what it was asked for.
class OpenFiles : public grammar::RuleFiles {
 public:
  OpenFiles(const Document& document, const Documents& documents, std::set<fs::path>& asked)
      : document_(document), documents_(documents), asked_(asked) {}

  bool isFile(const fs::path& path) const override {
    if (!document_.path) return false;
    const fs::path identity = note(path);
    return atPath(documents_, identity) != nullptr || RuleFiles::isFile(path);
  }

  std::optional<std::string> read(const fs::path& path, DiagnosticEngine& diagnostics) const override {
    // The document itself is first, whatever else is open under another name of its file.
    const bool isDocument = !std::exchange(isDocumentRead_, true);
    if (document_.path) note(path);
    const Document* open = isDocument ? &document_ : document_.path ? atPath(documents_, identityOf(path)) : nullptr;
    if (open == nullptr) return RuleFiles::read(path, diagnostics);
    if (static_cast<int64_t>(open->text.size()) <= limits::kRuleFileBytes) return open->text.text();
    diagnostics.error(
        DiagId::FileTooLarge, FileLocation{path.string()},
        fmt::format("the file is larger than the limit of {}", formatBytesExactly(limits::kRuleFileBytes)));
    return std::nullopt;
  }

  std::vector<fs::path> rulesIn(const fs::path& folder) const override {
    return document_.path ? RuleFiles::rulesIn(folder) : std::vector<fs::path>{};
  }

 private:
  fs::path note(const fs::path& path) const {
    // Both: what the name leads to may change, and what it is the name of.
    fs::path identity = identityOf(path);
    asked_.insert(path.lexically_normal());
    asked_.insert(identity);
    return identity;
  }

  const Document& document_;
  const Documents& documents_;
  std::set<fs::path>& asked_;
  mutable bool isDocumentRead_ = false;
};

}  // namespace

fs::path identityOf(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : found;
}

const Document* atPath(const Documents& documents, const fs::path& path) {
  const auto found = std::ranges::find_if(documents, [&](const auto& one) { return one.second.path == path; });
  return found == documents.end() ? nullptr : &found->second;
}

Analysis::Analysis(const Document& document, const Documents& documents, PositionEncoding encoding)
    : encoding_(encoding), uri_(document.uri) {
  const OpenFiles files(document, documents, read_);
  grammar::RuleLoadOptions options;
  options.files = &files;
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { diagnostics_.push_back(diagnostic); }, kMostDiagnostics);
  rules_ = grammar::openRules(document.path.value_or(fs::path(document.uri)), options, sources_, engine);
  for (const grammar::SourceFile& file : rules_.files)
    if (const Document* open = atPath(documents, identityOf(file.path))) uris_[file.buffer] = open->uri;
  if (file() == nullptr) return;
  mentions_ = grammar::mentionsIn(rules_, rules_.files.size() - 1, sources_);
  for (const grammar::Import& import : file()->imports) noteImport(import, import.file);
}

const TextPositions& Analysis::positionsOf(BufferId buffer) const {
  const auto found = positions_.find(buffer);
  if (found != positions_.end()) return found->second;
  const std::string_view text = buffer < sources_.size() ? sources_.text(buffer) : std::string_view();
  return positions_.emplace(buffer, TextPositions(text, encoding_)).first->second;
}

FilePlace Analysis::place(SourceRange range) const {
  const TextPositions& positions = positionsOf(range.buffer);
  const auto open = uris_.find(range.buffer);
  std::string uri = isInDocument(range)   ? uri_
                    : open != uris_.end() ? open->second
                                          : uriOf(identityOf(fs::path(sources_.name(range.buffer))));
  return {std::move(uri), positions.at(range.begin), positions.at(range.end)};
}

const grammar::Mention* Analysis::mentionAt(Position position) const {
  if (file() == nullptr) return nullptr;
  const uint32_t offset = positionsOf(file()->buffer).offset(position);
  const auto next = std::upper_bound(mentions_.begin(), mentions_.end(), offset,
                                     [](uint32_t at, const grammar::Mention& one) { return at < one.range.begin; });
  // Behind the last letter of a name is still at it.
  if (next == mentions_.begin() || std::prev(next)->range.end < offset) return nullptr;
  return &*std::prev(next);
}

bool Analysis::reads(const fs::path& path) const {
  // Paths are ordered by their components, so that what is in a folder follows it.
  const auto found = read_.lower_bound(path);
  if (found == read_.end()) return false;
  return std::mismatch(path.begin(), path.end(), found->begin(), found->end()).first == path.end();
}

void Analysis::noteImport(const grammar::Import& import, size_t file) {
  const grammar::SourceFile& read = rules_.files[file];
  if (!imports_.emplace(read.buffer, &import).second) return;
  for (const grammar::Import& next : read.imports) noteImport(import, next.file);
}

void Workspace::open(const std::string& uri, int64_t version, std::string_view text) {
  Document document{uri, std::nullopt, version, EditedText(text, encoding_)};
  if (const auto path = pathOf(uri)) document.path = identityOf(*path);
  invalidate(documents_.insert_or_assign(uri, std::move(document)).first->second);
}

bool Workspace::change(const std::string& uri, int64_t version, const std::vector<TextChange>& changes) {
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return false;
  Document& document = found->second;
  for (const TextChange& change : changes) document.text.apply(change);
  document.version = version;
  invalidate(document);
  return true;
}

bool Workspace::close(const std::string& uri) {
  const Document* document = find(uri);
  if (document == nullptr) return false;
  const std::optional<fs::path> path = document->path;
  analyses_.erase(uri);
  edited_.erase(uri);
  dependents_.erase(uri);
  documents_.erase(uri);
  if (path) invalidate(*path);
  return true;
}

void Workspace::changedOnDisk(const fs::path& path) {
  // A URI of a folder may end in `/`, which makes an empty last component.
  const fs::path plain = path.has_filename() ? path : path.parent_path();
  invalidate(plain.lexically_normal());
  invalidate(identityOf(plain));
}

const Analysis& Workspace::analysis(const Document& document) {
  auto& analysis = analyses_[document.uri];
  if (!analysis) analysis = std::make_unique<Analysis>(document, documents_, encoding_);
  return *analysis;
}

const Document* Workspace::takeChanged() {
  std::set<std::string>& from = edited_.empty() ? dependents_ : edited_;
  if (from.empty()) return nullptr;
  const std::string uri = *from.begin();
  edited_.erase(uri);
  dependents_.erase(uri);
  return find(uri);
}

void Workspace::invalidate(const Document& document) {
  analyses_.erase(document.uri);
  edited_.insert(document.uri);
  if (document.path) invalidate(*document.path);
}

void Workspace::invalidate(const fs::path& path) {
  std::erase_if(analyses_, [&](const auto& one) {
    const bool isStale = one.second->reads(path);
    if (isStale) dependents_.insert(one.first);
    return isStale;
  });
}

}  // namespace amdahlc::lsp
