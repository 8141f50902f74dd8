#include "driver/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace amdahlc::driver {
namespace {

// Short work prints no progress, and the line does not change faster than a person can read.
constexpr auto kQuietStart = std::chrono::milliseconds(500);
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);

}  // namespace

Console::Console()
    : errorsAreTerminal_(::isatty(STDERR_FILENO) == 1), outputIsTerminal_(::isatty(STDOUT_FILENO) == 1) {}

unsigned Console::columns() const {
  winsize size{};
  if (!outputIsTerminal_ || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

void Console::message(std::string_view text) {
  clearProgress();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::progress(std::string_view what, double fraction) {
  if (!errorsAreTerminal_) return;
  const auto now = Clock::now();
  if (now - start_ < kQuietStart || now - last_ < kRedrawInterval) return;
  last_ = now;
  shown_ = true;
  const std::string percent = fraction < 0 ? "" : fmt::format(" {:.0f}%", 100 * fraction);
  std::fputs(fmt::format("\r\033[K{}{} ...", what, percent).c_str(), stderr);
}

void Console::clearProgress() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace amdahlc::driver
