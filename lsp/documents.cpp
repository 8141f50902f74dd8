#include "lsp/documents.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "lsp/uri.h"

namespace amdahlc::lsp {

namespace fs = std::filesystem;

fs::path identityOf(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : found;
}

Document& Documents::open(const std::string& uri, int64_t version, std::string text) {
  close(uri);
  Document& document = byUri_[uri];
  document.uri = uri;
  document.version = version;
  document.text = std::move(text);
  if (const auto path = pathOf(uri)) {
    document.path = identityOf(*path);
    uris_[*document.path] = uri;
  }
  return document;
}

bool Documents::close(const std::string& uri) {
  const auto found = byUri_.find(uri);
  if (found == byUri_.end()) return false;
  if (found->second.path)
    if (const auto own = uris_.find(*found->second.path); own != uris_.end() && own->second == uri) uris_.erase(own);
  byUri_.erase(found);
  return true;
}

Document* Documents::find(const std::string& uri) {
  const auto found = byUri_.find(uri);
  return found == byUri_.end() ? nullptr : &found->second;
}

const Document* Documents::atPath(const fs::path& path) const {
  const auto uri = uris_.find(path);
  if (uri == uris_.end()) return nullptr;
  const auto found = byUri_.find(uri->second);
  return found == byUri_.end() ? nullptr : &found->second;
}

void apply(const TextChange& change, PositionEncoding encoding, std::string& text) {
  if (!change.range) {
    text = change.text;
    return;
  }
  const TextPositions positions(text, encoding);
  const auto [begin, end] = std::minmax({positions.offset(change.range->start), positions.offset(change.range->end)});
  text.replace(begin, end - begin, change.text);
}

}  // namespace amdahlc::lsp
