#include "runs/trace/event_stream.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "support/limits.h"
#include "support/utf8.h"

namespace amdahlc::trace {
namespace {

constexpr std::string_view kArrayKey = "traceEvents";

size_t afterBlanks(std::string_view text, size_t at) {
  while (at < text.size() && isJsonBlank(text[at])) ++at;
  return at;
}

/// An expression for a place in a damaged stretch, whose bytes may be no UTF-8: `~` stands for blanks, `@` for a key of
/// chrome events, and the group for the place.
re2::RE2 compiledPlace(std::string expression) {
  boost::replace_all(expression, "@", R"re("(?:ph|cat|name|pid|tid|ts|dur|args|id)"~:)re");
  boost::replace_all(expression, "~", R"([ \t\r\n]*)");
  return re2::RE2(expression, re2::RE2::Latin1);
}

/// The first such place from `from` on; npos if there is none.
size_t placeIn(std::string_view text, size_t from, const re2::RE2& expression) {
  re2::StringPiece place;
  if (!re2::RE2::PartialMatch({text.data() + from, text.size() - from}, expression, &place))
    return std::string_view::npos;
  return static_cast<size_t>(place.data() - text.data());
}

/// Where an event begins behind another one.
size_t nextEvent(std::string_view text, size_t from) {
  static const re2::RE2 kPlace = compiledPlace(R"(\}~,~(\{)~@)");
  return placeIn(text, from, kPlace);
}

/// Where the array may end: behind an event, before another field or the document's end.
size_t endOfArray(std::string_view text, size_t from) {
  static const re2::RE2 kPlace = compiledPlace(R"(\}~(\])~(?:\z|\}|,~"))");
  return placeIn(text, from, kPlace);
}

/// Where the text of a string that begins at `begin` ends: at the quote behind which the next key of the event follows.
/// In the arguments of an event, keys are many, and the string may be the last.
size_t endOfName(std::string_view text, size_t begin, bool isArgument) {
  static const re2::RE2 kName = compiledPlace(R"((")~,~@)"), kArgument = compiledPlace(R"((")~(?:\}|,~"[^"]*"~:))");
  return placeIn(text, begin, isArgument ? kArgument : kName);
}

/// A name as JSON writes it: as its writer meant it, which escaped either all or nothing.
void appendMended(std::string_view name, std::string& out) {
  bool escaped = name.find('\\') != std::string_view::npos;
  for (size_t at = 0; escaped && at < name.size(); ++at) {
    if (name[at] == '\\')
      ++at;
    else
      escaped = name[at] != '"' && static_cast<unsigned char>(name[at]) >= 0x20;
  }
  for (size_t at = 0; at < name.size();) {
    const auto c = static_cast<unsigned char>(name[at]);
    const size_t length = utf8::sequenceLength(name.substr(at));
    if (length == 0)
      out += '?';
    else if (c < 0x20)
      out += ' ';
    else if (!escaped && (c == '"' || c == '\\'))
      out.append(1, '\\').append(1, name[at]);
    else
      out += name.substr(at, length);
    at += std::max<size_t>(length, 1);
  }
}

/// The text of an event with names that JSON allows: what is to be escaped escaped, other invalid bytes replaced.
/// nullopt if there is nothing to mend.
std::optional<std::string> withMendedNames(std::string_view text) {
  std::string mended;
  size_t copied = 0;
  for (const std::string_view key : {std::string_view("\"name\""), std::string_view("\"parent_name\"")}) {
    size_t begin = text.find(key, copied);
    if (begin == std::string_view::npos) continue;
    begin = afterBlanks(text, begin + key.size());
    if (begin >= text.size() || text[begin] != ':') continue;
    begin = afterBlanks(text, begin + 1);
    if (begin >= text.size() || text[begin] != '"') continue;
    ++begin;
    const size_t end = endOfName(text, begin, key != "\"name\"");
    if (end == std::string_view::npos) continue;
    mended += text.substr(copied, begin - copied);
    appendMended(text.substr(begin, end - begin), mended);
    copied = end;
  }
  mended += text.substr(copied);
  if (mended == text) return std::nullopt;
  return mended;
}

}  // namespace

