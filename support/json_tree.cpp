#include "support/json_tree.h"

#include <string>
#include <utility>
#include <vector>

namespace amdahlc {
namespace {

using Json = nlohmann::json;

class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(size_t maxNesting, SkippedJsonKey isSkipped, JsonElementVisitor visit)
      : maxNesting_(maxNesting), isSkipped_(std::move(isSkipped)), visit_(std::move(visit)) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return true; }  // not in text
  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (skipped_ > 0) return true;
    if (isSkipped_ && isSkipped_(open_.size(), name))
      place_ = nullptr;
    else
      place_ = &(*open_.back())[std::move(name)];
    return true;
  }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception& error) override {
    tree.at = at;
    const bool isRange = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    tree.fault = isRange ? JsonFault::NumberRange : JsonFault::Syntax;
    return false;
  }

  /// Its value is complete if nothing stopped the parser.
  JsonTree tree;

 private:
  /// Where the next value belongs; nullptr if it is left out.
  Json* place() {
    if (skipped_ > 0) return nullptr;
    if (open_.empty()) return &tree.value.emplace();
    if (!open_.back()->is_array()) return place_;
    // No element before it is open, so that a vector that moves its elements leaves no pointer behind.
    return &open_.back()->emplace_back();
  }
  bool add(Json value) {
    if (Json* const where = place()) *where = std::move(value);
    visitElement();
    return true;
  }
  bool open(Json empty) {
    if (open_.size() + skipped_ == maxNesting_) {
      tree.fault = JsonFault::Nesting;
      return false;
    }
    // Where elements are handed on, what is inside their members stays out of memory.
    Json* const where = visit_ && open_.size() >= 2 ? nullptr : place();
    if (where == nullptr) {
      ++skipped_;
      return true;
    }
    *where = std::move(empty);
    open_.push_back(where);
    return true;
  }
  bool close() {
    if (skipped_ > 0)
      --skipped_;
    else
      open_.pop_back();
    visitElement();
    return true;
  }
  /// Hands on an element that is complete.
  void visitElement() {
    if (!visit_ || open_.size() != 1 || !open_.front()->is_array()) return;
    auto& elements = open_.front()->get_ref<Json::array_t&>();
    visit_(std::move(elements.back()));
    elements.pop_back();
  }

  size_t maxNesting_;
  SkippedJsonKey isSkipped_;
  JsonElementVisitor visit_;
  /// Objects and arrays that are open: those that are kept, outermost first, and how many are left out inside them.
  std::vector<Json*> open_;
  size_t skipped_ = 0;
  /// The value of the last key of the innermost object.
  Json* place_ = nullptr;
};

}  // namespace

JsonTree parseJsonTree(std::string_view text, size_t maxNesting, SkippedJsonKey isSkipped, JsonElementVisitor visit) {
  Builder builder(maxNesting, std::move(isSkipped), std::move(visit));
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) builder.tree.value.reset();
  return std::move(builder.tree);
}

}  // namespace amdahlc
