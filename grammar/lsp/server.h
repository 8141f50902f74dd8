/// A server of the Language Server Protocol, version 3.17, for rule files.
///
/// One thread reads messages and answers each before it reads the next one. Changes of documents are applied as they
/// come, and are analysed when a request needs that or when no more input waits: a burst of changes costs one analysis.
#pragma once

#include <functional>
#include <string>

#include "grammar/lsp/message_stream.h"

namespace amdahlc::lsp {

struct ServerOptions {
  /// What the client is told.
  std::string version;
  /// Gets a line about what went wrong, if it is set.
  std::function<void(const std::string& line)> log = {};
};

/// Serves until the client says `exit` or the input ends. Whether it had said `shutdown` before.
bool serve(Channel& channel, const ServerOptions& options);

}  // namespace amdahlc::lsp