bool EventStream::read(TimelineBuilder& builder) {
  try {
    if (!readDocument()) return false;
  } catch (const InvalidValue& error) {
    const char* const alone = aloneText_.data();
    const bool isAlone = error.place >= alone && error.place <= alone + aloneText_.size();
    const uint64_t offset =
        isAlone ? aloneOffset_ + static_cast<uint64_t>(error.place - alone) : windows_.offsetOf(error.place);
    diagnostics_.error(DiagId::TraceInvalid, file_.at(offset), error.what());
    return false;
  }
  if (file_.failed()) return false;
  if (!hasArray_) {
    diagnostics_.error(DiagId::TraceInvalid, file_.at(windows_.offset() + windows_.text().size()),
                       fmt::format("the document has no `{}`", kArrayKey));
    return false;
  }
  builder.problem("invalid-name", mended_,
                  "names with characters that JSON does not allow are read up to the event's next key");
  builder.problem("invalid-json", leftOut_,
                  "stretches of invalid JSON are left out, up to where the next event begins");
  if (events_ > 0 || !first_) handler_.finish();
  if (!first_) return true;
  const std::string what = leftOut_ == 1 ? "a stretch of the JSON is damaged and left out"
                                         : fmt::format("{} stretches of the JSON are damaged and left out", leftOut_);
  // Nothing tells what is missing from a file without a valid event.
  auto report = events_ > 0 ? diagnostics_.warning(DiagId::TraceSyntax, file_.at(first_->offset), what)
                            : diagnostics_.error(DiagId::TraceSyntax, file_.at(first_->offset), what);
  report.note(fmt::format("the text {} it is `{}`", leftOut_ == 1 ? "around" : "around the first of", first_->text));
  return events_ > 0;
}

bool EventStream::readDocument() {
  if (windows_.text().starts_with(utf8::kByteOrderMark)) windows_.slide(utf8::kByteOrderMark.size());
  if (!windows_.isIndexed() && !cutBeforeEvents()) return false;
  cursor_ = windows_.cursor();
  if (cursor_.take('[')) {
    if (!readEvents()) return false;
  } else if (!cursor_.take('{')) {
    return cursor_.atEnd() ? endsEarly() : damaged(windows_.offsetOf(cursor_.place()));
  } else if (!readFields()) {
    return false;
  }
  while (cursor_.atEnd() && !windows_.atEnd()) {
    if (!more(windows_.text().size())) return false;
    if (!windows_.isIndexed()) return damaged(windows_.offset());
  }
  if (cursor_.atEnd()) return true;
  diagnostics_.error(DiagId::TraceSyntax, file_.at(windows_.offsetOf(cursor_.place())),
                     "text follows the end of the document");
  return false;
}

bool EventStream::cutBeforeEvents() {
  const std::string_view text = windows_.text();
  const std::string key = fmt::format("\"{}\"", kArrayKey);
  const size_t start = afterBlanks(text, 0);
  size_t cut = std::string_view::npos;
  if (!hasArray_ && windows_.offset() == 0 && start < text.size() && text[start] == '[') cut = start + 1;
  for (size_t at = text.find(key); !hasArray_ && cut == std::string_view::npos && at != std::string_view::npos;
       at = text.find(key, at + 1)) {
    const size_t colon = afterBlanks(text, at + key.size());
    if (colon >= text.size() || text[colon] != ':') continue;
    const size_t bracket = afterBlanks(text, colon + 1);
    if (bracket < text.size() && text[bracket] == '[') cut = bracket + 1;
  }
  if (cut < text.size()) windows_.cutAt(cut);
  if (windows_.isIndexed()) {
    cursor_ = windows_.cursor();
    return true;
  }
  return windows_.state() == JsonText::OpenString && windows_.atEnd() ? endsEarly() : damaged(windows_.offset());
}

/// From behind the opening brace of the top-level object to behind its closing one.
bool EventStream::readFields() {
  bool first = true;
  for (;;) {
    const size_t begin = cursor_.offset();
    if (cursor_.take('}')) return true;
    JsonCursor at = cursor_;
    std::string_view key, value;
    const bool isField = (first || at.take(',')) && at.string(key) && at.take(':');
    if (isField && key == kArrayKey && !at.atEnd()) {
      if (!at.take('[')) throw InvalidValue(fmt::format("`{}` is not an array", kArrayKey), at.place());
      cursor_ = at;
      if (!readEvents()) return false;
      first = false;
      continue;
    }
    if (isField && at.raw(value) && !(at.atEnd() && !windows_.atEnd())) {
      handler_.field(unescapedJson(key), value);
      cursor_ = at;
      first = false;
      continue;
    }
    if (!at.atEnd()) return damaged(windows_.offsetOf(at.place()));
    if (windows_.atEnd()) return endsEarly();
    if (!more(begin) || (!windows_.isIndexed() && !cutBeforeEvents())) return false;
  }
}

