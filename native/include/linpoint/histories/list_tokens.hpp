// SPDX-License-Identifier: Apache-2.0
// Lists and objects as runs of tokens, written block by block while a text is read: no two of them are compared.
//
// Cost: four bytes an item and a list, in the end. Within a block of text integers wait for their numbers, so that the
// memory of many is fetched at once.
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
  /// How many lists there may be, and how many items in one of them.
  static constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() / 2 - 2;

  /// A block is going to be read in which there are at most `most_tokens`; `blocks` like it are to come, as far as is
  /// known, which only spares memory.
  void begin_block(std::size_t most_tokens, std::size_t blocks);
  /// The block ends here.
  void end_block(Interner& values);

  /// Whether a list may be begun. Where lists are few, memory for them is only taken once one comes.
  bool ready();
  /// Have room for so many tokens more than the block was said to have. False if that is too much.
  bool make_room(std::size_t more);
  /// Where the block's tokens end, to go back to.
  [[nodiscard]] std::size_t held() const { return held_; }
  /// Forget the tokens from there on.
  void drop(std::size_t held);

  /// The place of a header, which is written when its list is complete.
  std::size_t open() { return held_++; }
  void close(std::size_t header, std::size_t items, bool object) {
    const auto count = static_cast<std::int32_t>(items);
    tokens_[header] = object ? Lists::object_of(count) : Lists::list_of(count);
  }
  void put(std::int32_t number) { tokens_[held_++] = number; }
  /// The place of an integer that waits for its number.
  std::int64_t& wait() {
    places_[waiting_] = static_cast<std::int32_t>(held_++);
    return integers_[waiting_++];
  }
  /// All since the last list is a list.
  void finish_list() { lists_.first.push_back(static_cast<std::int64_t>(lists_.tokens.size() + held_)); }

  /// How many lists there are.
  [[nodiscard]] std::size_t size() const { return lists_.size(); }
  /// The tokens of the block from there on.
  [[nodiscard]] std::span<std::int32_t> since(std::size_t held) { return {tokens_.get() + held, held_ - held}; }
  /// Adds a list that is complete, outside of a block.
  void add(std::span<const std::int32_t> list);
  /// Forget all lists but the first `size`; the others must be of this block.
  void shrink(std::size_t size);
  /// Go on with the lists of another text, with other numbers for values. Neither may stand within a block.
  void append(const ListTokens& other, std::span<const std::int32_t> numbers);
  /// The lists so far; no block may be open.
  [[nodiscard]] const Lists& lists() const { return lists_; }
  /// Null: there are none.
  [[nodiscard]] std::shared_ptr<const Lists> take();

 private:
  void resize(std::size_t room);

  Lists lists_{.first = {0}, .tokens = {}};
  std::size_t most_tokens_ = 0;  // of the block
  std::size_t blocks_ = 0;
  // The tokens of the block, and of those the integers that wait, with their places. All have the same room.
  std::size_t room_ = 0;
  std::unique_ptr<std::int32_t[]> tokens_;
  std::unique_ptr<std::int32_t[]> places_;
  std::unique_ptr<std::int64_t[]> integers_;
  std::size_t held_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace linpoint::histories
