#include "grammar/lsp/server.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "grammar/lsp/feature.h"
#include "grammar/lsp/message_stream.h"
#include "grammar/lsp/protocol.h"
#include "grammar/lsp/uri.h"
#include "support/json_tree.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::lsp {
namespace {

/// Parts of a document are replaced, not the whole text each time.
constexpr int kIncremental = 2;

/// The value of a text; nullopt with the reason if it is none.
std::optional<Json> parsed(const std::string& text, std::string& reason) {
  JsonTree tree = parseJsonTree(withoutLoneSurrogates(text), limits::kMessageValues);
  if (tree.value) return std::move(tree.value);
  reason = tree.fault == JsonFault::Nesting ? fmt::format("values nested more than {} deep", limits::kMessageValues)
           : tree.fault == JsonFault::NumberRange ? "a number that is too large"
                                                  : fmt::format("text that is no JSON at byte {}", tree.at);
  return std::nullopt;
}

class Server {
 public:
  Server(Channel& channel, const ServerOptions& options) : channel_(channel), options_(options), reader_(channel) {}

  bool run() {
    while (!left_) {
      const auto incoming = reader_.next();
      if (!incoming) break;
      if (!incoming->fault.empty()) fail(nullptr, ErrorCode::ParseError, incoming->fault);
      if (incoming->body) receive(*incoming->body);
      publish(false);
    }
    publish(true);
    return state_ == State::ShutDown;
  }

 private:
  enum class State : uint8_t { Started, Running, ShutDown };
  using Notified = void (Server::*)(const Json& params);
  struct Notification {
    std::string_view method;
    Notified handle;
  };

  void log(const std::string& line) {
    if (options_.log) options_.log(line);
  }

  void send(const Json& message) {
    // Nobody reads any more: the end of the input is near.
    if (!channel_.write(framed(textOf(message)))) left_ = true;
  }

  void fail(const Json& id, ErrorCode code, const std::string& message) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
  }

  void receive(const std::string& body) {
    std::string reason;
    const auto message = parsed(body, reason);
    if (!message) return fail(nullptr, ErrorCode::ParseError, reason);
    const Json* id = find(*message, "id");
    if (find(*message, "method") == nullptr && (find(*message, "result") || find(*message, "error")))
      return;  // the answer to a request of this server, which needs none
    const bool idFits = id == nullptr || id->is_string() || id->is_number_integer();
    const Json* version = find(*message, "jsonrpc");
    const Json* method = find(*message, "method");
    if (!idFits || version == nullptr || *version != "2.0")
      return fail(nullptr, ErrorCode::InvalidRequest, "no request of JSON-RPC 2.0");
    if (method == nullptr || !method->is_string())
      return fail(id == nullptr ? Json() : *id, ErrorCode::InvalidRequest, "no `method`");
    const Json* params = find(*message, "params");
    const Json none;
    const std::string& name = method->get_ref<const std::string&>();
    if (id != nullptr)
      request(*id, name, params == nullptr ? none : *params);
    else
      notification(name, params == nullptr ? none : *params);
  }

  void request(const Json& id, const std::string& method, const Json& params) {
    if (state_ == State::ShutDown) return fail(id, ErrorCode::InvalidRequest, "the server is shut down");
    if ((method == "initialize") != (state_ == State::Started))
      return state_ == State::Started ? fail(id, ErrorCode::ServerNotInitialized, "the first request is `initialize`")
                                      : fail(id, ErrorCode::InvalidRequest, "the server is initialized");
    try {
      const auto result = answer(method, params);
      if (!result) return fail(id, ErrorCode::MethodNotFound, fmt::format("no method `{}`", method));
      send({{"jsonrpc", "2.0"}, {"id", id}, {"result", *result}});
    } catch (const InvalidParams& error) {
      fail(id, ErrorCode::InvalidParams, error.what());
    } catch (const std::bad_alloc&) {
      fail(id, ErrorCode::InternalError, "memory ran out");
    } catch (const std::exception& error) {
      // One request must not end the session, with the open documents.
      fail(id, ErrorCode::InternalError, fmt::format("internal error: {}", printable(error.what())));
    }
  }

  std::optional<Json> answer(const std::string& method, const Json& params) {
    if (method == "initialize") return initialize(params);
    if (method == "shutdown") {
      state_ = State::ShutDown;
      return Json();
    }
    for (const Feature& feature : features())
      if (feature.method == method) return feature.answer(session_, params);
    return std::nullopt;
  }