/// From behind the opening bracket of the array to behind its closing one.
bool EventStream::readEvents() {
  hasArray_ = true;
  bool separated = true;
  for (;;) {
    if (windows_.isIndexed()) {
      if (cursor_.take(']')) return true;
      if (cursor_.take(',')) {
        separated = true;
        continue;
      }
      const size_t begin = cursor_.offset();
      if (cursor_.atEnd()) {
        if (windows_.atEnd()) return endsEarly();
        if (!more(begin)) return false;
        continue;
      }
      if (separated && cursor_.peek() != '{')
        throw InvalidValue("an element of the array of events is not an object", cursor_.place());
      JsonCursor at = cursor_;
      if (separated && handler_.event(at)) {
        ++events_;
        cursor_ = at;
        separated = false;
        continue;
      }
      if (separated && at.atEnd()) {
        if (windows_.atEnd()) return endsEarly();
        if (!more(begin)) return false;
        continue;
      }
      cursor_ = at;  // where it is damaged
      const auto next = readOneByOne(begin);
      if (!next || !more(*next)) return false;
    } else {
      const auto next = readOneByOne(0);
      if (!next) return false;
      // Behind the array there is nothing to leave out.
      if (*next == 0 && windows_.text().starts_with(']'))
        return windows_.state() == JsonText::OpenString && windows_.atEnd() ? endsEarly() : damaged(windows_.offset());
      if (!more(*next)) return false;
    }
    separated = true;
  }
}

std::optional<size_t> EventStream::readOneByOne(size_t begin) {
  const std::string_view text = windows_.text();
  for (;;) {
    begin = afterBlanks(text, begin);
    if (begin < text.size() && text[begin] == ',') begin = afterBlanks(text, begin + 1);
    if (begin < text.size() && text[begin] == ']') return begin;
    const size_t next = nextEvent(text, begin);
    if (next == std::string_view::npos && !windows_.atEnd()) return begin;
    const bool isLast = next == std::string_view::npos;
    const std::string_view stretch = text.substr(begin, isLast ? next : next - begin);
    const auto used = readAlone(stretch, windows_.offset() + begin, isLast);
    if (used && isLast) return begin + *used;
    if (!used) {
      const uint64_t damage = aloneOffset_;
      const size_t end = isLast ? endOfArray(text, begin) : next;
      if (end == std::string_view::npos) {
        if (damage == windows_.offset() + text.size())
          endsEarly();
        else
          damaged(damage);
        return std::nullopt;
      }
      leaveOut(begin, end, damage);
      if (isLast) return end;
    }
    begin = next;
  }
}

std::optional<size_t> EventStream::readAlone(std::string_view text, uint64_t offset, bool isLast) {
  size_t added = 0;
  uint64_t damage = offset;
  for (const bool mend : {false, true}) {
    if (mend) {
      auto mended = withMendedNames(text);
      if (!mended) break;
      added = mended->size() - text.size();
      aloneText_ = std::move(*mended);
    } else {
      aloneText_ = text;
    }
    aloneOffset_ = offset;
    JsonCursor at;
    const JsonText state = alone_.index(aloneText_.data(), aloneText_.size());
    const bool indexed = state == JsonText::Valid;
    if (indexed) at = alone_.cursor(aloneText_.data());
    // What follows is looked at first, because the handler keeps the event.
    JsonCursor after = at;
    const bool whole = indexed && after.peek() == '{' && after.skip();
    const size_t end = whole && !after.atEnd() ? after.offset() : aloneText_.size();
    const bool ends = whole && (after.atEnd() || (isLast && after.peek() == ']') || (after.take(',') && after.atEnd()));
    if (ends && handler_.event(at)) {
      ++events_;
      mended_ += mend;
      return end - added;
    }
    if (!ends) at = after;
    if (!mend && state != JsonText::Invalid)
      damage = offset + (state == JsonText::OpenString || at.atEnd() ? text.size() : at.offset());
  }
  aloneOffset_ = damage;
  return std::nullopt;
}

/// Drops the window's text before `from` and reads on.
bool EventStream::more(size_t from) {
  // With nothing dropped and nothing to read on, the next look would be the same as this one.
  if (from == 0 && windows_.isExhausted()) return damaged(windows_.offset() + windows_.text().size());
  if (!windows_.slide(from)) {
    diagnostics_.error(DiagId::TraceSyntax, file_.at(windows_.offset()),
                       fmt::format("an event or a field has more than {} bytes", limits::kJsonValueBytes));
    return false;
  }
  if (file_.failed()) return false;
  if (windows_.isIndexed()) cursor_ = windows_.cursor();
  return true;
}

bool EventStream::endsEarly() {
  const uint64_t end = windows_.offset() + windows_.text().size();
  if (!file_.failed()) file_.reportJsonEnd(end);
  return false;
}

bool EventStream::damaged(uint64_t offset) {
  file_.reportJsonDamage(offset, windows_.text(), windows_.offset());
  return false;
}

void EventStream::leaveOut(size_t begin, size_t end, uint64_t damage) {
  ++leftOut_;
  if (first_) return;
  const std::string_view text = windows_.text();
  const size_t at = std::min(static_cast<size_t>(damage - windows_.offset()), end);
  const size_t shown = at > begin + kShownBytes / 2 ? at - kShownBytes / 2 : begin;
  first_ = Damage{damage, std::string(text.substr(shown, kShownBytes))};
}

}  // namespace amdahlc::trace
