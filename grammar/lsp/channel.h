/// The bytes between client and server.
#pragma once

#include <cstddef>
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

}  // namespace amdahlc::lsp
