#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "support/byte_source.h"

namespace amdahlc {
namespace {

constexpr size_t kInputBytes = size_t{1} << 17;

/// Holds a piece of the compressed bytes and knows its place in the file.
class Decompressor : public ByteSource {
 public:
  Decompressor(ByteSource& compressed, std::string file, DiagnosticEngine& diagnostics)
      : compressed_(compressed), file_(std::move(file)), diagnostics_(diagnostics), input_(kInputBytes) {}

 protected:
  /// The bytes that are held and not used.
  std::string_view held() const { return {input_.data() + used_, size_ - used_}; }
  void use(size_t count) { used_ += count; }
  /// Keeps what is held and reads more behind it. False if there is no more.
  bool refill() {
    std::copy(input_.begin() + static_cast<ptrdiff_t>(used_), input_.begin() + static_cast<ptrdiff_t>(size_),
              input_.begin());
    offset_ += used_;
    size_ -= used_;
    used_ = 0;
    const size_t got = compressed_.read(input_.data() + size_, input_.size() - size_);
    size_ += got;
    failed_ |= compressed_.failed();
    return got > 0;
  }
  uint64_t offset() const { return offset_ + used_; }

  void damaged(std::string_view what) {
    if (!failed_)
      diagnostics_.error(DiagId::CompressedDamaged, TraceLocation{file_, offset(), std::nullopt}, std::string(what));
    failed_ = true;
  }
  void endsEarly() {
    damaged(fmt::format("the compressed data ends early, after {} bytes; the file is truncated", offset()));
  }
  /// Behind the end of the compressed data only zeros may follow, which tapes and `dd` add.
  void checkPadding() {
    do {
      const std::string_view rest = held();
      const size_t other = rest.find_first_not_of('\0');
      if (other != std::string_view::npos) {
        use(other);
        return damaged("other bytes follow the end of the compressed data");
      }
      use(rest.size());
    } while (refill());
  }

 private:
  ByteSource& compressed_;
  const std::string file_;
  DiagnosticEngine& diagnostics_;
  std::vector<char> input_;
  size_t used_ = 0;
  size_t size_ = 0;
  uint64_t offset_ = 0;
};

/// ISA-L's inflate, which is about twice as fast as zlib's. A file may have several members.
class GzipBytes : public Decompressor {
 public:
  GzipBytes(ByteSource& compressed, const std::string& file, DiagnosticEngine& diagnostics)
      : Decompressor(compressed, file, diagnostics) {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;
  }

  size_t read(char* to, size_t count) override {
    size_t made = 0;
    while (made < count && !ended_ && !failed()) {
      if (state_->block_state == ISAL_BLOCK_FINISH) {
        beginMember();
        continue;
      }
      const bool hasMore = !held().empty() || refill();
      const std::string_view in = held();
      const auto room = static_cast<uint32_t>(std::min(count - made, kOutputStep));
      state_->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
      state_->avail_in = static_cast<uint32_t>(in.size());
      state_->next_out = reinterpret_cast<uint8_t*>(to + made);
      state_->avail_out = room;
      const int status = isal_inflate(state_.get());
      use(in.size() - state_->avail_in);
      const size_t got = room - state_->avail_out;
      made += got;
      if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT)
        damaged(fmt::format("the compressed data is damaged: {}", describe(status)));
      else if (!hasMore && got == 0 && state_->block_state != ISAL_BLOCK_FINISH)
        endsEarly();
    }
    return made;
  }

 private:
  static constexpr size_t kOutputStep = size_t{1} << 30;

  void beginMember() {
    if (held().size() < 2) refill();
    if (compressionOf(held()) != Compression::Gzip) {
      checkPadding();
      ended_ = true;
      return;
    }
    isal_inflate_reset(state_.get());
    state_->crc_flag = ISAL_GZIP;
  }

  static std::string_view describe(int status) {
    static constexpr std::pair<int, std::string_view> kTexts[] = {
        {ISAL_INVALID_BLOCK, "invalid block"},
        {ISAL_INVALID_SYMBOL, "invalid symbol"},
        {ISAL_INVALID_LOOKBACK, "invalid distance"},
        {ISAL_INVALID_WRAPPER, "invalid gzip header"},
        {ISAL_UNSUPPORTED_METHOD, "invalid gzip header"},
        {ISAL_INCORRECT_CHECKSUM, "wrong checksum"},
        {ISAL_NEED_DICT, "it needs a dictionary"},
    };
    for (const auto& [known, text] : kTexts)
      if (status == known) return text;
    return "unknown cause";
  }

  const std::unique_ptr<inflate_state> state_ = std::make_unique<inflate_state>();
  bool ended_ = false;
};

class ZstdBytes : public Decompressor {
 public:
  ZstdBytes(ByteSource& compressed, const std::string& file, DiagnosticEngine& diagnostics)
      : Decompressor(compressed, file, diagnostics), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  size_t read(char* to, size_t count) override {
    ZSTD_outBuffer out{to, count, 0};
    while (out.pos < count && !ended_ && !failed()) {
      if (held().empty() && !refill()) {
        // A frame that is not complete may still have output that did not fit before.
        const size_t before = out.pos;
        if (insideFrame_) step(out, {});
        if (out.pos > before) continue;
        if (insideFrame_) endsEarly();
        ended_ = true;
        break;
      }
      step(out, held());
    }
    return out.pos;
  }

 private:
  void step(ZSTD_outBuffer& out, std::string_view in) {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    const size_t status = ZSTD_decompressStream(stream_.get(), &out, &input);
    use(input.pos);
    if (ZSTD_isError(status))
      damaged(fmt::format("the compressed data is damaged: {}", ZSTD_getErrorName(status)));
    else
      insideFrame_ = status != 0;
  }

  struct Deleter {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  const std::unique_ptr<ZSTD_DStream, Deleter> stream_;
  bool insideFrame_ = true;
  bool ended_ = false;
};

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

Compression compressionOf(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b")) return Compression::Gzip;
  if (beginning.starts_with("\x28\xb5\x2f\xfd")) return Compression::Zstd;
  return Compression::None;
}

std::unique_ptr<ByteSource> decompress(ByteSource& compressed, Compression compression, const std::string& file,
                                       DiagnosticEngine& diagnostics) {
  if (compression == Compression::Zstd) return std::make_unique<ZstdBytes>(compressed, file, diagnostics);
  return std::make_unique<GzipBytes>(compressed, file, diagnostics);
}

std::optional<std::string> compressedFor(std::string_view fileName, std::string_view bytes) {
  if (fileName.ends_with(".gz")) return gzipped(bytes);
  if (fileName.ends_with(".zst")) return zstdCompressed(bytes);
  return std::nullopt;
}

}  // namespace amdahlc
