// A copy has each event that reading accepts, in the order of the file and as it is written, and in its list of events,
// behind them:
//
//   {"ph":"M","cat":"amdahlc","name":"process_name","pid":"amdahlc",...}      a process of unbound time
//   {"ph":"X","cat":"amdahlc","name":"unknown","pid":"amdahlc","tid":0,...}   a stretch of it
//   {"ph":"s","cat":"amdahlc critical path","id":"0x616d646100000000",...}    a path, from event to event
//
// Which event of the file is which event of the timeline? The reader counts the events that it accepts, and the number
// stays with an event while the timeline is built (`Timeline::fileEvent`). The copy walks over the file by the same
// `EventStream`, so that damage is left out and names are mended at the same places, and counts in the same way. So the
// mapping is exact also for events that agree in all that the timeline keeps of them, of which a merged trace has many,
// and needs no knowledge of what a reader makes of an event. It costs 8 bytes per event while a trace is read, and 4
// per device event afterwards. The hash of the file proves that both readings saw the same bytes.
#include "trace/annotate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "support/decimal_time.h"
#include "support/plural.h"
#include "timeline/excerpt.h"
#include "trace/event_stream.h"
#include "trace/format.h"
#include "trace/json_copy.h"

namespace amdahlc::trace {
namespace {

constexpr size_t kFlushBytes = size_t{1} << 18;
/// An argument of each annotated event.
constexpr std::string_view kStateArgument = "amdahlc state";
constexpr std::string_view kPathCategory = "amdahlc critical path";
/// The first half of the ids of paths: hexadecimal text, because Perfetto reads no other, and because browsers hold
/// numbers of this size inexactly.
constexpr std::string_view kPathIdPrefix = "\"0x616d6461";
constexpr std::string_view kProcess = R"("pid":"amdahlc")";

/// The destination takes no more.
struct SinkClosed {};

/// An event of the file: what the copy must know of its text.
struct EventText {
  std::string_view text;
  std::vector<JsonMend> mends;
  /// At the values; nullopt if there are none.
  std::optional<JsonCursor> process, thread, id;
  /// Of the last `args`; empty without one.
  std::string_view arguments;
  bool argumentsAreObject = false;
};

std::string_view withoutBlanksBehind(const char* begin, const char* end) {
  while (end > begin && isJsonBlank(end[-1])) --end;
  return {begin, static_cast<size_t>(end - begin)};
}

class Annotator : public EventHandler {
 public:
  Annotator(const Timeline& timeline, const TraceAnnotations& annotations, bool (*stepOver)(JsonCursor&),
            ByteSink& sink)
      : timeline_(timeline), annotations_(annotations), stepOver_(stepOver), sink_(sink) {
    places_.resize(timeline.tracks.size());
    for (EventIndex event = 0; event < timeline.fileEvent.size(); ++event)
      if (annotations.events[event].mark != TraceAnnotations::kNone) order_.push_back(event);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](EventIndex a, EventIndex b) { return timeline.fileEvent[a] < timeline.fileEvent[b]; });
  }

  void arrayBegins(bool inObject) override {
    if (arrays_++ > 0) return;
    if (inObject) beginField();
    out_ += inObject ? "\"traceEvents\":[" : "[";
  }

  void field(std::string_view key, std::string_view json) override {
    JsonIndexer indexer;
    const std::string text(json);
    std::vector<JsonMend> mends;
    JsonCursor at;
    const bool isJson = indexer.index(text.data(), text.size()) == JsonText::Valid &&
                        (at = indexer.cursor(text.data()), checker_.value(at, mends)) && at.atEnd();
    if (!isJson) {
      ++leftOut_;
      return;
    }
    mended_ += !mends.empty();
    beginField();
    out_ += jsonText(key);
    out_ += ':';
    appendMended(text, mends, out_);
    flushIfFull();
  }

