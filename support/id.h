/// Dense ids: one type per kind of entity, so that two kinds cannot be mixed up.
#pragma once

#include <cassert>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace amdahlc {

/// The type of `kNone`, which converts to the invalid id of every kind.
struct NoneId {};

/// A dense id of kind `Tag`, or none. Conversions from and to integers are explicit. Ids of two kinds neither convert
/// into each other nor compare. Text is written from `index()`.
template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr Id(NoneId) {}  // NOLINT(google-explicit-constructor): `kNone` is the invalid id of every kind
  template <std::integral Index>
    requires(!std::same_as<Index, bool>)
  constexpr explicit Id(Index index) : index_(static_cast<uint32_t>(index)) {
    assert(std::in_range<uint32_t>(index));
  }

  /// The index; the largest integer of its type for none.
  constexpr uint32_t index() const { return index_; }
  constexpr bool isNone() const { return index_ == kNoIndex; }
  /// The id that follows this one.
  constexpr Id next() const { return Id(index_ + 1); }

  /// By index; none is last.
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr uint32_t kNoIndex = std::numeric_limits<uint32_t>::max();
  uint32_t index_ = kNoIndex;
};

/// The ids from `begin` up to, but not including, `end`, for iteration.
template <typename IdType>
class IdRange {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = IdType;
    using iterator_category = std::input_iterator_tag;
    using pointer = const IdType*;
    using reference = IdType;
    constexpr Iterator() = default;
    constexpr explicit Iterator(uint32_t index) : index_(index) {}
    constexpr IdType operator*() const { return IdType(index_); }
    constexpr Iterator& operator++() {
      ++index_;
      return *this;
    }
    constexpr Iterator operator++(int) { return Iterator(index_++); }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    uint32_t index_ = 0;
  };

  constexpr IdRange(size_t begin, size_t end)
      : begin_(static_cast<uint32_t>(begin)), end_(static_cast<uint32_t>(end)) {}
  constexpr Iterator begin() const { return Iterator(begin_); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  uint32_t begin_, end_;
};

/// A vector indexed by ids of one kind: the entities themselves, or a fact about each.
template <typename IdType, typename T>
class IdVector {
  using Items = std::vector<T>;

 public:
  using value_type = T;
  using reference = typename Items::reference;
  using const_reference = typename Items::const_reference;
  using iterator = typename Items::iterator;
  using const_iterator = typename Items::const_iterator;

  IdVector() = default;
  explicit IdVector(size_t size) : items_(size) {}
  IdVector(size_t size, const T& value) : items_(size, value) {}
  IdVector(std::initializer_list<T> items) : items_(items) {}
  explicit IdVector(Items items) : items_(std::move(items)) {}

  reference operator[](IdType id) { return items_[id.index()]; }
  const_reference operator[](IdType id) const { return items_[id.index()]; }
  /// Whether `id` is the id of an element. False for none.
  bool contains(IdType id) const { return id.index() < items_.size(); }

  /// The id of the next element to be added.
  IdType nextId() const { return IdType(items_.size()); }
  IdType push_back(T item) {
    items_.push_back(std::move(item));
    return IdType(items_.size() - 1);
  }
  template <typename... Arguments>
  reference emplace_back(Arguments&&... arguments) {
    return items_.emplace_back(std::forward<Arguments>(arguments)...);
  }

  IdRange<IdType> ids() const { return {0, items_.size()}; }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void reserve(size_t size) { items_.reserve(size); }
  void resize(size_t size) { items_.resize(size); }
  void resize(size_t size, const T& value) { items_.resize(size, value); }
  void assign(size_t size, const T& value) { items_.assign(size, value); }
  void clear() { items_.clear(); }

  reference front() { return items_.front(); }
  const_reference front() const { return items_.front(); }
  reference back() { return items_.back(); }
  const_reference back() const { return items_.back(); }
  iterator begin() { return items_.begin(); }
  iterator end() { return items_.end(); }
  const_iterator begin() const { return items_.begin(); }
  const_iterator end() const { return items_.end(); }
  /// The elements without their ids.
  const Items& items() const { return items_; }

  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  Items items_;
};

}  // namespace amdahlc

template <typename Tag>
struct std::hash<amdahlc::Id<Tag>> {
  size_t operator()(amdahlc::Id<Tag> id) const noexcept { return std::hash<uint32_t>{}(id.index()); }
};
