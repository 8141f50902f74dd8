/// The bytes between client and server, and the messages of the base protocol in them: a header with `Content-Length`,
/// a blank line, and so many bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace amdahlc::lsp {

class Channel {
 public:
  virtual ~Channel() = default;

  /// Waits for input. The number of bytes read; 0 at the end of the input.
  virtual size_t read(char* into, size_t size) = 0;
  /// Whether `read` returns without waiting.
  virtual bool hasInput() = 0;
  /// False if nobody reads any more.
  virtual bool write(std::string_view bytes) = 0;
};

/// stdin and stdout. From now on, a write that nobody reads fails instead of ending the process.
class StdioChannel : public Channel {
 public:
  StdioChannel();
  size_t read(char* into, size_t size) override;
  bool hasInput() override;
  bool write(std::string_view bytes) override;
};

/// A message, what is wrong with the text before it, or both.
struct Incoming {
  std::optional<std::string> body;
  /// Empty if nothing is.
  std::string fault;
};

/// Behind text that is no message it looks for the next header, and reports that text once.
class MessageReader {
 public:
  explicit MessageReader(Channel& channel) : channel_(channel) {}

  /// Waits for a message; nullopt at the end of the input.
  std::optional<Incoming> next();
  /// Whether more was sent already.
  bool hasMore() { return at_ < buffer_.size() || channel_.hasInput(); }

 private:
  struct Header {
    std::optional<uint64_t> length;
    std::string fault;
    /// The body is not to be read.
    bool refused = false;
  };

  /// False at the end of the input.
  bool fill();
  /// A line without its end, cut at the limit of headers; nullopt at the end of the input.
  std::optional<std::string> line();
  static void readField(std::string_view field, Header& header);
  /// nullopt at the end of the input. Without `keep`, the bytes are passed over.
  std::optional<std::string> bytes(uint64_t count, bool keep);

  Channel& channel_;
  std::string buffer_;
  /// The bytes before it have been read.
  size_t at_ = 0;
  /// Bytes of a message that is too long, which are still to be passed over.
  uint64_t skipped_ = 0;
  /// The text here is no message, and that was reported.
  bool lost_ = false;
};

/// A message with its header.
std::string framed(std::string_view body);

}  // namespace amdahlc::lsp
