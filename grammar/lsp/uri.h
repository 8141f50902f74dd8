/// Paths of files as URIs, and back.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace amdahlc::lsp {

/// The absolute path that a `file:` URI names; nullopt for a URI of another scheme, of another host, or one that is not
/// well formed.
std::optional<std::filesystem::path> pathOf(std::string_view uri);
/// `path` is absolute.
std::string uriOf(const std::filesystem::path& path);

}  // namespace amdahlc::lsp
