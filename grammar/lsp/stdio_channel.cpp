#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "grammar/lsp/message_stream.h"

namespace amdahlc::lsp {

namespace {

/// Whether a call that failed is to be repeated. It waits until it would not have to.
bool mayGoOn(int file, short event) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd waited{file, event, 0};
  ::poll(&waited, 1, -1);
  return true;
}

}  // namespace

StdioChannel::StdioChannel() { std::signal(SIGPIPE, SIG_IGN); }

size_t StdioChannel::read(char* into, size_t size) {
  ssize_t count = 0;
  // A client may have made the pipe non-blocking, for both ends.
  while ((count = ::read(STDIN_FILENO, into, size)) < 0 && mayGoOn(STDIN_FILENO, POLLIN)) {
  }
  return count < 0 ? 0 : static_cast<size_t>(count);
}

bool StdioChannel::hasInput() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0;
}

bool StdioChannel::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && mayGoOn(STDOUT_FILENO, POLLOUT)) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace amdahlc::lsp
