#include "grammar/lsp/message_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "support/case_folding.h"
#include "support/limits.h"

namespace amdahlc::lsp {
namespace {

constexpr std::string_view kLength = "content-length";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool MessageReader::fill() {
  std::array<char, 1 << 16> chunk;
  const size_t count = channel_.read(chunk.data(), chunk.size());
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(chunk.data(), count);
  return count != 0;
}

std::optional<std::string> MessageReader::line() {
  std::string out;
  while (true) {
    if (at_ == buffer_.size() && !fill()) return std::nullopt;
    const size_t end = buffer_.find('\n', at_);
    out.append(buffer_, at_, end == std::string::npos ? end : end - at_);
    at_ = end == std::string::npos ? buffer_.size() : end + 1;
    // The end of a long line may be the header that comes next.
    if (static_cast<int64_t>(out.size()) > limits::kMessageHeaderBytes)
      out.erase(0, out.size() - static_cast<size_t>(limits::kMessageHeaderBytes));
    if (end == std::string::npos) continue;
    if (out.ends_with('\r')) out.pop_back();
    return out;
  }
}

void MessageReader::readField(std::string_view field, Header& header) {
  // Behind a message of the wrong length, a header may begin within a line.
  const size_t inside = toLower(field).rfind(std::string(kLength) + ":");
  if (inside != std::string_view::npos && inside != 0) {
    header.fault = "text that is no header";
    field.remove_prefix(inside);
  }
  const size_t colon = field.find(':');
  const std::string name = toLower(field.substr(0, std::min(colon, field.size())));
  if (colon == std::string_view::npos || name.empty() ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
    header.fault = "text that is no header";
    return;
  }
  const std::string_view value = trimmed(field.substr(colon + 1));
  if (name == kLength) {
    uint64_t length = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    if (error != std::errc{} || end != value.data() + value.size())
      header.fault = "a `Content-Length` that is no number";
    else
      header.length = length;
  } else if (name == "content-type") {
    const std::string type = toLower(value);
    const size_t charset = type.find("charset=");
    if (charset != std::string::npos && type.find("utf-8", charset) == std::string::npos &&
        type.find("utf8", charset) == std::string::npos) {
      header.fault = "a message whose encoding is not UTF-8";
      header.refused = true;
    }
  }
}

std::optional<std::string> MessageReader::bytes(uint64_t count, bool keep) {
  std::string out;
  while (count > 0) {
    if (at_ == buffer_.size() && !fill()) return std::nullopt;
    const size_t here = static_cast<size_t>(std::min<uint64_t>(count, buffer_.size() - at_));
    if (keep) out.append(buffer_, at_, here);
    at_ += here;
    count -= here;
  }
  return out;
}

std::optional<Incoming> MessageReader::next() {
  if (!bytes(std::exchange(skipped_, 0), false)) return std::nullopt;
  Header header;
  while (auto field = line()) {
    if (!field->empty()) {
      readField(*field, header);
      continue;
    }
    if (!header.length) {
      if (header.fault.empty()) header.fault = "a header without `Content-Length`";
      if (!lost_) {
        lost_ = true;
        return Incoming{std::nullopt, header.fault};
      }
      header = {};
      continue;
    }
    // Faults of one stretch of text are reported once.
    Incoming out{std::nullopt, lost_ ? std::string() : header.fault};
    lost_ = false;
    if (*header.length > static_cast<uint64_t>(limits::kMessageBytes)) {
      // The fault is answered before the message is read to its end: a wrong length may have none.
      skipped_ = *header.length;
      out.fault = fmt::format("a message of {} bytes, more than {}", *header.length, limits::kMessageBytes);
      return out;
    }
    out.body = bytes(*header.length, true);
    if (!out.body) return std::nullopt;
    if (header.refused) out.body.reset();
    return out;
  }
  return std::nullopt;
}

std::string framed(std::string_view body) { return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body); }

}  // namespace amdahlc::lsp
