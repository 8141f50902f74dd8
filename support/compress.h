/// Compresses what is written to files whose names say so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace amdahlc {

/// `bytes` in the format that the name of a file stands for: gzip for `.gz`, zstd for `.zst`; nullopt for other names.
/// The same bytes give the same result. Throws std::bad_alloc.
std::optional<std::string> compressedFor(std::string_view fileName, std::string_view bytes);

}  // namespace amdahlc
