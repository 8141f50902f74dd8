/// Lists of different lengths in two arrays (compressed sparse rows).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace amdahlc {

/// The index of a dense integer, or of an id with `index()`.
template <typename Row>
constexpr size_t denseIndex(Row row) {
  if constexpr (std::integral<Row>) {
    return row;
  } else {
    return row.index();
  }
}

/// One list of `Item` for each `Row`: a dense integer, or an id with `index()`. Two allocations for any number of
/// lists.
template <typename Row, typename Item>
class CompressedRows {
 public:
  using Entry = std::pair<Row, Item>;

  /// Has no rows; `append` and `endRow` add them.
  CompressedRows() : first_{0} {}

  /// `rows` lists, each with the items of its entries in the order of `entries`.
  CompressedRows(size_t rows, std::span<const Entry> entries) : first_(rows + 1, 0), items_(entries.size()) {
    for (const Entry& entry : entries) ++first_[denseIndex(entry.first) + 1];
    for (size_t row = 1; row <= rows; ++row) first_[row] += first_[row - 1];
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Entry& entry : entries) items_[next[denseIndex(entry.first)]++] = entry.second;
  }

  /// Adds an item to the row that `endRow` will end.
  void append(Item item) { items_.push_back(std::move(item)); }
  void endRow() { first_.push_back(static_cast<uint32_t>(items_.size())); }

  size_t size() const { return first_.size() - 1; }
  size_t itemCount() const { return items_.size(); }
  friend bool operator==(const CompressedRows&, const CompressedRows&) = default;

  std::span<const Item> operator[](Row row) const {
    const size_t index = denseIndex(row);
    return {items_.data() + first_[index], items_.data() + first_[index + 1]};
  }

 private:
  std::vector<uint32_t> first_;
  std::vector<Item> items_;
};

}  // namespace amdahlc
