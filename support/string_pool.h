/// Interned strings: cheap to copy and compare, without a meaningful order.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace amdahlc {

/// A string of one `StringPool`. Equality is identity. The numeric order is the order of interning, on which no result
/// may depend.
struct Symbol {
  /// 0 is the empty string of every pool.
  uint32_t index = 0;
  bool empty() const { return index == 0; }
  friend bool operator==(Symbol, Symbol) = default;
};

class StringPool {
 public:
  StringPool() { intern(""); }
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  Symbol intern(std::string_view text) {
    if (auto found = index_.find(text); found != index_.end()) return {found->second};
    const auto id = static_cast<uint32_t>(texts_.size());
    texts_.emplace_back(text);
    index_.emplace(texts_.back(), id);
    return {id};
  }
  /// The symbol of `text`, or the empty symbol if it was never interned.
  Symbol find(std::string_view text) const {
    auto found = index_.find(text);
    return found == index_.end() ? Symbol{} : Symbol{found->second};
  }
  std::string_view text(Symbol symbol) const { return texts_[symbol.index]; }
  size_t size() const { return texts_.size(); }

 private:
  // Stable addresses: the index's keys are views into it.
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, uint32_t> index_;
};

}  // namespace amdahlc
