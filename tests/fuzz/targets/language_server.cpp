/// The language server: bytes of a client, or a text that is opened, asked about and changed at places that its content
/// chooses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "fuzz.h"
#include "grammar/lsp/message_stream.h"
#include "grammar/lsp/server.h"

namespace amdahlc::fuzz {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kUri = "untitled:input";

/// The input is read in pieces whose sizes its content chooses.
class Bytes : public lsp::Channel {
 public:
  explicit Bytes(std::string_view input) : input_(input), seed_(hashOf(input)) {}
  size_t read(char* into, size_t size) override {
    constexpr size_t kMostOfAPiece = 4096;
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    const size_t count = std::min({size, input_.size(), size_t{1} + seed_ % kMostOfAPiece});
    std::copy_n(input_.data(), count, into);
    input_.remove_prefix(count);
    return count;
  }
  bool hasInput() override { return !input_.empty() && seed_ % 3 != 0; }
  bool write(std::string_view bytes) override {
    written_ += bytes;
    return true;
  }
  const std::string& written() const { return written_; }

 private:
  std::string_view input_;
  uint64_t seed_;
  std::string written_;
};

std::string request(int id, std::string_view method, Json params) {
  return lsp::framed(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
}

std::string notification(std::string_view method, Json params) {
  return lsp::framed(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
}

/// What a client says about a text.
std::string session(std::string_view text) {
  constexpr int kQuestions = 6;
  uint64_t seed = hashOf(text);
  const uint64_t lines = 1 + static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
  const auto next = [&](uint64_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
  };
  const auto position = [&] { return Json{{"line", next(lines)}, {"character", next(40)}}; };
  const Json document{{"uri", kUri}, {"version", 2}};
  const Json range{{"start", position()}, {"end", position()}};
  const Json markdown{{"hover", {{"contentFormat", {"markdown"}}}},
                      {"codeAction", {{"codeActionLiteralSupport", Json::object()}}}};
  const Json capabilities{{"general", {{"positionEncodings", {next(2) == 0 ? "utf-8" : "utf-16"}}}},
                          {"textDocument", markdown}};
  std::string out = request(0, "initialize", {{"capabilities", capabilities}});
  out += notification("textDocument/didOpen",
                      {{"textDocument", {{"uri", kUri}, {"languageId", "akp"}, {"version", 1}, {"text", text}}}});
  constexpr std::array<std::string_view, 3> kMethods{"textDocument/completion", "textDocument/hover",
                                                     "textDocument/definition"};
  for (int i = 1; i <= kQuestions; ++i)
    out += request(i, kMethods[next(kMethods.size())], {{"textDocument", document}, {"position", position()}});
  out += request(kQuestions + 1, "textDocument/documentSymbol", {{"textDocument", document}});
  out += request(kQuestions + 2, "textDocument/codeAction", {{"textDocument", document}, {"range", range}});
  const Json change{{"range", range}, {"text", std::string(text.substr(0, next(30)))}};
  out +=
      notification("textDocument/didChange", {{"textDocument", document}, {"contentChanges", Json::array({change})}});
  return out;
}

void fuzzLanguageServer(std::string_view input, Run& run) {
  const std::string sent = input.starts_with("Content-Length") ? std::string(input) : session(input);
  Bytes channel(sent);
  lsp::serve(channel, {"0", [&](const std::string& line) { run.output("log", line); }});
  Bytes answers(channel.written());
  lsp::MessageReader reader(answers);
  while (const auto answer = reader.next()) {
    require(answer->fault.empty() && answer->body, "an answer whose header is damaged");
    require(Json::accept(*answer->body), "an answer that is no JSON");
    run.output("answer", *answer->body);
  }
}

const Registration kLanguageServer(
    {.name = "language_server", .fuzzOne = fuzzLanguageServer, .mutate = mutateTokens, .mutations = 100});

}  // namespace
}  // namespace amdahlc::fuzz
