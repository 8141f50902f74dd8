/// The texts that the client has open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "grammar/lsp/edited_text.h"

namespace amdahlc::lsp {

struct Document {
  std::string uri;
  /// Without links and dots; nullopt for a text that is no file, which can import nothing.
  std::optional<std::filesystem::path> path;
  int64_t version = 0;
  EditedText text;
};

class Documents {
 public:
  /// A document that is open already is replaced.
  Document& open(const std::string& uri, int64_t version, EditedText text);
  /// False if there is no such document.
  bool close(const std::string& uri);
  /// nullptr if there is none.
  Document* find(const std::string& uri);
  /// The one with the first URI if there are several; nullptr if there is none.
  const Document* atPath(const std::filesystem::path& path) const;
  const std::map<std::string, Document>& all() const { return byUri_; }

 private:
  std::map<std::string, Document> byUri_;
  /// Of open documents; a file may have several.
  std::map<std::filesystem::path, std::set<std::string>> uris_;
};

/// `path` without links and dots, as far as it exists.
std::filesystem::path identityOf(const std::filesystem::path& path);

}  // namespace amdahlc::lsp
