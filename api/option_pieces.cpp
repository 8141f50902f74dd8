#include "api/option_pieces.h"

namespace amdahlc::api {

std::vector<Piece> split(const std::string& value, SourceRange range, char separator) {
  const bool exact = range.end - range.begin == value.size();
  std::vector<Piece> pieces;
  for (size_t begin = 0;;) {
    size_t end = value.find(separator, begin);
    const size_t next = end;
    if (end == std::string::npos) end = value.size();
    size_t first = begin, last = end;
    while (first < last && value[first] == ' ') ++first;
    while (last > first && value[last - 1] == ' ') --last;
    SourceRange where = range;
    if (exact)
      where = {range.buffer, range.begin + static_cast<uint32_t>(first), range.begin + static_cast<uint32_t>(last)};
    pieces.push_back({value.substr(first, last - first), where});
    if (next == std::string::npos) return pieces;
    begin = next + 1;
  }
}

}  // namespace amdahlc::api
