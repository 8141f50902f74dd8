#include "runs/execution_trace/reader.h"

#include <fmt/format.h>

#include <string>

#include "runs/execution_trace/node_reader.h"
#include "runs/files/json_sketch.h"
#include "runs/files/json_windows.h"
#include "runs/files/trace_file.h"
#include "support/limits.h"
#include "support/name_list.h"
#include "support/utf8.h"

namespace amdahlc::execution_trace {
namespace {

/// 1.0 differs from 1.1 in where the facts of a node stand, and has no strides. Those between them and after them add
/// facts.
constexpr std::string_view kSchemas[] = {"1.0.1", "1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4", "1.0.4-chakra.0.0.4",
                                         "1.1.0", "1.1.0-chakra.0.0.4", "1.1.1-chakra.0.0.4"};

/// The first byte that no JSON has: it is no UTF-8, or a control character in a string. The text begins outside of
/// strings.
size_t invalidByte(std::string_view text) {
  bool isInString = false;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8::sequenceLength(text.substr(at));
    if (length == 0 || (isInString && static_cast<unsigned char>(text[at]) < 0x20)) return at;
    if (text[at] == '"') isInString = !isInString;
    at += isInString && text[at] == '\\' ? 2 : length;
  }
  return text.size();
}

/// Walks over the document window by window. There is nothing to guess in it: any damage is an error.
class DocumentReader {
 public:
  DocumentReader(trace::TraceFile& file, ExecutionTrace& trace, DiagnosticEngine& diagnostics)
      : file_(file), trace_(trace), diagnostics_(diagnostics), windows_(file), nodes_(trace) {}

  bool read() {
    try {
      return readDocument() && check();
    } catch (const trace::InvalidValue& error) {
      return invalid(windows_.offsetOf(error.place), error.what());
    }
  }

 private:
  bool readDocument() {
    if (windows_.text().starts_with(utf8::kByteOrderMark)) windows_.slide(utf8::kByteOrderMark.size());
    if (windows_.isIndexed()) cursor_ = windows_.cursor();
    if (!step([](JsonCursor& at) { return at.take('{'); })) return false;
    for (bool isFirst = true;; isFirst = false) {
      std::string key;
      bool hasEnded = false;
      const auto readKey = [&](JsonCursor& at) {
        hasEnded = at.take('}');
        if (hasEnded) return true;
        std::string_view text;
        if ((!isFirst && !at.take(',')) || !at.string(text) || !at.take(':')) return false;
        key = text.substr(0, static_cast<size_t>(limits::kNameBytes));
        return true;
      };
      if (!step(readKey)) return false;
      if (hasEnded) return readEnd();
      if (key == "nodes" ? !readNodes() : !readField(key)) return false;
    }
  }

  bool readField(std::string_view key) {
    return step([&](JsonCursor& at) {
      if (key == "pid") return trace::readInteger(at, trace_.process);
      if (key != "schema") return at.skip();
      std::string_view schema;
      schemaAt_ = windows_.offsetOf(at.place());
      if (!trace::readText(at, schema)) return false;
      trace_.schema = trace::unescapedJson(schema);
      return true;
    });
  }

  bool readNodes() {
    hasNodes_ = true;
    if (!step([](JsonCursor& at) {
          if (!at.atEnd() && at.peek() != '[') throw trace::InvalidValue("`nodes` is not a list", at.place());
          return at.take('[');
        }))
      return false;
    for (bool isFirst = true;; isFirst = false) {
      const char* place = nullptr;
      const auto readNode = [&](JsonCursor& at) {
        place = nullptr;
        if (at.take(']')) return true;
        if (!isFirst && !at.take(',')) return false;
        place = at.place();
        return nodes_.read(at);
      };
      if (!step(readNode)) return false;
      if (place == nullptr) return true;
      nodes_.keep(windows_.offsetOf(place));
    }
  }

  /// Only blanks may follow the document.
  bool readEnd() {
    while (cursor_.atEnd() && !windows_.atEnd()) {
      if (!more(windows_.text().size())) return false;
      if (!windows_.isIndexed()) return damaged(windows_.offset());
    }
    if (cursor_.atEnd()) return true;
    diagnostics_.error(DiagId::TraceSyntax, file_.at(windows_.offsetOf(cursor_.place())),
                       "text follows the end of the document");
    return false;
  }