  bool event(JsonCursor& cursor) override {
    if (arrayEnded_)
      throw InvalidValue("the file has a second list of events, and a copy can have one", cursor.place());
    JsonCursor at = cursor;
    EventText event;
    // What is valid JSON as a whole, the reader accepts, because it steps over what it does not know.
    const bool isJson = scan(at, event);
    if (!isJson) {
      at = cursor;
      if (!stepOver_(at)) {
        cursor = at;
        return false;
      }
      ++leftOut_;
    }
    cursor = at;
    const auto [begin, end] = annotationsOf(events_++);
    if (!isJson) return true;
    mended_ += !event.mends.empty();
    if (begin != end) annotate(event, begin, end);
    if (event.id) noteId(*event.id);
    beginEvent();
    if (event.mends.empty())
      out_ += event.text;
    else
      appendMended(event.text, event.mends, out_);
    flushIfFull();
    return true;
  }

  void arrayEnds() override {
    if (std::exchange(arrayEnded_, true)) return;
    writeUnbound();
    writePaths();
    out_ += "\n]";
  }

  void finish() {
    out_ += fields_ > 0 ? "\n}\n" : "\n";
    flush();
  }

  /// Events and fields that are no JSON as a whole, and those with values that are none.
  int64_t leftOut() const { return leftOut_; }
  int64_t mended() const { return mended_; }

 private:
  using Annotated = std::vector<EventIndex>::const_iterator;

