#include "support/compress.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

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

constexpr size_t kPieceBytes = size_t{1} << 17;

/// ISA-L's deflate, because libdeflate compresses only what is in memory as a whole.
class GzipSink : public ByteSink {
 public:
  explicit GzipSink(ByteSink& out) : out_(out), tables_(ISAL_DEF_LVL2_DEFAULT), piece_(kPieceBytes) {
    isal_deflate_init(&stream_);
    stream_.level = 2;
    stream_.level_buf = tables_.data();
    stream_.level_buf_size = static_cast<uint32_t>(tables_.size());
    stream_.gzip_flag = IGZIP_GZIP;
  }

  bool write(std::string_view bytes) override {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kInputStep)))
      if (!deflate(bytes.substr(0, kInputStep))) return false;
    return true;
  }
  bool finish() override {
    stream_.end_of_stream = 1;
    return deflate({}) && out_.finish();
  }

 private:
  static constexpr size_t kInputStep = size_t{1} << 30;

  bool deflate(std::string_view bytes) {
    // The library does not write to its input.
    stream_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uint32_t>(bytes.size());
    do {
      stream_.next_out = piece_.data();
      stream_.avail_out = static_cast<uint32_t>(piece_.size());
      // The only failures are of the state, which is ours.
      if (isal_deflate(&stream_) != COMP_OK) return false;
      const size_t made = piece_.size() - stream_.avail_out;
      if (made > 0 && !out_.write({reinterpret_cast<const char*>(piece_.data()), made})) return false;
    } while (stream_.avail_out == 0);
    return true;
  }

  ByteSink& out_;
  std::vector<uint8_t> tables_, piece_;
  isal_zstream stream_{};
};

class ZstdSink : public ByteSink {
 public:
  explicit ZstdSink(ByteSink& out) : out_(out), stream_(ZSTD_createCStream(), ZSTD_freeCStream), piece_(kPieceBytes) {
    if (!stream_ || ZSTD_isError(ZSTD_initCStream(stream_.get(), kZstdLevel))) throw std::bad_alloc();
  }
  bool write(std::string_view bytes) override { return compress(bytes, ZSTD_e_continue); }
  bool finish() override { return compress({}, ZSTD_e_end) && out_.finish(); }

 private:
  bool compress(std::string_view bytes, ZSTD_EndDirective mode) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer made{piece_.data(), piece_.size(), 0};
      const size_t left = ZSTD_compressStream2(stream_.get(), &made, &in, mode);
      // Only memory can be missing.
      if (ZSTD_isError(left)) throw std::bad_alloc();
      if (made.pos > 0 && !out_.write({piece_.data(), made.pos})) return false;
      if (mode == ZSTD_e_end ? left == 0 : in.pos == in.size) return true;
    }
  }

  ByteSink& out_;
  std::unique_ptr<ZSTD_CStream, decltype(&ZSTD_freeCStream)> stream_;
  std::vector<char> piece_;
};

}  // namespace

std::unique_ptr<ByteSink> compressingSink(std::string_view fileName, ByteSink& out) {
  if (fileName.ends_with(".gz")) return std::make_unique<GzipSink>(out);
  if (fileName.ends_with(".zst")) return std::make_unique<ZstdSink>(out);
  return nullptr;
}

std::optional<std::string> compressedFor(std::string_view fileName, std::string_view bytes) {
  if (fileName.ends_with(".gz")) return gzipped(bytes);
  if (fileName.ends_with(".zst")) return zstdCompressed(bytes);
  return std::nullopt;
}

}  // namespace amdahlc
