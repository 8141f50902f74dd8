/// Reads JSON documents that are mainly one long array of events, in bounded memory: chrome traces. Internal to the
/// readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runs/builder/builder.h"
#include "runs/files/json_cursor.h"
#include "runs/files/json_windows.h"
#include "runs/files/trace_file.h"
#include "runs/trace/format.h"
#include "support/diagnostic.h"

namespace amdahlc::trace {

class EventHandler {
 public:
  virtual ~EventHandler() = default;
  /// One element of the array. False if the text is not as expected; then nothing may have been kept of it, because it
  /// is called again with the same event when there is more text, or a mended one. May throw InvalidValue.
  virtual bool event(JsonCursor& cursor) = 0;
  /// A field of the top-level object other than the array, with its value as JSON text.
  virtual void field(std::string_view /*key*/, std::string_view /*json*/) {}
  /// Adds to the builder what only all events together tell.
  virtual void finish() = 0;
};

/// A document is an array of events, or an object with such an array as `traceEvents`.
///
/// Profilers write names without escaping them, so that quotes, control characters and bytes that are not UTF-8 occur
/// in them. Such a name is mended. Any other invalid stretch among the events is left out up to where the next event
/// begins, and reported once for the whole file. Damage outside of the events, and a file that ends early, are errors.
class EventStream {
 public:
  /// All must outlive it.
  EventStream(TraceFile& file, EventHandler& handler, DiagnosticEngine& diagnostics)
      : file_(file), handler_(handler), diagnostics_(diagnostics), windows_(file) {}

  /// Reports `trace-syntax` or `trace-invalid` and returns false on failure.
  bool read(TimelineBuilder& builder);

 private:
  struct Damage {
    uint64_t offset;
    std::string text;
  };

  bool readDocument();
  /// Ends a damaged window before the events, so that what stands before them can be read.
  bool cutBeforeEvents();
  bool readFields();
  bool readEvents();
  /// Reads the events of the window from `begin` each by itself. Returns where the next one begins, or the end of the
  /// array; nullopt after an error.
  std::optional<size_t> readOneByOne(size_t begin);
  /// Reads the event that `text` consists of, up to a comma, or to the end of the array behind the last one. Returns
  /// the number of bytes up to what follows it, nullopt if it is damaged.
  std::optional<size_t> readAlone(std::string_view text, uint64_t offset, bool isLast);

  bool more(size_t from);
  bool endsEarly();
  bool damaged(uint64_t offset);
  void leaveOut(size_t begin, size_t end, uint64_t damage);

  TraceFile& file_;
  EventHandler& handler_;
  DiagnosticEngine& diagnostics_;
  JsonWindows windows_;
  JsonCursor cursor_;
  JsonIndexer alone_;
  /// The text of one event, and where it is in the document.
  std::string aloneText_;
  uint64_t aloneOffset_ = 0;
  std::optional<Damage> first_;
  bool hasArray_ = false;
  int64_t events_ = 0;
  int64_t leftOut_ = 0;
  int64_t mended_ = 0;
};

/// Reads the one file of a run with a handler of that type, which is made of the builder.
template <typename Handler>
bool readEvents(TraceFiles files, TimelineBuilder& builder, DiagnosticEngine& diagnostics) {
  Handler handler(builder);
  return EventStream(*files.front(), handler, diagnostics).read(builder);
}

}  // namespace amdahlc::trace