  template <typename... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }
  void flush() {
    if (!sink_.write(out_)) throw SinkClosed();
    out_.clear();
  }
  void flushIfFull() {
    if (out_.size() >= kFlushBytes) flush();
  }
  void beginField() { out_ += fields_++ == 0 ? "{\n" : ",\n"; }
  void beginEvent() {
    out_ += isFirst_ ? "\n" : ",\n";
    isFirst_ = false;
  }

  /// Steps over an event. False if it is not JSON as a whole.
  bool scan(JsonCursor& at, EventText& event) {
    const char* const begin = at.place();
    const char* close = nullptr;
    if (!at.take('{')) return false;
    close = at.place();
    for (bool more = !at.take('}'); more;) {
      std::string_view key;
      if (!checker_.key(at, key, event.mends)) return false;
      if (key == "args") {
        event.arguments = {at.place(), 1};
        event.argumentsAreObject = at.peek() == '{';
        const char* const arguments = at.place();
        if (event.argumentsAreObject ? !scanArguments(at, event) : !checker_.value(at, event.mends)) return false;
        event.arguments = withoutBlanksBehind(arguments, at.place());
      } else {
        if (key == "pid") event.process = at;
        if (key == "tid") event.thread = at;
        if (key == "id") event.id = at;
        if (!checker_.value(at, event.mends)) return false;
      }
      close = at.place();
      more = at.take(',');
      if (!more && !at.take('}')) return false;
    }
    event.text = {begin, static_cast<size_t>(close + 1 - begin)};
    return true;
  }

  bool scanArguments(JsonCursor& at, EventText& event) {
    at.take('{');
    for (bool more = !at.take('}'); more;) {
      std::string_view key;
      const char* const place = at.place();
      if (!checker_.key(at, key, event.mends)) return false;
      if (key == kStateArgument)
        throw InvalidValue("the trace is a copy that has annotations already; give the trace itself", place);
      if (!checker_.value(at, event.mends)) return false;
      more = at.take(',');
      if (!more && !at.take('}')) return false;
    }
    return true;
  }

  /// The events of the timeline that the event of the file with this number is; numbers only grow.
  std::pair<Annotated, Annotated> annotationsOf(uint32_t number) {
    const auto begin = order_.begin() + static_cast<ptrdiff_t>(next_);
    auto end = begin;
    while (end != order_.end() && timeline_.fileEvent[*end] == number) ++end;
    next_ = static_cast<size_t>(end - order_.begin());
    return {begin, end};
  }

  /// Several are stretches of an operator: what most of its own time is tells what it is.
  std::string argumentsOf(Annotated begin, Annotated end) const {
    std::vector<std::pair<TraceAnnotations::OfEvent, int64_t>> kinds;
    for (auto event = begin; event != end; ++event) {
      const TraceAnnotations::OfEvent& kind = annotations_.events[*event];
      auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& row) { return row.first == kind; });
      if (known == kinds.end()) known = kinds.insert(kinds.end(), {kind, 0});
      known->second += timeline_.durationNs[*event];
    }
    const auto longest =
        std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto& [subject, mark] = longest->first;
    std::string text;
    if (subject != TraceAnnotations::kNone && !annotations_.subjects[subject].empty())
      text = annotations_.subjects[subject] + ',';
    text += annotations_.marks[mark].arguments;
    if (end - begin > 1) text += fmt::format(R"(,"amdahlc stretches":{})", end - begin);
    if (kinds.size() > 1) text += fmt::format(R"(,"amdahlc other us":{})", formatUs(othersNs(kinds, longest->second)));
    return text;
  }

  template <typename Kinds>
  static int64_t othersNs(const Kinds& kinds, int64_t longestNs) {
    return std::accumulate(kinds.begin(), kinds.end(), -longestNs,
                           [](int64_t sum, const auto& row) { return sum + row.second; });
  }

  /// Adds the insertion to the mends of the event.
  void annotate(EventText& event, Annotated begin, Annotated end) {
    std::string text = argumentsOf(begin, end);
    JsonMend mend;
    if (event.arguments.empty()) {
      const char* const close = event.text.data() + event.text.size() - 1;
      mend = {withoutBlanksBehind(event.text.data(), close), ",\"args\":{" + text + '}'};
      mend.text.remove_prefix(mend.text.size());
    } else if (event.argumentsAreObject) {
      const char* const open = event.arguments.data() + 1;
      const std::string_view members = withoutBlanksBehind(open, open + event.arguments.size() - 2);
      mend = {members.substr(members.size()), members.empty() ? std::move(text) : ',' + text};
    } else if (event.arguments == "null") {
      mend = {event.arguments, '{' + text + '}'};
    } else {
      // Nothing but an object has members, and what is there must stay.
      notePlace(event, timeline_.track[*begin]);
      return;
    }
    const auto after = std::find_if(event.mends.begin(), event.mends.end(),
                                    [&](const JsonMend& other) { return other.text.data() >= mend.text.data(); });
    event.mends.insert(after, std::move(mend));
    notePlace(event, timeline_.track[*begin]);
  }

  /// How the file writes process and thread of a track: viewers tell numbers from strings, the timeline does not.
  void notePlace(const EventText& event, uint32_t track) {
    std::string& place = places_[track];
    if (!place.empty()) return;
    const auto add = [&](std::string_view key, std::optional<JsonCursor> at) {
      std::vector<JsonMend> mends;
      std::string_view text;
      if (!at) return;
      JsonCursor checked = *at;
      if (!at->raw(text) || !checker_.value(checked, mends)) return;
      place += fmt::format("\"{}\":", key);
      appendMended(text, mends, place);
      place += ',';
    };
    add("pid", event.process);
    add("tid", event.thread);
  }

  void noteId(JsonCursor at) {
    std::string_view text;
    if (at.raw(text) && text.starts_with(kPathIdPrefix)) idsOfFile_.emplace(text);
  }

  struct Stretch {
    int64_t startNs = 0, endNs = 0, events = 0;
    uint32_t mark = TraceAnnotations::kNone;
  };

  /// Time that belongs to no kernel, on a track beside each track. The colours of events would not do: an event of the
  /// trace may have one, and Perfetto knows none.
  void writeUnbound() {
    std::vector<std::optional<uint32_t>> threads(timeline_.tracks.size());
    std::vector<Stretch> open(timeline_.tracks.size());
    uint32_t threadCount = 0;
    if (!annotations_.caveat.empty()) beginProcess();
    for (const EventIndex event : timeline_.selectedEvents()) {
      const uint32_t mark = annotations_.events[event].mark;
      if (mark == TraceAnnotations::kNone || annotations_.marks[mark].unbound.empty()) continue;
      const uint32_t track = timeline_.track[event];
      if (!threads[track]) {
        threads[track] = threadCount++;
        if (threadCount == 1 && annotations_.caveat.empty()) beginProcess();
        nameThread(*threads[track], timeline_.tracks[track]);
      }
      Stretch& stretch = open[track];
      Stretch next{timeline_.startNs[event], timeline_.endNs(event), 1, mark};
      const bool touches = stretch.events > 0 && next.startNs <= stretch.endNs;
      if (touches && next.mark == stretch.mark) {
        stretch.endNs = std::max(stretch.endNs, next.endNs);
        ++stretch.events;
      } else if (touches && next.endNs <= stretch.endNs) {
        writeStretch(next, *threads[track]);
      } else {
        // Slices of a track may nest, but not cross.
        if (touches) next.startNs = stretch.endNs;
        if (stretch.events > 0) writeStretch(stretch, *threads[track]);
        stretch = next;
      }
    }
    for (uint32_t track = 0; track < open.size(); ++track)
      if (open[track].events > 0) writeStretch(open[track], *threads[track]);
  }

  void beginProcess() {
    metadata("process_name", 0, R"("name":"amdahlc")");
    metadata("process_sort_index", 0, R"("sort_index":-1)");
    if (!annotations_.caveat.empty())
      metadata("process_labels", 0, fmt::format(R"("labels":{})", jsonText(annotations_.caveat)));
  }

  void nameThread(uint32_t thread, const Track& track) {
    const std::string name = track.device ? fmt::format("unbound: stream {}, device {}", track.thread, track.process)
                                          : fmt::format("unbound: thread {}, process {}", track.thread, track.process);
    metadata("thread_name", thread, fmt::format(R"("name":{})", jsonText(name)));
  }

  void metadata(std::string_view name, uint32_t thread, std::string_view arguments) {
    beginEvent();
    print(R"({{"ph":"M","cat":"{}","name":"{}",{},"tid":{},"ts":0,"args":{{{}}}}})", kAnnotationCategory, name,
          kProcess, thread, arguments);
  }

  void writeStretch(const Stretch& stretch, uint32_t thread) {
    const TraceAnnotations::Mark& mark = annotations_.marks[stretch.mark];
    beginEvent();
    print(R"({{"ph":"X","cat":"{}","name":"{}",{},"tid":{},"ts":{},"dur":{},"cname":"{}","args":{{{},"events":{}}}}})",
          kAnnotationCategory, mark.unbound, kProcess, thread, formatUs(stretch.startNs),
          formatUs(stretch.endNs - stretch.startNs), mark.color, mark.arguments, stretch.events);
    flushIfFull();
  }

  /// One flow for each path. Its points are in the middle of events, so that each is inside of the slice that it is
  /// about and of no neighbour.
  void writePaths() {
    uint32_t number = 0;
    for (const TraceAnnotations::Path& path : annotations_.paths) {
      std::string id;
      do id = fmt::format("{}{:08x}\"", kPathIdPrefix, number++);
      while (idsOfFile_.contains(id));
      const std::string name = jsonText(path.name);
      for (size_t at = 0; at < path.events.size() && path.events.size() > 1; ++at) {
        const EventIndex event = path.events[at];
        const char phase = at == 0 ? 's' : at + 1 == path.events.size() ? 'f' : 't';
        beginEvent();
        print(R"({{"ph":"{}","cat":"{}","name":"critical path",{}"id":{},"ts":{},"bp":"e","args":{{"iteration":{}}}}})",
              phase, kPathCategory, places_[timeline_.track[event]], id,
              formatUs(timeline_.startNs[event] + timeline_.durationNs[event] / 2), name);
        flushIfFull();
      }
    }
  }

  const Timeline& timeline_;
  const TraceAnnotations& annotations_;
  bool (*const stepOver_)(JsonCursor&);
  ByteSink& sink_;
  JsonChecker checker_;
  std::string out_;
  /// Annotated events by their number in the file, and how many of them were met.
  std::vector<EventIndex> order_;
  size_t next_ = 0;
  uint32_t events_ = 0;
  /// By track: `"pid":0,"tid":7,`.
  std::vector<std::string> places_;
  /// Those with the prefix of paths.
  std::set<std::string, std::less<>> idsOfFile_;
  bool isFirst_ = true, arrayEnded_ = false;
  int64_t arrays_ = 0, fields_ = 0, leftOut_ = 0, mended_ = 0;
};

