#include "runs/files/json_sketch.h"

#include <nlohmann/json.hpp>

#include "support/limits.h"
#include "support/utf8.h"

namespace amdahlc::trace {
namespace {

/// Notes the keys of the top-level object, or of the first element of the top-level array.
class Sketcher : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Sketcher(JsonSketch& sketch) : sketch_(sketch) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool string(string_t& text) override {
    if (atCategory_) sketch_.firstCategory = text;
    return value();
  }
  bool start_object(size_t) override {
    ++depth_;
    return true;
  }
  bool start_array(size_t) override {
    if (depth_ == 0) sketch_.isArray = true;
    ++depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ != keyDepth()) return true;
    if (sketch_.keys.size() < limits::kTopLevelKeys && !sketch_.has(name)) sketch_.keys.push_back(name);
    atCategory_ = sketch_.isArray && name == "cat";
    return true;
  }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception&) override {
    // Counted from one, of the last byte read, which at the end is one behind the last.
    invalidAt_ = at == 0 ? 0 : at - 1;
    return false;
  }
  std::optional<size_t> invalidAt() const { return invalidAt_; }

 private:
  size_t keyDepth() const { return sketch_.isArray ? 2 : 1; }
  bool value() {
    atCategory_ = false;
    return !(sketch_.isArray && depth_ == 1);  // the first element was no object
  }
  bool end() {
    --depth_;
    return value();
  }

  JsonSketch& sketch_;
  size_t depth_ = 0;
  bool atCategory_ = false;
  std::optional<size_t> invalidAt_;
};

}  // namespace

Beginning look(std::string_view bytes) {
  Beginning out{bytes, std::nullopt, std::nullopt};
  size_t start = bytes.starts_with(utf8::kByteOrderMark) ? utf8::kByteOrderMark.size() : 0;
  start = bytes.find_first_not_of(" \t\r\n", start);
  if (start == std::string_view::npos || (bytes[start] != '{' && bytes[start] != '[')) return out;
  Sketcher sketcher(out.json.emplace());
  nlohmann::json::sax_parse(bytes.begin() + static_cast<ptrdiff_t>(start), bytes.end(), &sketcher);
  if (sketcher.invalidAt()) out.invalidAt = std::min(start + *sketcher.invalidAt(), bytes.size());
  return out;
}

}  // namespace amdahlc::trace
