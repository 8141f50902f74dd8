/// The encoding of text that users write: UTF-8 without zero bytes.
#pragma once

#include <string_view>

#include "support/diagnostic.h"

namespace amdahlc {

/// Whether `text`, the bytes of `buffer`, is UTF-8 text. Reports the first byte that is not, as `id`.
bool checkEncoding(DiagId id, BufferId buffer, std::string_view text, DiagnosticEngine& diagnostics);

}  // namespace amdahlc
