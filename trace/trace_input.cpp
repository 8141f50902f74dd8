#include "trace/trace_input.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace amdahlc::trace {
namespace {

/// Accepts all values and stores the position at which the parser failed.
class DamageFinder : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// One-based, of the last byte read.
  std::optional<size_t> position;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception&) override {
    position = at;
    return false;
  }
};

}  // namespace

TraceInput TraceInput::padded(std::string text, std::string file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.replace(0, 3, "   ");  // a byte order mark; blanks keep the offsets
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  return {std::move(text), std::move(file)};
}

uint64_t TraceInput::offsetOf(const char* place) const {
  if (place == nullptr || place < text.data() || place > text.data() + text.size()) return text.size();
  return static_cast<uint64_t>(place - text.data());
}

void reportJsonDamage(const TraceInput& input, std::string_view what, uint64_t fallbackOffset,
                      DiagnosticEngine& diagnostics) {
  DamageFinder finder;
  nlohmann::json::sax_parse(input.text.begin(), input.text.end(), &finder);
  if (!finder.position) {
    diagnostics.error(DiagId::TraceSyntax, input.at(fallbackOffset), fmt::format("the JSON cannot be read: {}", what));
    return;
  }
  const size_t offset = std::min(*finder.position == 0 ? 0 : *finder.position - 1, input.text.size());
  if (input.text.find_first_not_of(" \t\r\n", offset) == std::string::npos) {
    diagnostics.error(DiagId::TraceSyntax, input.at(input.text.size()),
                      fmt::format("the JSON ends early, after {} bytes; the file is truncated", input.text.size()));
    return;
  }
  const size_t begin = offset > 20 ? offset - 20 : 0;
  // A truncated sequence is detected at the byte after it.
  const auto isMultibyte = [&](size_t at) { return (static_cast<unsigned char>(input.text[at]) & 0x80) != 0; };
  const bool badEncoding = isMultibyte(offset) || (offset > 0 && isMultibyte(offset - 1));
  auto error = diagnostics.error(
      DiagId::TraceSyntax, input.at(offset),
      badEncoding ? "the text is not UTF-8" : fmt::format("the JSON is damaged at `{}`", input.text[offset]));
  // Broken UTF-8 is made printable by the renderer.
  error.note(fmt::format("the text around it is `{}`", input.text.substr(begin, 40)));
}

}  // namespace amdahlc::trace
