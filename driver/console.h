/// The terminal: messages and progress on stderr, width and colour of stdout.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "driver/settings.h"

namespace amdahlc::driver {

class Console {
 public:
  Console();

  void setColor(ColorMode mode) { color_ = mode; }
  bool colorsErrors() const { return colors(errorsAreTerminal_); }
  bool colorsOutput() const { return colors(outputIsTerminal_); }
  /// Width of the terminal at stdout; 0 if stdout is not a terminal.
  unsigned columns() const;

  /// Writes whole text to stderr.
  void message(std::string_view text);
  /// Shows progress, on a terminal and only if the work takes long. `fraction` is below 0 if unknown.
  void progress(std::string_view what, double fraction);
  void clearProgress();

 private:
  using Clock = std::chrono::steady_clock;

  bool colors(bool terminal) const { return color_ == ColorMode::Always || (color_ == ColorMode::Auto && terminal); }

  ColorMode color_ = ColorMode::Auto;
  bool errorsAreTerminal_ = false;
  bool outputIsTerminal_ = false;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_;
};

}  // namespace amdahlc::driver
