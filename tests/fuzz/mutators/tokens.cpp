/// Mutates text by tokens: words, numbers, quoted strings, single signs. Enough for languages whose grammar the target
/// reads itself.
#include <cctype>
#include <vector>

#include "mutation.h"

namespace amdahlc::fuzz {
namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-'; }

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == '"') {
      while (end < text.size() && text[end] != '"' && text[end] != '\n') ++end;
      end = std::min(end + 1, text.size());
    } else if (isWord(text[at])) {
      while (end < text.size() && isWord(text[end])) ++end;
    } else if (text[at] == ' ' || text[at] == '\n') {
      while (end < text.size() && text[end] == text[at]) ++end;
    }
    tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

/// One change; `number` holds the text of a new token.
void mutate(std::vector<std::string_view>& tokens, Random& random, std::string& number) {
  const size_t at = random.below(tokens.size());
  const auto place = tokens.begin() + static_cast<std::ptrdiff_t>(at);
  const size_t length = 1 + random.below(std::min<size_t>(tokens.size() - at, random.oneIn(4) ? 40 : 4));
  const auto end = place + static_cast<std::ptrdiff_t>(length);
  switch (random.below(6)) {
    case 0:
      tokens.erase(place, end);
      return;
    case 1: {
      const std::vector<std::string_view> copy(place, end);
      const size_t to = random.below(tokens.size() + 1);
      tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(to), copy.begin(), copy.end());
      return;
    }
    case 2:
      std::swap(*place, random.of(tokens));
      return;
    case 3:
      number = std::to_string(kEdgeNumbers[random.below(std::size(kEdgeNumbers))]);
      *place = number;
      return;
    case 4:
      number = std::string(random.of(kOddNames));
      if (random.oneIn(2)) number = '"' + number + '"';
      *place = number;
      return;
    default:
      *place = random.of(tokens);
  }
}

}  // namespace

size_t mutateTokens(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  Random random(seed);
  if (size == 0 || random.oneIn(3)) return LLVMFuzzerMutate(data, size, maxSize);
  const std::string text(reinterpret_cast<const char*>(data), size);
  auto tokens = split(text);
  std::string numbers[4];
  const size_t changes = 1 + random.below(std::size(numbers));
  for (size_t i = 0; i < changes && !tokens.empty(); ++i) mutate(tokens, random, numbers[i]);
  std::string out;
  for (const std::string_view token : tokens) out += token;
  return store(out, data, size, maxSize);
}

}  // namespace amdahlc::fuzz
