#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "lsp/channel.h"

namespace amdahlc::lsp {

StdioChannel::StdioChannel() { std::signal(SIGPIPE, SIG_IGN); }

size_t StdioChannel::read(char* into, size_t size) {
  ssize_t count = 0;
  do count = ::read(STDIN_FILENO, into, size);
  while (count < 0 && errno == EINTR);
  return count < 0 ? 0 : static_cast<size_t>(count);
}

bool StdioChannel::hasInput() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0;
}

bool StdioChannel::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace amdahlc::lsp
