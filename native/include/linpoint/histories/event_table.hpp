// SPDX-License-Identifier: Apache-2.0
// Events as Jepsen records them, and their operations: each invocation is paired with its completion.
//
// Guarantee: forms the same operations as `event_pairing.py`, or declines the events: invalid ones, and those whose
// comparison needs more than numbers. Cost: O(n), O(n log n) if the indices are not in order. Memory: 48 bytes per
// event, plus its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "linpoint/histories/interner.hpp"
#include "linpoint/histories/operation_table.hpp"
#include "linpoint/histories/value_store.hpp"

namespace linpoint::histories {

struct NameMeaning;

/// One event as in the text: names and scalars as tokens, values as numbers of the table's store.
struct EventFields {
  Token process;
  Token type;
  Token f;
  std::int32_t value = ValueStore::kNull;
  std::int32_t key = ValueStore::kNull;
  Token index;
  Token time;
};

class EventTable {
 public:
  /// `keyed`: whether values are pairs of key and value; nothing: detect it. In a Porcupine log, a `get` of "" found
  /// nothing.
  EventTable(std::optional<bool> keyed, bool porcupine) : keyed_(keyed), porcupine_(porcupine) {}

  /// The values of the events.
  [[nodiscard]] ValueStore& store() { return store_; }
  /// Adds an event; false if it is declined.
  bool add(const EventFields& fields, std::int32_t line);
  /// Makes operations of all events, and moves their values out. False if an event is declined, or there is none.
  bool pair(OperationTable& table);

 private:
  enum class Type : std::uint8_t { kInvoke, kOk, kFail, kInfo };

  struct Event {
    std::int64_t index;
    std::int64_t time;
    std::int32_t process;
    std::int32_t f;
    std::int32_t value;
    std::int32_t key;
    std::int32_t line;
    Type type;
    bool has_index;
    Token::Kind time_kind;
  };
  /// An invocation and its completion, as indices into the order of events.
  struct Call {
    std::int32_t invocation;
    std::int32_t completion = kNone;
  };
  /// A value: a number, or the tokens of a list.
  struct Value {
    std::int32_t number = ValueStore::kNull;
    std::span<const std::int32_t> list;

    [[nodiscard]] bool is_null() const { return list.empty() && number == ValueStore::kNull; }
    [[nodiscard]] bool is_bool() const {
      return list.empty() && (number == ValueStore::kTrue || number == ValueStore::kFalse);
    }
  };
  struct Parts {
    std::int32_t key;
    Value invoked;
    Value completed;
  };

  static std::optional<Type> type_of(const Token& token);
  bool put_in_order();
  bool find_calls(OperationTable& table);
  bool annotate(const Event& event, std::size_t position, OperationTable& table) const;

  [[nodiscard]] const Event& invocation(const Call& call) const;
  [[nodiscard]] const Event* ok(const Call& call) const;
  [[nodiscard]] bool have_key_field() const;
  [[nodiscard]] bool are_pairs(std::span<const NameMeaning> meanings) const;
  [[nodiscard]] Value value_of(std::int32_t number) const;
  [[nodiscard]] bool is_pair(const Value& value) const;
  static std::optional<std::pair<Value, Value>> halves(const Value& value);
  [[nodiscard]] std::optional<Parts> parts_of(const Call& call, bool pairs) const;
  [[nodiscard]] std::optional<bool> equal(const Value& one, const Value& other) const;
  bool find_answering(std::span<const NameMeaning> meanings, bool pairs, std::vector<bool>& answering) const;

  bool add_operation(const Call& call, const NameMeaning& name, bool pairs, bool words, bool echo,
                     OperationTable& table);
  bool put_arguments(const NameMeaning& name, const Parts& parts, bool words, OperationTable& table);
  bool put_result(const NameMeaning& name, const Parts& parts, bool echo, OperationTable& table);
  static Token token_of(const Value& value, OperationTable& table);

  std::optional<bool> keyed_;
  bool porcupine_;
  ValueStore store_;
  const Interner* values_ = nullptr;  // set once they belong to the operations
  Interner processes_{0};
  Interner names_{0};
  std::vector<Event> events_;
  std::vector<Call> calls_;
  OperationTable::Fields fields_;
};

}  // namespace linpoint::histories
