// SPDX-License-Identifier: Apache-2.0
// Configurations of a specification, many at once: words one behind the other, so that none needs memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace linpoint::refine {

/// One way in which the specification may have gone along with a run.
using Configuration = std::vector<std::uint32_t>;

/// A list of configurations of one length.
class Configurations {
 public:
  void clear(std::uint32_t length) {
    words_.clear();
    length_ = length;
  }
  /// Adds a copy, which may be changed until the next one is added. `words` are not among the list's own.
  std::uint32_t* add(const std::uint32_t* words) {
    words_.insert(words_.end(), words, words + length_);
    return words_.data() + words_.size() - length_;
  }
  [[nodiscard]] const std::uint32_t* operator[](std::size_t number) const { return words_.data() + number * length_; }
  [[nodiscard]] std::size_t size() const { return length_ == 0 ? 0 : words_.size() / length_; }
  [[nodiscard]] std::uint32_t length() const { return length_; }
  [[nodiscard]] const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_;
  std::uint32_t length_ = 0;
};

/// A set of them, in the order in which they came. It is made to be used again and again.
class DistinctConfigurations {
 public:
  void clear(std::uint32_t length);
  /// Whether it was new.
  bool add(const std::uint32_t* words);
  [[nodiscard]] bool has(const std::uint32_t* words) const;
  [[nodiscard]] const Configurations& list() const { return list_; }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  /// A hash of the set, whatever the order.
  [[nodiscard]] std::uint64_t hash() const { return sum_; }

 private:
  /// A place is taken if it was in this turn: so nothing has to be wiped out between two of them.
  struct Place {
    std::uint32_t turn = 0;
    std::uint32_t number = 0;
  };

  [[nodiscard]] std::uint64_t hash_of(const std::uint32_t* words) const;
  /// Where a configuration is, or may be put; and whether it is there.
  [[nodiscard]] std::pair<std::size_t, bool> find(const std::uint32_t* words, std::uint64_t hash) const;
  void begin_turn();
  void widen();

  Configurations list_;
  std::vector<Place> places_;
  std::uint32_t turn_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace linpoint::refine
