/// Compresses what is written to files whose names say so.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/byte_sink.h"

namespace amdahlc {

/// `bytes` in the format that the name of a file stands for: gzip for `.gz`, zstd for `.zst`; nullopt for other names.
/// The same bytes give the same result. Throws std::bad_alloc.
std::optional<std::string> compressedFor(std::string_view fileName, std::string_view bytes);

/// The same for bytes that arrive in pieces and go on to `out`, which must outlive the result; null for other names.
/// gzip data has one member, because viewers read no further. Throws std::bad_alloc.
std::unique_ptr<ByteSink> compressingSink(std::string_view fileName, ByteSink& out);

}  // namespace amdahlc
