/// Dense numbers for texts, by one flat hash table: no allocation and no pointer to follow for each text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace amdahlc {

/// Numbers texts from 0 in the order in which they are added. Holds views only: the texts lie elsewhere and stay there.
class NameTable {
 public:
  static constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();

  size_t size() const { return texts_.size(); }
  std::string_view operator[](uint32_t number) const { return texts_[number]; }

  /// The number of `text`, or `kUnknown`.
  uint32_t find(std::string_view text) const {
    if (slots_.empty()) return kUnknown;
    return slots_[slotOf(text, hashOf(text))].number;
  }

  /// The number of `text`, and whether it is new. The table keeps what `keep(text)` returns: `text` at a place where it
  /// stays.
  template <typename Keep>
  std::pair<uint32_t, bool> add(std::string_view text, const Keep& keep) {
    // At least a quarter of the slots is free, so that searches end soon.
    if (4 * (texts_.size() + 1) > 3 * slots_.size()) grow();
    const uint32_t hash = hashOf(text);
    Slot& slot = slots_[slotOf(text, hash)];
    if (slot.number != kUnknown) return {slot.number, false};
    slot = {hash, static_cast<uint32_t>(texts_.size())};
    texts_.push_back(keep(text));
    return {slot.number, true};
  }
  std::pair<uint32_t, bool> add(std::string_view text) {
    return add(text, [](std::string_view same) { return same; });
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = kUnknown;
  };

  static uint32_t hashOf(std::string_view text) {
    const uint64_t hash = std::hash<std::string_view>()(text);
    return static_cast<uint32_t>(hash ^ hash >> 32);
  }

  /// Where `text` is, or where it belongs. Most other texts of the way there have another hash and are not looked at.
  size_t slotOf(std::string_view text, uint32_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at].number != kUnknown && (slots_[at].hash != hash || texts_[slots_[at].number] != text))
      at = (at + 1) & mask;
    return at;
  }

  void grow() {
    constexpr size_t kFirstSize = 16;
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kFirstSize : 2 * slots_.size()));
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.number == kUnknown) continue;
      size_t at = slot.hash & mask;
      while (slots_[at].number != kUnknown) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<std::string_view> texts_;
  /// A power of two of them.
  std::vector<Slot> slots_;
};

}  // namespace amdahlc
