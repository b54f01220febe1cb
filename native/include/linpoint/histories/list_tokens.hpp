// SPDX-License-Identifier: Apache-2.0
// Lists and objects as runs of tokens, written block by block while a text is read. They are not compared.
//
// Cost: four bytes per item and list, in the end. Within a block of text, integers wait for their numbers, so that the
// memory of many can be fetched together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/interner.hpp"

namespace linpoint::histories {

class ListTokens {
 public:
  /// The maximum number of lists, and of items in one list.
  static constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() / 2 - 2;

  /// Begins a block that has at most `most_tokens`; `blocks` is the expected number of such blocks, an estimate that
  /// only saves reallocations.
  void begin_block(std::size_t most_tokens, std::size_t blocks);
  /// Ends the block.
  void end_block(Interner& values);

  /// Whether a list may begin. Where lists are rare, memory for them is only allocated when one comes.
  bool ready();
  /// Makes room for `more` tokens than announced for the block. False if that is too many.
  bool make_room(std::size_t more);
  /// The end of the block's tokens, as a position for `drop`.
  [[nodiscard]] std::size_t held() const { return held_; }
  /// Removes the tokens from there on.
  void drop(std::size_t held);

  /// Reserves the place of a header, which is written when its list is complete.
  std::size_t open() { return held_++; }
  void close(std::size_t header, std::size_t items, bool object) {
    const auto count = static_cast<std::int32_t>(items);
    tokens_[header] = object ? Lists::object_of(count) : Lists::list_of(count);
  }
  void put(std::int32_t number) { tokens_[held_++] = number; }
  /// Reserves the place of an integer that waits for its number.
  std::int64_t& wait() {
    places_[waiting_] = static_cast<std::int32_t>(held_++);
    return integers_[waiting_++];
  }
  /// Makes a list of everything since the last list.
  void finish_list() { lists_.first.push_back(static_cast<std::int64_t>(lists_.tokens.size() + held_)); }

  /// The number of lists.
  [[nodiscard]] std::size_t size() const { return lists_.size(); }
  /// The tokens of the block from there on.
  [[nodiscard]] std::span<std::int32_t> since(std::size_t held) { return {tokens_.get() + held, held_ - held}; }
  /// Adds a complete list, outside a block.
  void add(std::span<const std::int32_t> list);
  /// Removes all lists but the first `size`; the others must belong to this block.
  void shrink(std::size_t size);
  /// Appends the lists of another text, with other numbers for values. Neither may have an open block.
  void append(const ListTokens& other, std::span<const std::int32_t> numbers);
  /// The lists so far; no block may be open.
  [[nodiscard]] const Lists& lists() const { return lists_; }
  /// Moves the lists out; null if there are none.
  [[nodiscard]] std::shared_ptr<const Lists> take();

 private:
  void resize(std::size_t room);

  Lists lists_{.first = {0}, .tokens = {}};
  std::size_t most_tokens_ = 0;  // of the block
  std::size_t blocks_ = 0;
  // The tokens of the block, and those of integers that wait, with their places. All have the same capacity.
  std::size_t room_ = 0;
  std::unique_ptr<std::int32_t[]> tokens_;
  std::unique_ptr<std::int32_t[]> places_;
  std::unique_ptr<std::int64_t[]> integers_;
  std::size_t held_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace linpoint::histories
