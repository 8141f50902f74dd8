#include "support/compress.h"

#include <libdeflate.h>
#include <zstd.h>

#include <memory>
#include <new>

namespace amdahlc {
namespace {

// The libraries' own defaults.
constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 3;

std::string gzipped(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kGzipLevel), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  // Never 0, because there is room for the worst case.
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

std::string zstdCompressed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstdLevel);
  // There is room for the worst case, so that only memory can be missing.
  if (ZSTD_isError(size)) throw std::bad_alloc();
  out.resize(size);
  return out;
}

}  // namespace

std::optional<std::string> compressedFor(std::string_view fileName, std::string_view bytes) {
  if (fileName.ends_with(".gz")) return gzipped(bytes);
  if (fileName.ends_with(".zst")) return zstdCompressed(bytes);
  return std::nullopt;
}

}  // namespace amdahlc
