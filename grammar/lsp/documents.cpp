#include "grammar/lsp/documents.h"

#include <system_error>
#include <utility>

#include "grammar/lsp/uri.h"

namespace amdahlc::lsp {

namespace fs = std::filesystem;

fs::path identityOf(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : found;
}

Document& Documents::open(const std::string& uri, int64_t version, EditedText text) {
  close(uri);
  Document& document = byUri_.emplace(uri, Document{uri, std::nullopt, version, std::move(text)}).first->second;
  if (const auto path = pathOf(uri)) {
    document.path = identityOf(*path);
    uris_[*document.path].insert(uri);
  }
  return document;
}

bool Documents::close(const std::string& uri) {
  const auto found = byUri_.find(uri);
  if (found == byUri_.end()) return false;
  if (found->second.path) {
    const auto own = uris_.find(*found->second.path);
    own->second.erase(uri);
    if (own->second.empty()) uris_.erase(own);
  }
  byUri_.erase(found);
  return true;
}

Document* Documents::find(const std::string& uri) {
  const auto found = byUri_.find(uri);
  return found == byUri_.end() ? nullptr : &found->second;
}

const Document* Documents::atPath(const fs::path& path) const {
  const auto uris = uris_.find(path);
  return uris == uris_.end() ? nullptr : &byUri_.at(*uris->second.begin());
}

}  // namespace amdahlc::lsp
