#include "driver/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "support/characters.h"

namespace amdahlc::driver {
namespace {

// Short work shows no progress, and the line does not change faster than a person can read.
constexpr std::chrono::milliseconds kQuietStart(500), kRedrawInterval(200);
// Before that, what is left cannot be told.
constexpr std::chrono::seconds kLeastElapsed(1);
constexpr double kLeastFraction = 0.05;

unsigned columnsOf(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Whether the terminal understands escape sequences.
bool understandsEscapes() {
  const char* const term = std::getenv("TERM");
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

/// https://no-color.org
bool wantsNoColor() {
  const char* const value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

/// `12 s`, `3 min 20 s`
std::string describeTime(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  return whole < 100 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

}  // namespace

std::string progressLine(std::string_view what, double fraction, std::chrono::milliseconds elapsed, unsigned columns) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  std::string numbers = describeTime(seconds);
  if (fraction >= 0) numbers = fmt::format("{:.0f} %, {}", 100 * fraction, numbers);
  if (fraction >= kLeastFraction && fraction < 1 && elapsed >= kLeastElapsed)
    numbers += fmt::format(", about {} left", describeTime(seconds * (1 - fraction) / fraction));
  numbers.insert(0, ": ");
  // The last column stays free, so that the line never wraps.
  const size_t room = columns > numbers.size() + 1 ? columns - 1 - numbers.size() : 0;
  if (columns == 0 || utf8::length(what) <= room) return std::string(what) + numbers;
  if (room < 4) return "";
  return std::string(utf8::first(what, room - 3)) + "..." + numbers;
}

Console::Console()
    : errorsAreTerminal_(::isatty(STDERR_FILENO) == 1), outputIsTerminal_(::isatty(STDOUT_FILENO) == 1) {}

Console::~Console() { endProgress(); }

bool Console::colors(bool terminal) const {
  if (color_ == ColorMode::Auto) return terminal && understandsEscapes() && !wantsNoColor();
  return color_ == ColorMode::Always;
}

unsigned Console::columns() const { return outputIsTerminal_ ? columnsOf(STDOUT_FILENO) : 0; }

void Console::message(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clearLine();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::progress(std::string_view what, double fraction) {
  if (!errorsAreTerminal_ || !understandsEscapes()) return;
  const std::lock_guard lock(mutex_);
  if (what != what_) {
    what_ = what;
    begin_ = Clock::now();
  }
  fraction_ = fraction;
  if (drawer_.joinable()) return;
  try {
    drawer_ = std::jthread([this](const std::stop_token& stop) { redraw(stop); });
  } catch (const std::system_error&) {
    what_.clear();  // Without a thread there is no line.
  }
}

void Console::endProgress() {
  const std::lock_guard lock(mutex_);
  clearLine();
  what_.clear();
}

void Console::clearLine() {
  if (!isShown_) return;
  std::fputs("\r\033[K", stderr);
  isShown_ = false;
}

void Console::redraw(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto now = Clock::now();
    if (!what_.empty() && now - start_ >= kQuietStart) {
      const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - begin_);
      std::fputs(("\r\033[K" + progressLine(what_, fraction_, elapsed, columnsOf(STDERR_FILENO))).c_str(), stderr);
      isShown_ = true;
    }
    wake_.wait_for(lock, stop, kRedrawInterval, [] { return false; });
  }
}

}  // namespace amdahlc::driver
