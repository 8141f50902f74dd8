#include "runs/trace/tensorrt_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace amdahlc::trace {
namespace {

constexpr size_t kShownBytes = 40;
constexpr std::string_view kNameBegin = "{ \"name\" : \"", kNameEnd = "\", \"timeMs\" : ";

/// Visits the elements of an array. Values deeper than the members of an element are ignored.
class ElementReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ElementReader(const std::function<void(const TensorRtObject*)>& visit) : visit_(visit) {}

  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t value) override { return member({std::to_string(value), true}); }
  bool number_unsigned(number_unsigned_t value) override { return member({std::to_string(value), true}); }
  bool number_float(number_float_t, const string_t& text) override { return member({text, true}); }
  bool string(string_t& text) override { return member({text, false}); }
  bool binary(binary_t&) override { return other(); }
  bool start_object(size_t) override {
    if (++depth_ == 2) object_.clear();
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 2) key_ = name;
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1) visit_(&object_);
    return true;
  }
  bool start_array(size_t) override {
    ++depth_;
    return true;
  }
  bool end_array() override {
    if (--depth_ == 1) visit_(nullptr);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool other() {
    if (depth_ == 1) visit_(nullptr);
    return true;
  }
  bool member(TensorRtValue value) {
    if (depth_ != 2) return other();
    object_[key_] = std::move(value);
    return true;
  }

  const std::function<void(const TensorRtObject*)>& visit_;
  size_t depth_ = 0;
  TensorRtObject object_;
  std::string key_;
};

/// Accepts all values and keeps where the parser failed.
class DamageFinder : public nlohmann::json_sax<nlohmann::json> {
 public:
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
    // Counted from one, of the last byte read.
    offset_ = at == 0 ? 0 : at - 1;
    return false;
  }
  size_t offset() const { return offset_; }

 private:
  size_t offset_ = 0;
};

}  // namespace

TensorRtText TensorRtText::of(std::string text, std::string file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.replace(0, 3, "   ");
  return {std::move(text), std::move(file)};
}

void TensorRtText::reportDamage(DiagnosticEngine& diagnostics) const {
  DamageFinder finder;
  nlohmann::json::sax_parse(text.begin(), text.end(), &finder);
  const size_t offset = std::min(finder.offset(), text.size());
  if (text.find_first_not_of(" \t\r\n", offset) == std::string::npos) {
    diagnostics.error(DiagId::TraceSyntax, at(text.size()),
                      fmt::format("the JSON ends early, after {} bytes; the file is truncated", text.size()));
    return;
  }
  const size_t begin = offset - std::min(offset, kShownBytes / 2);
  auto error = diagnostics.error(DiagId::TraceSyntax, at(offset), "the JSON is damaged");
  // The renderer makes broken UTF-8 printable.
  error.note(fmt::format("the text around it is `{}`", text.substr(begin, kShownBytes)));
}

int64_t escapeNames(std::string& profile) {
  std::string out;
  int64_t escaped = 0;
  size_t done = 0;
  for (size_t line = 0; line < profile.size();) {
    const size_t end = std::min(profile.find('\n', line), profile.size());
    const std::string_view text = std::string_view(profile).substr(line, end - line);
    const size_t begin = text.find(kNameBegin), close = text.rfind(kNameEnd);
    if (begin != std::string_view::npos && close != std::string_view::npos && begin + kNameBegin.size() <= close &&
        text.find_first_not_of(" \t,[") == begin) {
      const size_t first = begin + kNameBegin.size();
      const std::string_view name = text.substr(first, close - first);
      if (name.find_first_of("\"\\") != std::string_view::npos) {
        out.append(profile, done, line + first - done);
        for (const char c : name) {
          if (c == '"' || c == '\\') out += '\\';
          out += c;
        }
        done = line + close;
        ++escaped;
      }
    }
    line = end + 1;
  }
  if (escaped == 0) return 0;
  out.append(profile, done);
  profile = std::move(out);
  return escaped;
}

void escapeSeparators(std::string& layers) {
  if (layers.find_first_of("\x1E\x1F") == std::string::npos) return;
  std::string out;
  for (const char c : layers) {
    if (c == '\x1E')
      out += "\\u001e";
    else if (c == '\x1F')
      out += "\\u001f";
    else
      out += c;
  }
  layers = std::move(out);
}

bool readElements(const TensorRtText& input, const std::function<void(const TensorRtObject*)>& visit,
                  DiagnosticEngine& diagnostics) {
  ElementReader reader(visit);
  if (nlohmann::json::sax_parse(input.text.begin(), input.text.end(), &reader)) return true;
  input.reportDamage(diagnostics);
  return false;
}

}  // namespace amdahlc::trace