  Json initialize(const Json& params) {
    const Json* capabilities = find(params, "capabilities");
    session_.client = readClient(capabilities == nullptr ? Json() : *capabilities);
    const bool utf8 = lists(params, "capabilities.general.positionEncodings", "utf-8");
    session_.workspace.setEncoding(utf8 ? PositionEncoding::Utf8 : PositionEncoding::Utf16);
    state_ = State::Running;
    Json offered{
        {"positionEncoding", utf8 ? "utf-8" : "utf-16"},
        {"textDocumentSync", {{"openClose", true}, {"change", kIncremental}, {"save", {{"includeText", false}}}}}};
    for (const Feature& feature : features()) offered[std::string(feature.capability)] = Json::parse(feature.offer);
    return {{"capabilities", std::move(offered)}, {"serverInfo", {{"name", "amdahlc"}, {"version", options_.version}}}};
  }

  void notification(const std::string& method, const Json& params) {
    if (method == "exit") {
      left_ = true;
      return;
    }
    if (state_ != State::Running) return;
    static constexpr std::array kKnown{
        Notification{"initialized", &Server::initialized},
        Notification{"textDocument/didOpen", &Server::didOpen},
        Notification{"textDocument/didChange", &Server::didChange},
        Notification{"textDocument/didSave", &Server::didSave},
        Notification{"textDocument/didClose", &Server::didClose},
        Notification{"workspace/didChangeWatchedFiles", &Server::didChangeWatchedFiles},
    };
    for (const Notification& known : kKnown) {
      if (known.method != method) continue;
      try {
        (this->*known.handle)(params);
      } catch (const std::exception& error) {
        log(fmt::format("{}: {}", method, printable(error.what())));
        // A change that is not applied makes later ones mean other places.
        if (method == "textDocument/didChange") drop(params);
      }
      return;
    }
    // Others, such as `$/cancelRequest`, need nothing: each request is answered before the next message is read.
  }

  void initialized(const Json&) {
    if (!session_.client.watchesFiles) return;
    const Json watchers = Json::array({{{"globPattern", "**/*.akp"}}});
    send({{"jsonrpc", "2.0"},
          {"id", "watch"},
          {"method", "client/registerCapability"},
          {"params",
           {{"registrations", Json::array({{{"id", "watch"},
                                            {"method", "workspace/didChangeWatchedFiles"},
                                            {"registerOptions", {{"watchers", watchers}}}}})}}}});
  }

  void didOpen(const Json& params) {
    const Json& document = require(params, "textDocument");
    session_.workspace.open(requireString(document, "uri"), requireInteger(document, "version"),
                            requireString(document, "text"));
  }

  void didChange(const Json& params) {
    std::vector<TextChange> changes;
    for (const Json& written : requireArray(params, "contentChanges")) {
      TextChange change{std::nullopt, requireString(written, "text")};
      if (find(written, "range") != nullptr)
        change.range = {positionOf(written, "range.start"), positionOf(written, "range.end")};
      changes.push_back(std::move(change));
    }
    const Document& document = documentOf(session_, params);
    session_.workspace.change(document.uri, requireInteger(params, "textDocument.version"), changes);
  }

  /// Closes the document of a change that could not be applied.
  void drop(const Json& params) {
    const Json* uri = find(params, "textDocument.uri");
    if (uri == nullptr || !uri->is_string() || session_.workspace.find(uri->get<std::string>()) == nullptr) return;
    log(fmt::format("the text of {} is unknown until it is opened again", printable(uri->get<std::string>())));
    didClose({{"textDocument", {{"uri", *uri}}}});
  }

  void didSave(const Json& params) {
    // A document whose text differed from that of its file, where others read the file.
    if (const auto path = pathOf(requireString(params, "textDocument.uri"))) session_.workspace.changedOnDisk(*path);
  }

  void didClose(const Json& params) {
    const std::string uri = documentOf(session_, params).uri;
    session_.workspace.close(uri);
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  }

  void didChangeWatchedFiles(const Json& params) {
    for (const Json& change : requireArray(params, "changes"))
      if (const auto path = pathOf(requireString(change, "uri"))) session_.workspace.changedOnDisk(*path);
  }

  void notify(std::string_view method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }

  /// The diagnostics of the documents that changed, or that read a file that changed, until there is more input: each
  /// is the work of reading its rules and their imports, and an edit or a request must not wait for all of them.
  void publish(bool isEnd) {
    if (state_ != State::Running) return;
    while (!left_ && (isEnd || !reader_.hasMore())) {
      const Document* document = session_.workspace.takeChanged();
      if (document == nullptr) return;
      try {
        notify("textDocument/publishDiagnostics", diagnosticsOf(session_, *document));
      } catch (const std::exception& error) {
        log(fmt::format("{}: {}", printable(document->uri), printable(error.what())));
      }
    }
  }

  Channel& channel_;
  const ServerOptions& options_;
  MessageReader reader_;
  Session session_;
  State state_ = State::Started;
  bool left_ = false;
};

}  // namespace

bool serve(Channel& channel, const ServerOptions& options) { return Server(channel, options).run(); }

}  // namespace amdahlc::lsp
