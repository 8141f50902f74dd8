/// The terminal: messages and progress on stderr, width and colour of stdout.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "driver/settings.h"

namespace amdahlc::driver {

/// A line such as `read run.json: 45 %, 3 s, about 4 s left`, of at most `columns` characters (0: any number).
/// `fraction` is below 0 if unknown. What is left is told from where that can be known: after a second and a
/// twentieth of the work.
std::string progressLine(std::string_view what, double fraction, std::chrono::milliseconds elapsed, unsigned columns);

/// All functions but the constructor may be called by one thread only, that of the command. Another one redraws the
/// line of progress.
class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void setColor(ColorMode mode) { color_ = mode; }
  bool colorsErrors() const { return colors(errorsAreTerminal_); }
  bool colorsOutput() const { return colors(outputIsTerminal_); }
  bool outputIsTerminal() const { return outputIsTerminal_; }
  /// Width of the terminal at stdout; 0 if stdout is not a terminal.
  unsigned columns() const;

  /// Writes whole text to stderr.
  void message(std::string_view text);
  /// Shows what is being done in a line of stderr that is written anew again and again: on a terminal that can do
  /// that, and only if the command takes long. A `what` other than before begins a piece of work. `fraction` is below 0
  /// if unknown.
  void progress(std::string_view what, double fraction);
  /// Nothing is being done: takes the line away.
  void endProgress();

 private:
  using Clock = std::chrono::steady_clock;

  bool colors(bool terminal) const;
  void clearLine();
  void redraw(const std::stop_token& stop);

  ColorMode color_ = ColorMode::Auto;
  bool errorsAreTerminal_ = false;
  bool outputIsTerminal_ = false;

  const Clock::time_point start_ = Clock::now();
  /// Guards stderr and all below.
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool isShown_ = false;
  /// Empty if nothing is being done.
  std::string what_;
  double fraction_ = -1;
  Clock::time_point begin_;
  std::jthread drawer_;
};

}  // namespace amdahlc::driver
