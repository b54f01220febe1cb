// SPDX-License-Identifier: Apache-2.0
// Lists and objects of operation lines, read as they stand there: no two of them are compared.
//
// Guarantee: a list is read if all that it holds, however deep, is null, true, false, integers of 64 bits, strings
// without escapes, lists, and objects whose names differ; of any other nothing is kept but numbers of values. Cost:
// about two nanoseconds a character; four bytes an item and a list, in the end. Within a block of text integers wait
// for their numbers, so that the memory of many is fetched at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/interner.hpp"

namespace linpoint::histories {

class ListReader {
 public:
  /// The numbers of null, true and false among the values.
  static constexpr std::int32_t kNull = 0;
  static constexpr std::int32_t kTrue = 1;
  static constexpr std::int32_t kFalse = 2;

  /// A block of so many bytes is going to be read, of a text of about `expected_bytes`.
  void begin(std::size_t bytes, std::size_t expected_bytes);
  /// Behind the list or object that begins here, which is the last one from now on; null if it cannot be read.
  const char* read(const char* at, Interner& values);
  /// The block ends here.
  void settle(Interner& values);

  /// How many lists there are.
  [[nodiscard]] std::size_t size() const { return lists_.size(); }
  /// Forget all lists but the first `size`; the others must be of this block.
  void shrink(std::size_t size);
  /// Go on with the lists of another reader, with other numbers for values. Neither may stand within a block.
  void append(const ListReader& other, std::span<const std::int32_t> numbers);
  /// Null: there are none.
  [[nodiscard]] std::shared_ptr<const Lists> take();

 private:
  // Each takes where something begins and gives where it ends, or null.
  const char* read_list(const char* at, int depth, Interner& values);
  const char* read_item(const char* at, int depth, Interner& values);
  const char* read_name(const char* at, Interner& values);
  bool differ(std::size_t from);
  void allocate();

  Lists lists_{.first = {0}, .tokens = {}};
  std::size_t bytes_ = 0;  // of the block
  std::size_t expected_bytes_ = 0;
  // The tokens of the block, and of those the integers that wait, with their places. All have the same room.
  std::size_t room_ = 0;
  std::unique_ptr<std::int32_t[]> tokens_;
  std::unique_ptr<std::int32_t[]> places_;
  std::unique_ptr<std::int64_t[]> integers_;
  std::size_t held_ = 0;
  std::size_t waiting_ = 0;
  std::vector<std::int32_t> names_;  // of the objects that are open
};

}  // namespace linpoint::histories
