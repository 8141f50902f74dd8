#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "support/file.h"

namespace amdahlc {
namespace {

// Zlib: the largest window, gzip or zlib header by inspection.
constexpr int kWindowBitsDetect = 15 + 32;
// Zlib counts in unsigned int.
constexpr size_t kMaxChunk = size_t{1} << 30;

/// Ends the stream on every path.
struct Inflater {
  z_stream stream{};
  bool ready = false;
  Inflater() { ready = ::inflateInit2(&stream, kWindowBitsDetect) == Z_OK; }
  ~Inflater() {
    if (ready) ::inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

bool looksGzipped(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

std::optional<std::string> inflate(std::string_view compressed, uint64_t maxBytes, const std::string& file,
                                   DiagnosticEngine& diagnostics) {
  const auto damaged = [&](size_t offset, std::string_view what) -> std::optional<std::string> {
    diagnostics.error(DiagId::GzipDamaged, TraceLocation{file, offset, std::nullopt}, std::string(what));
    return std::nullopt;
  };

  Inflater inflater;
  if (!inflater.ready) return damaged(0, "zlib has no memory left");
  std::string out;
  size_t used = 0;
  size_t consumed = 0;
  for (;;) {
    if (used == out.size()) {
      if (used > maxBytes) {
        diagnostics.error(DiagId::FileTooLarge, TraceLocation{file, consumed, std::nullopt},
                          fmt::format("the compressed data has more than the limit of {} bytes", maxBytes));
        return std::nullopt;
      }
      // One byte more than the limit, to distinguish data of exactly that size from more.
      const uint64_t wanted =
          std::max<uint64_t>({2 * static_cast<uint64_t>(used), 4 * static_cast<uint64_t>(compressed.size()), 1u << 16});
      out.resize(static_cast<size_t>(std::min<uint64_t>(wanted, maxBytes + 1)));
    }
    const size_t inChunk = std::min(compressed.size() - consumed, kMaxChunk);
    const size_t outChunk = std::min(out.size() - used, kMaxChunk);
    inflater.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + consumed));
    inflater.stream.avail_in = static_cast<uInt>(inChunk);
    inflater.stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    inflater.stream.avail_out = static_cast<uInt>(outChunk);
    const int status = ::inflate(&inflater.stream, Z_NO_FLUSH);
    consumed += inChunk - inflater.stream.avail_in;
    used += outChunk - inflater.stream.avail_out;

    if (status == Z_STREAM_END) {
      // A gzip file may have several members. Zeros after the last one are padding, as in gzip itself.
      const std::string_view rest = compressed.substr(consumed);
      if (looksGzipped(rest)) {
        if (::inflateReset2(&inflater.stream, kWindowBitsDetect) != Z_OK)
          return damaged(consumed, "zlib cannot start the next member");
        continue;
      }
      if (rest.find_first_not_of('\0') != std::string_view::npos)
        return damaged(consumed, fmt::format("{} bytes follow the end of the compressed data", rest.size()));
      if (used > maxBytes) continue;  // reports the limit
      out.resize(used);
      return out;
    }
    if (status == Z_NEED_DICT) return damaged(consumed, "the compressed data needs a dictionary");
    if (status != Z_OK && status != Z_BUF_ERROR)
      return damaged(consumed, fmt::format("the compressed data is damaged: {}",
                                           inflater.stream.msg ? inflater.stream.msg : "unknown cause"));
    if (consumed == compressed.size() && inflater.stream.avail_out != 0)
      return damaged(consumed,
                     fmt::format("the compressed data ends early, after {} bytes; the file is truncated", consumed));
  }
}

}  // namespace amdahlc
