#include "trace/format.h"

#include <nlohmann/json.hpp>

namespace amdahlc::trace {
namespace {

constexpr size_t kMaxKeys = 64;

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
    if (sketch_.keys.size() < kMaxKeys && !sketch_.has(name)) sketch_.keys.push_back(name);
    atCategory_ = sketch_.isArray && name == "cat";
    return true;
  }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

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
};

}  // namespace

Beginning look(std::string_view bytes) {
  Beginning out{bytes, std::nullopt};
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (bytes[start] != '{' && bytes[start] != '[')) return out;
  Sketcher sketcher(out.json.emplace());
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &sketcher);
  return out;
}

}  // namespace amdahlc::trace