using Opener = std::function<std::unique_ptr<TraceFile>(DiagnosticEngine&)>;

bool copy(const Opener& open, const Timeline& timeline, const TraceAnnotations& annotations, ByteSink& out,
          DiagnosticEngine& diagnostics) {
  // What the first reading said is not said again.
  std::vector<Diagnostic> said;
  DiagnosticEngine again([&](const Diagnostic& diagnostic) { said.push_back(diagnostic); });
  const auto file = open(again);
  const auto fail = [&] {
    for (const Diagnostic& diagnostic : said)
      if (diagnostic.severity == Severity::Error) diagnostics.report(diagnostic);
    return false;
  };
  if (!file) return fail();
  const FileLocation location{file->name()};
  const Format* const format = formatOf(look(file->beginning()));
  const bool isChrome = format != nullptr && format->stepOver != nullptr;
  Annotator annotator(timeline, annotations, isChrome ? format->stepOver : nullptr, out);
  bool good = isChrome;
  try {
    TimelineBuilder ignored;
    if (isChrome) {
      EventStream stream(*file, "traceEvents", annotator, again);
      good = stream.read(ignored);
    }
    if (good) annotator.finish();
  } catch (const SinkClosed&) {
    return false;
  }
  if (file->contentHash() != timeline.contentHash) {
    diagnostics.error(DiagId::TraceChanged, location,
                      "the file has changed since it was read; its annotated copy was not written");
    return false;
  }
  if (!isChrome) diagnostics.error(DiagId::EmitOutputUnavailable, location, "the file is no chrome trace");
  if (!good) return fail();
  if (annotator.leftOut() > 0)
    diagnostics.warning(DiagId::TraceSyntax, location,
                        fmt::format("{} that reading accepts but that {} not JSON; the annotated copy lacks {}",
                                    plural(annotator.leftOut(), "element"), annotator.leftOut() == 1 ? "is" : "are",
                                    annotator.leftOut() == 1 ? "it" : "them"));
  if (annotator.mended() > 0)
    diagnostics.warning(DiagId::TraceSyntax, location,
                        fmt::format("{} with numbers, words or escapes that are not JSON; in the annotated copy these "
                                    "are text",
                                    plural(annotator.mended(), "element")));
  return true;
}

}  // namespace

std::string whyNotAnnotated(const Timeline& timeline) {
  if (!timeline.host) return "IR text does not contain the file; give the trace again with `-trace=`";
  if (!timeline.hasStarts) return "the recorder measured how long each event took, but not when it began";
  if (timeline.size() == 0 || !timeline.fileEvent.empty()) return {};
  const std::string advice = whyNoExcerpt(timeline).empty()
                                 ? "; write the run as one with `-emit=trace=FILE`, and give that file as the trace"
                                 : "";
  return "its file is no chrome trace" + advice;
}

bool writeAnnotated(const std::string& path, const Timeline& timeline, const TraceAnnotations& annotations,
                    ByteSink& out, DiagnosticEngine& diagnostics) {
  return copy([&](DiagnosticEngine& again) { return TraceFile::open(path, again); }, timeline, annotations, out,
              diagnostics);
}

bool writeAnnotatedBytes(std::string_view bytes, const Timeline& timeline, const TraceAnnotations& annotations,
                         ByteSink& out, DiagnosticEngine& diagnostics) {
  return copy([&](DiagnosticEngine& again) { return TraceFile::inMemory(bytes, timeline.file, again); }, timeline,
              annotations, out, diagnostics);
}

}  // namespace amdahlc::trace
