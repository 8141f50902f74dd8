/// The open documents, each with what the parser and the checker say about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grammar/lsp/edited_text.h"
#include "grammar/lsp/text_positions.h"
#include "grammar/mentions.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::lsp {

/// A text that the client has open.
struct Document {
  std::string uri;
  /// Without links and dots; nullopt for a text that is no file, which can import nothing.
  std::optional<std::filesystem::path> path;
  int64_t version = 0;
  EditedText text;
};

/// By URI.
using Documents = std::map<std::string, Document>;

/// The document of a file; the one with the first URI if there are several, nullptr if there is none.
const Document* atPath(const Documents& documents, const std::filesystem::path& path);

/// `path` without links and dots, as far as it exists.
std::filesystem::path identityOf(const std::filesystem::path& path);

/// A place in a file, for the client.
struct FilePlace {
  std::string uri;
  Position start, end;
};

/// What one version of a document means.
class Analysis {
 public:
  Analysis(const Document& document, const Documents& documents, PositionEncoding encoding);
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  const SourceManager& sources() const { return sources_; }
  const grammar::OpenedRules& rules() const { return rules_; }
  /// The document among the files of `rules`; nullptr if it could not be read.
  const grammar::SourceFile* file() const { return rules_.files.empty() ? nullptr : &rules_.files.back(); }
  const grammar::FileScope& scope() const { return rules_.checked.scopes.back(); }
  /// In the order of `-check-rules`.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// The name at a place of the document; nullptr if there is none.
  const grammar::Mention* mentionAt(Position position) const;
  /// Of the document's text.
  const TextPositions& positions() const { return positionsOf(0); }
  bool isInDocument(SourceRange range) const { return file() != nullptr && range.buffer == file()->buffer; }
  FilePlace place(SourceRange range) const;
  /// The import by which the document reads a buffer, directly or through others; nullptr if it does not.
  const grammar::Import* importOf(BufferId buffer) const {
    const auto found = imports_.find(buffer);
    return found == imports_.end() ? nullptr : found->second;
  }
  /// Whether it depends on the file of a path, or on one in the folder of that path.
  bool reads(const std::filesystem::path& path) const;

 private:
  const TextPositions& positionsOf(BufferId buffer) const;
  void noteImport(const grammar::Import& import, size_t file);

  PositionEncoding encoding_;
  std::string uri_;
  SourceManager sources_;
  std::vector<Diagnostic> diagnostics_;
  grammar::OpenedRules rules_;
  std::vector<grammar::Mention> mentions_;
  /// Paths of files that were read or missed.
  std::set<std::filesystem::path> read_;
  /// By buffer.
  std::map<BufferId, const grammar::Import*> imports_;
  /// By buffer; of the open documents.
  std::map<BufferId, std::string> uris_;
  mutable std::map<BufferId, TextPositions> positions_;
};

class Workspace {
 public:
  void setEncoding(PositionEncoding encoding) { encoding_ = encoding; }
  PositionEncoding encoding() const { return encoding_; }

  void open(const std::string& uri, int64_t version, std::string_view text);
  /// These return false if there is no such document.
  bool change(const std::string& uri, int64_t version, const std::vector<TextChange>& changes);
  bool close(const std::string& uri);
  /// A file of the disk is not what it was.
  void changedOnDisk(const std::filesystem::path& path);

  /// nullptr if there is none.
  const Document* find(const std::string& uri) const {
    const auto found = documents_.find(uri);
    return found == documents_.end() ? nullptr : &found->second;
  }
  /// Of the present text.
  const Analysis& analysis(const Document& document);
  /// Takes one of the open documents whose analysis was dropped: first those that changed themselves, then those that
  /// depend on them, by URI. nullptr if there is none.
  const Document* takeChanged();

 private:
  void invalidate(const Document& document);
  void invalidate(const std::filesystem::path& path);

  PositionEncoding encoding_ = PositionEncoding::Utf16;
  Documents documents_;
  std::map<std::string, std::unique_ptr<Analysis>> analyses_;
  std::set<std::string> edited_;
  std::set<std::string> dependents_;
};

}  // namespace amdahlc::lsp