  bool check() {
    const uint64_t end = windows_.offset() + windows_.text().size();
    if (!schemaAt_) return invalid(end, "the document has no `schema`");
    if (!contains(kSchemas, trace_.schema))
      return invalid(*schemaAt_, fmt::format("the schema `{}` of the execution trace is not known; known are {}",
                                             trace_.schema, fmt::join(kSchemas, ", ")));
    if (!hasNodes_) return invalid(end, "the document has no `nodes`");
    if (const auto fault = nodes_.finish()) return invalid(fault->byteOffset, fault->what);
    return true;
  }

  /// Reads what comes next, with as much text as it takes: `read` is called again from the same place with more. False
  /// after an error.
  template <typename Read>
  bool step(const Read& read) {
    for (;;) {
      if (!windows_.isIndexed()) {
        if (windows_.state() == trace::JsonText::OpenString && windows_.atEnd()) return endsEarly();
        return damaged(windows_.offset() + invalidByte(windows_.text()));
      }
      JsonCursor at = cursor_;
      const bool isRead = read(at);
      if (isRead && (!at.atEnd() || windows_.atEnd())) {
        cursor_ = at;
        return true;
      }
      if (!at.atEnd()) return damaged(windows_.offsetOf(at.place()));
      if (windows_.atEnd()) return endsEarly();
      if (!more(cursor_.offset())) return false;
    }
  }

  /// Drops the window's text before `from` and reads on.
  bool more(size_t from) {
    if (from == 0 && windows_.isExhausted()) return damaged(windows_.offset() + windows_.text().size());
    if (!windows_.slide(from)) {
      diagnostics_.error(DiagId::TraceSyntax, file_.at(windows_.offset()),
                         fmt::format("a node or a field has more than {} bytes", limits::kJsonValueBytes));
      return false;
    }
    if (windows_.isIndexed()) cursor_ = windows_.cursor();
    return !file_.failed();
  }

  bool endsEarly() {
    if (!file_.failed()) file_.reportJsonEnd(windows_.offset() + windows_.text().size());
    return false;
  }
  bool damaged(uint64_t offset) {
    file_.reportJsonDamage(offset, windows_.text(), windows_.offset());
    return false;
  }
  bool invalid(uint64_t offset, const std::string& what) {
    diagnostics_.error(DiagId::TraceInvalid, file_.at(offset), what);
    return false;
  }

  trace::TraceFile& file_;
  ExecutionTrace& trace_;
  DiagnosticEngine& diagnostics_;
  trace::JsonWindows windows_;
  JsonCursor cursor_;
  NodeReader nodes_;
  std::optional<uint64_t> schemaAt_;
  bool hasNodes_ = false;
};

}  // namespace

bool looksLikeExecutionTrace(std::string_view beginning) {
  // Most documents do not have the word, and to search for it takes less time than to look at a document.
  if (beginning.find("nodes\"") == beginning.npos) return false;
  const trace::Beginning document = trace::look(beginning);
  if (!document.json || document.json->isArray || !document.json->has("nodes")) return false;
  // Other documents have nodes, too. The schema may stand behind them.
  return document.json->has("schema") || beginning.find("\"rf_id\"") != beginning.npos;
}

std::optional<ExecutionTrace> readExecutionTrace(trace::TraceFile& file, DiagnosticEngine& diagnostics) {
  ExecutionTrace trace;
  trace.file = file.lastComponent();
  if (!DocumentReader(file, trace, diagnostics).read()) return std::nullopt;
  trace.contentHash = file.contentHash();
  return trace;
}

std::optional<ExecutionTrace> readExecutionTrace(const std::string& path, DiagnosticEngine& diagnostics) {
  const auto file = trace::TraceFile::open(path, diagnostics);
  return file ? readExecutionTrace(*file, diagnostics) : std::nullopt;
}

}  // namespace amdahlc::execution_trace
