#include "grammar/lsp/markup.h"

#include <fmt/format.h>

#include <algorithm>

namespace amdahlc::lsp {
namespace {

// More is no help beside the text that it is about.
constexpr size_t kMaxLines = 120;

/// The length of the longest run of backticks.
size_t longestFence(std::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

void Markup::separate(bool inList) {
  if (!text_.empty()) text_ += inList && inList_ ? "\n" : "\n\n";
  inList_ = inList;
}

std::string Markup::asCode(std::string_view text) const {
  if (!markdown_) return std::string(text);
  const std::string fence(longestFence(text) + 1, '`');
  // A backtick at an end would be part of the fence.
  const std::string_view blank = text.starts_with('`') || text.ends_with('`') ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, blank, text, blank, fence);
}

Markup& Markup::title(std::string_view words, std::string_view code) {
  separate(false);
  text_ += fmt::format("{} {}", words, asCode(code));
  return *this;
}

Markup& Markup::paragraph(std::string_view text) {
  if (text.empty()) return *this;
  separate(false);
  text_ += text;
  return *this;
}

Markup& Markup::item(std::string_view code, std::string_view words) {
  separate(true);
  text_ += fmt::format("- {}{}{}", asCode(code), words.empty() ? "" : " ", words);
  return *this;
}

Markup& Markup::code(std::string_view text, std::string_view language) {
  separate(false);
  size_t shown = 0;
  size_t lines = 0;
  for (size_t begin = 0; begin < text.size(); ++lines) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (lines < kMaxLines) shown = end;
    begin = end + 1;
  }
  const std::string more = lines > kMaxLines ? fmt::format("{} more lines", lines - kMaxLines) : std::string();
  const std::string_view kept = text.substr(0, shown);
  if (markdown_) {
    const std::string fence(std::max<size_t>(longestFence(kept) + 1, 3), '`');
    text_ += fmt::format("{}{}\n{}\n{}", fence, language, kept, fence);
  } else {
    text_ += kept;
  }
  return paragraph(more);
}

Json Markup::value() const { return {{"kind", markdown_ ? "markdown" : "plaintext"}, {"value", text_}}; }

}  // namespace amdahlc::lsp
