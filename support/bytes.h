/// Numbers of bytes, and bytes per second, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace amdahlc {

/// A number of bytes such as `800000000`, `512MiB` or `8G`. Units are powers of 1024: K, M, G and T, with or without
/// `iB`. nullopt if it is none, or beyond 2^63.
std::optional<int64_t> parseBytes(std::string_view text);

/// `512 MiB`, `640 bytes`: exact, in the largest unit that divides it, of MiB and GiB.
std::string formatBytesExactly(uint64_t bytes);

/// `1.46 MiB`, `640 B`: three digits, units of 1024.
std::string formatBytesRounded(int64_t bytes);

/// Reads a rate with its unit: `12GB/s`, `1.5 GB/s`, `800MB/s`, `16GiB/s`. Units are powers of 1000 (k, M, G, T), or of
/// 1024 with an `i`. nullopt for anything else, and beyond 64 bits.
std::optional<int64_t> parseByteRate(std::string_view text);

/// In the largest unit of 1000 that gives a whole number: `12GB/s`.
std::string formatByteRate(int64_t bytesPerS);

}  // namespace amdahlc
