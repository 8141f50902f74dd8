/// Bytes that are written once, from the beginning to the end, and are never all in memory.
#pragma once

#include <memory>
#include <string_view>

namespace amdahlc {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// False if the bytes cannot be taken; then nothing else will be.
  virtual bool write(std::string_view bytes) = 0;
  /// Writes what is held back. Nothing may follow.
  virtual bool finish() { return true; }
};

}  // namespace amdahlc
