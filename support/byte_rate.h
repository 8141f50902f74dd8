/// Rates of transfers: bytes per second as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace amdahlc {

/// Reads a rate with its unit: `12GB/s`, `1.5 GB/s`, `800MB/s`, `16GiB/s`. Units are powers of 1000 (k, M, G, T), or of
/// 1024 with an `i`. nullopt for anything else, and beyond 64 bits.
std::optional<int64_t> parseByteRate(std::string_view text);

/// In the largest unit of 1000 that gives a whole number: `12GB/s`.
std::string formatByteRate(int64_t bytesPerS);

}  // namespace amdahlc
