#include "grammar/lsp/uri.h"

#include <fmt/format.h>

#include <charconv>

#include "support/case_folding.h"

namespace amdahlc::lsp {
namespace {

/// nullopt where an escape is not well formed or stands for a zero byte, which no path has.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 3 > text.size()) return std::nullopt;
    unsigned byte = 0;
    const char* end = text.data() + i + 3;
    if (const auto read = std::from_chars(end - 2, end, byte, 16); read.ec != std::errc{} || read.ptr != end)
      return std::nullopt;
    if (byte == 0) return std::nullopt;
    out.push_back(static_cast<char>(byte));
    i += 2;
  }
  return out;
}

bool isUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~' || c == '/';
}

}  // namespace

std::optional<std::filesystem::path> pathOf(std::string_view uri) {
  constexpr std::string_view kScheme = "file:";
  if (toLower(uri.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const size_t path = uri.find('/');
    if (path == std::string_view::npos) return std::nullopt;
    if (const std::string_view host = uri.substr(0, path); !host.empty() && host != "localhost") return std::nullopt;
    uri.remove_prefix(path);
  }
  // Neither belongs to the path.
  uri = uri.substr(0, uri.find_first_of("?#"));
  auto path = decoded(uri);
  if (!path || !path->starts_with('/')) return std::nullopt;
  return std::filesystem::path(std::move(*path)).lexically_normal();
}

std::string uriOf(const std::filesystem::path& path) {
  std::string out = "file://";
  for (const char c : path.generic_string())
    if (isUnreserved(c))
      out.push_back(c);
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace amdahlc::lsp
