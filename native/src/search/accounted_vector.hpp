// SPDX-License-Identifier: Apache-2.0
// A vector that requests its memory from the stop token before it allocates it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "linpoint/search/stop_token.hpp"

namespace linpoint::search {

template <typename T>
class AccountedVector {
 public:
  explicit AccountedVector(StopToken& stop) : stop_(&stop) {}
  AccountedVector(const AccountedVector&) = delete;
  AccountedVector& operator=(const AccountedVector&) = delete;
  ~AccountedVector() { stop_->release(items_.capacity() * sizeof(T)); }

  void swap(AccountedVector& other) noexcept { items_.swap(other.items_); }

  /// Makes room for `more` items. False, and the token is stopped, if there is no memory for them.
  [[nodiscard]] bool make_room(std::size_t more) {
    const std::size_t needed = items_.size() + more;
    const std::size_t had = items_.capacity();
    if (needed <= had) return true;
    const std::size_t wanted = std::max(needed, had * 2);
    if (!stop_->reserve(wanted * sizeof(T))) return false;
    items_.reserve(wanted);
    stop_->release(had * sizeof(T));
    return true;
  }

  [[nodiscard]] bool push(const T& item) {
    if (!make_room(1)) return false;
    items_.push_back(item);
    return true;
  }

  [[nodiscard]] bool append(std::span<const T> items) {
    if (!make_room(items.size())) return false;
    items_.insert(items_.end(), items.begin(), items.end());
    return true;
  }

  /// Replaces the contents by `size` copies of `item`.
  [[nodiscard]] bool refill(std::size_t size, const T& item) {
    items_.clear();
    if (!make_room(size)) return false;
    items_.assign(size, item);
    return true;
  }

  void clear() { items_.clear(); }
  /// Keeps only the first `size` items.
  void truncate(std::size_t size) { items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(size), items_.end()); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  T& back() { return items_.back(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  T* data() { return items_.data(); }
  [[nodiscard]] const T* data() const { return items_.data(); }
  T& operator[](std::size_t at) { return items_[at]; }
  const T& operator[](std::size_t at) const { return items_[at]; }

 private:
  StopToken* stop_;
  std::vector<T> items_;
};

}  // namespace linpoint::search
