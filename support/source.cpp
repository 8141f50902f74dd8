#include "support/source.h"

#include <algorithm>
#include <utility>

namespace amdahlc {

SourceRange placeOf(std::string_view part, std::string_view text, SourceRange whole) {
  if (whole.end - whole.begin != text.size()) return whole;
  const uint32_t begin = whole.begin + static_cast<uint32_t>(part.data() - text.data());
  return {whole.buffer, begin, begin + static_cast<uint32_t>(part.size())};
}

BufferId SourceManager::add(std::string name, std::string text) {
  std::vector<uint32_t> lineStarts{0};
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    lineStarts.push_back(static_cast<uint32_t>(at + 1));
  buffers_.push_back({std::move(name), std::move(text), std::move(lineStarts)});
  return static_cast<BufferId>(buffers_.size() - 1);
}

BufferId SourceManager::addPart(SourceRange part) {
  buffers_.push_back({std::string(name(part.buffer)), {}, {}, part});
  return static_cast<BufferId>(buffers_.size() - 1);
}

std::string_view SourceManager::text(BufferId id) const {
  const Buffer& buffer = buffers_.at(id);
  if (!buffer.part) return buffer.text;
  return text(buffer.part->buffer).substr(buffer.part->begin, buffer.part->end - buffer.part->begin);
}

LineColumn SourceManager::lineColumn(BufferId id, uint32_t offset) const {
  const Buffer& buffer = buffers_.at(id);
  if (buffer.part) return lineColumn(buffer.part->buffer, std::min(buffer.part->begin + offset, buffer.part->end));
  offset = std::min(offset, static_cast<uint32_t>(buffer.text.size()));
  const auto next = std::ranges::upper_bound(buffer.lineStarts, offset);
  const auto line = static_cast<uint32_t>(next - buffer.lineStarts.begin());
  return {line, offset - buffer.lineStarts[line - 1] + 1};
}

std::string_view SourceManager::line(BufferId id, uint32_t line) const {
  const Buffer& buffer = buffers_.at(id);
  if (buffer.part) return this->line(buffer.part->buffer, line);
  if (line == 0 || line > buffer.lineStarts.size()) return {};
  const uint32_t begin = buffer.lineStarts[line - 1];
  size_t end = line == buffer.lineStarts.size() ? buffer.text.size() : buffer.lineStarts[line] - 1;
  if (end > begin && buffer.text[end - 1] == '\r') --end;
  return std::string_view(buffer.text).substr(begin, end - begin);
}

}  // namespace amdahlc
