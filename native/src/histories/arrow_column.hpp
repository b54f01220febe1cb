// SPDX-License-Identifier: Apache-2.0
// One column of an Arrow array and the type of its cells. Only refers to the buffers, which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linpoint/histories/arrow_data.hpp"
#include "linpoint/histories/token.hpp"

namespace linpoint::histories {

class ArrowColumn {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kUnsigned, kFloat, kText, kList, kStruct };

  /// Nothing for unsupported types. Buffers are trusted to match their types.
  static std::optional<ArrowColumn> of(const ArrowSchema& schema, const ArrowArray& array);

  /// The kind of the cells' values; for a column with a dictionary, of its entries.
  [[nodiscard]] Kind kind() const { return dictionary_ ? dictionary_->kind() : kind_; }
  /// Where a cell's value is stored: in this column, or in a row of the dictionary. No row: null, or out of the
  /// dictionary's bounds.
  [[nodiscard]] const ArrowColumn& values() const { return dictionary_ ? dictionary_->values() : *this; }
  [[nodiscard]] std::optional<std::size_t> find(std::size_t row) const;

  // For `values()`, at a row returned by `find`.
  [[nodiscard]] bool bit(std::size_t row) const;
  /// Nothing if the value in its unit does not fit into 64 bits, or is the smallest 64-bit integer, which is reserved.
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t row) const;
  [[nodiscard]] std::uint64_t unsigned_integer(std::size_t row) const;
  [[nodiscard]] double number(std::size_t row) const;
  [[nodiscard]] std::string_view text(std::size_t row) const;
  /// The range of rows of `children().front()` that are the items of a list.
  [[nodiscard]] std::pair<std::size_t, std::size_t> items(std::size_t row) const;
  /// The row in each of `children()` for the members of a struct.
  [[nodiscard]] std::size_t member_row(std::size_t row) const { return offset_ + row; }
  [[nodiscard]] const std::vector<ArrowColumn>& children() const { return children_; }
  /// The name of a struct member.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  bool understand(std::string_view format);
  bool take_children(const ArrowSchema& schema, const ArrowArray& array);
  [[nodiscard]] std::int64_t whole(std::size_t at) const;
  [[nodiscard]] std::size_t bound(std::size_t at) const;

  Kind kind_ = Kind::kNull;
  unsigned width_ = 0;  // bytes of a number or of an offset
  bool signed_ = true;
  std::int64_t unit_ = 1;    // in nanoseconds, for instants and durations
  std::int64_t fixed_ = -1;  // number of items of each list
  std::size_t offset_ = 0;
  std::size_t length_ = 0;
  const std::uint8_t* valid_ = nullptr;
  const std::uint8_t* values_ = nullptr;  // or offsets
  const char* characters_ = nullptr;
  std::string name_;
  std::vector<ArrowColumn> children_;
  std::shared_ptr<ArrowColumn> dictionary_;
};

}  // namespace linpoint::histories
