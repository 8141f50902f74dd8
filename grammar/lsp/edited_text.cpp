#include "grammar/lsp/edited_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "support/utf8.h"

namespace amdahlc::lsp {
namespace {

constexpr size_t kPieceBytes = 2048;

/// The end of a line in a piece, where `\r\n` is not divided.
bool endsLine(std::string_view text, size_t at) {
  return text[at] == '\n' || (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n'));
}

}  // namespace

EditedText::EditedText(std::string_view text, PositionEncoding encoding)
    : encoding_(encoding), pieces_(split(text)), size_(text.size()) {}

void EditedText::apply(const TextChange& change) {
  if (!change.range) {
    pieces_ = split(change.text);
    size_ = change.text.size();
    return;
  }
  const Place start = placeOf(change.range->start);
  const Place end = change.range->end == change.range->start ? start : placeOf(change.range->end);
  replace(std::min(start, end), std::max(start, end), change.text);
}

std::string EditedText::text() const {
  std::string out;
  out.reserve(size_);
  for (const Piece& piece : pieces_) out += piece.text;
  return out;
}

/// Pieces of about one size: if only the last one were short, each change of it could make one more.
std::vector<EditedText::Piece> EditedText::split(std::string_view text) const {
  const size_t count = (text.size() + kPieceBytes - 1) / kPieceBytes;
  std::vector<Piece> out;
  size_t begin = 0;
  for (size_t i = 1; i <= count; ++i) {
    size_t end = text.size() / count * i;
    if (i == count) end = text.size();
    while (end > begin && end < text.size() &&
           (!utf8::startsSequence(text[end]) || (text[end] == '\n' && text[end - 1] == '\r')))
      --end;
    if (end == begin) continue;
    Piece& piece = out.emplace_back(Piece{std::string(text.substr(begin, end - begin))});
    for (size_t at = 0; at < piece.text.size();) {
      piece.lineEnds += endsLine(piece.text, at) ? 1 : 0;
      const Character character = firstCharacter(std::string_view(piece.text).substr(at), encoding_);
      piece.units += character.units;
      at += character.bytes;
    }
    begin = end;
  }
  return out;
}

EditedText::Place EditedText::placeOf(Position position) const {
  Place place;
  size_t line = position.line, units = position.character;
  for (; place.piece < pieces_.size() && line > pieces_[place.piece].lineEnds; ++place.piece)
    line -= pieces_[place.piece].lineEnds;
  if (place.piece == pieces_.size()) return place;
  for (; line > 0; ++place.offset) line -= endsLine(pieces_[place.piece].text, place.offset) ? 1 : 0;
  for (; place.piece < pieces_.size(); ++place.piece, place.offset = 0) {
    const Piece& piece = pieces_[place.piece];
    if (place.offset == 0 && piece.lineEnds == 0 && piece.units <= units) {
      units -= piece.units;
      continue;
    }
    while (place.offset < piece.text.size()) {
      const std::string_view rest = std::string_view(piece.text).substr(place.offset);
      const Character character = firstCharacter(rest, encoding_);
      if (rest.front() == '\n' || rest.front() == '\r' || character.units > units) return place;
      units -= character.units;
      place.offset += character.bytes;
    }
  }
  return place;
}

void EditedText::replace(Place begin, Place end, std::string_view text) {
  std::string changed;
  if (begin.offset > 0) changed = pieces_[begin.piece].text.substr(0, begin.offset);
  changed += text;
  size_t from = begin.piece, to = end.piece;
  if (end.offset > 0) changed += std::string_view(pieces_[to++].text).substr(end.offset);
  // A `\r` and a `\n` that meet belong together.
  if (from > 0 && (changed.empty() || changed.front() == '\n')) changed.insert(0, pieces_[--from].text);
  if (to < pieces_.size() && changed.ends_with('\r')) changed += pieces_[to++].text;
  // A short piece joins a neighbour: otherwise each letter that is typed at the end of a piece would be a piece.
  if (changed.size() < kPieceBytes / 2) {
    if (from > 0)
      changed.insert(0, pieces_[--from].text);
    else if (to < pieces_.size())
      changed += pieces_[to++].text;
  }
  size_t bytes = 0;
  for (size_t i = from; i < to; ++i) bytes += pieces_[i].text.size();
  size_ += changed.size() - bytes;
  std::vector<Piece> made = split(changed);
  const size_t same = std::min(made.size(), to - from);
  const auto place = [this](size_t at) { return pieces_.begin() + static_cast<std::ptrdiff_t>(at); };
  const auto rest = made.begin() + static_cast<std::ptrdiff_t>(same);
  std::move(made.begin(), rest, place(from));
  pieces_.erase(place(from + same), place(to));
  pieces_.insert(place(from + same), std::make_move_iterator(rest), std::make_move_iterator(made.end()));
}

}  // namespace amdahlc::lsp
