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

namespace {

/// The start of the first line behind `from`; the end of the text without one.
size_t nextLine(std::string_view text, size_t from, bool hasReturns) {
  size_t end = text.find('\n', from);
  if (hasReturns) end = std::min(end, text.find('\r', from));
  if (end >= text.size()) return text.size();
  return end + (text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n' ? 2 : 1);
}

/// The offset of a position. Marks of all lines would cost more for one change of many than the search of its line.
size_t offsetOf(std::string_view text, Position position, PositionEncoding encoding) {
  const bool hasReturns = text.find('\r') != std::string_view::npos;
  size_t begin = 0;
  for (uint32_t line = 0; line < position.line; ++line) {
    const size_t next = nextLine(text, begin, hasReturns);
    if (next == text.size() && (next == begin || (text.back() != '\n' && text.back() != '\r'))) return text.size();
    begin = next;
  }
  const std::string_view line = text.substr(begin, nextLine(text, begin, hasReturns) - begin);
  return begin + TextPositions(line, encoding).offset({0, position.character});
}

}  // namespace

void apply(const TextChange& change, PositionEncoding encoding, std::string& text) {
  if (!change.range) {
    text = change.text;
    return;
  }
  const auto [begin, end] =
      std::minmax({offsetOf(text, change.range->start, encoding), offsetOf(text, change.range->end, encoding)});
  text.replace(begin, end - begin, change.text);
}

}  // namespace amdahlc::lsp
