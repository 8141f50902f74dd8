/// Interned strings: cheap to copy and compare, without a meaningful order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "support/name_table.h"

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

  /// A pool in which each string has the same symbol.
  StringPool copy() const {
    StringPool result;
    for (uint32_t index = 1; index < texts_.size(); ++index) result.intern(texts_[index]);
    return result;
  }

  Symbol intern(std::string_view text) {
    return {texts_.add(text, [this](std::string_view added) { return keep(added); }).first};
  }
  /// The symbol of `text`; nullopt if it was never interned.
  std::optional<Symbol> lookUp(std::string_view text) const {
    const uint32_t found = texts_.find(text);
    return found == NameTable::kUnknown ? std::nullopt : std::optional(Symbol{found});
  }
  /// The same, with the empty symbol for none.
  Symbol find(std::string_view text) const { return lookUp(text).value_or(Symbol{}); }
  std::string_view text(Symbol symbol) const { return texts_[symbol.index]; }
  size_t size() const { return texts_.size(); }

 private:
  struct Block {
    std::unique_ptr<char[]> chars;
    size_t size = 0;
    size_t used = 0;
  };

  /// A copy that stays where it is, also when the pool moves.
  std::string_view keep(std::string_view text) {
    if (text.empty()) return "";
    if (blocks_.empty() || text.size() > blocks_.back().size - blocks_.back().used) {
      constexpr size_t kBlockSize = size_t{1} << 16;
      const size_t size = std::max(kBlockSize, text.size());
      blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    }
    Block& block = blocks_.back();
    char* const kept = block.chars.get() + block.used;
    std::memcpy(kept, text.data(), text.size());
    block.used += text.size();
    return {kept, text.size()};
  }

  NameTable texts_;
  std::vector<Block> blocks_;
};

/// What a function says of the strings of a pool. It is asked once for each string.
template <typename Value>
class SymbolMemo {
 public:
  /// The pool must outlive it, and gets no further strings.
  explicit SymbolMemo(const StringPool& pool) : pool_(pool), known_(pool.size()) {}
  const Value& of(Symbol symbol, const auto& compute) {
    std::optional<Value>& known = known_[symbol.index];
    if (!known) known = compute(pool_.text(symbol));
    return *known;
  }

 private:
  const StringPool& pool_;
  std::vector<std::optional<Value>> known_;
};

}  // namespace amdahlc
