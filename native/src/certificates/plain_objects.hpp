// SPDX-License-Identifier: Apache-2.0
// Plain objects of the built-in kinds, on which orders are replayed: a deque for a queue, a map for a map.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "linpoint/specs/native_machine.hpp"
#include "specs/native_operation.hpp"

namespace linpoint::verdicts {

/// An object that executes one operation after the other.
class PlainObject {
 public:
  explicit PlainObject(const specs::Blueprint& blueprint) : blueprint_(blueprint) {}
  PlainObject& operator=(const PlainObject&) = delete;
  virtual ~PlainObject() = default;
  /// False if the operation is not legal now, or would have returned a different result.
  virtual bool take(const specs::Instruction& op) = 0;
  [[nodiscard]] virtual std::unique_ptr<PlainObject> copy() const = 0;

 protected:
  PlainObject(const PlainObject&) = default;
  [[nodiscard]] std::int32_t null() const { return blueprint_.constants.null; }
  [[nodiscard]] std::int32_t truth(bool is) const { return is ? blueprint_.constants.yes : blueprint_.constants.no; }
  [[nodiscard]] const specs::Blueprint& blueprint() const { return blueprint_; }

 private:
  const specs::Blueprint& blueprint_;
};

/// The object that a blueprint describes, with this initial content (as for `check_replay`).
std::unique_ptr<PlainObject> plain_object(const specs::Blueprint& blueprint, std::span<const std::int64_t> content);

}  // namespace linpoint::verdicts
