// SPDX-License-Identifier: Apache-2.0
// The built-in objects at their plainest, for the oracle: a state is a few numbers, and shares no code with the core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace linpoint::fuzz {

// Values as histories number them.
inline constexpr std::int32_t kNull = 0;
inline constexpr std::int32_t kYes = 1;
inline constexpr std::int32_t kNo = 2;
inline constexpr std::int32_t kFirstValue = 3;
inline constexpr std::int32_t kValues = 12;  // so many in all

using State = std::vector<std::int32_t>;

/// An operation by name, with arguments and a result; with any result if `loose`.
struct Call {
  std::string_view name;
  std::vector<std::int32_t> args;
  std::int32_t result = kNull;
  bool loose = false;
};

/// How a recorded result is to be read.
enum class Returns : std::uint8_t { kValue, kSuccess, kNothing };

/// An operation of an object: how many values it takes (of a count: none), and what it returns.
struct Shape {
  std::string_view name;
  int args;
  Returns returns;
};

struct Kind {
  std::string_view name;
  std::vector<Shape> shapes;
  State initial;
};

inline const std::vector<Kind>& kinds() {
  using enum Returns;
  static const std::vector<Kind> all{
      {"register", {{"read", 0, kValue}, {"write", 1, kNothing}, {"cas", 2, kSuccess}, {"swap", 1, kValue}}, {kNull}},
      {"map",
       {{"get", 0, kValue},
        {"put", 1, kNothing},
        {"insert", 1, kSuccess},
        {"delete", 0, kSuccess},
        {"cas", 2, kSuccess},
        {"contains", 0, kValue}},
       {}},
      {"queue", {{"enqueue", 1, kNothing}, {"dequeue", 0, kValue}, {"peek", 0, kValue}}, {}},
      {"stack", {{"push", 1, kNothing}, {"pop", 0, kValue}, {"peek", 0, kValue}}, {}},
      {"priority-queue", {{"insert", 1, kNothing}, {"delete-max", 0, kValue}, {"peek", 0, kValue}}, {}},
      {"set", {{"add", 0, kSuccess}, {"remove", 0, kSuccess}, {"contains", 0, kValue}}, {}},
      {"mutex", {{"acquire", 0, kNothing}, {"release", 0, kNothing}, {"try-acquire", 0, kSuccess}}, {0}},
      {"counter", {{"increment", 0, kNothing}, {"decrement", 0, kNothing}, {"read", 0, kValue}}, {0}},
      {"fetch-add", {{"fetch-add", 1, kValue}}, {0}},
  };
  return all;
}

/// An object of some kind, in a state.
class Model {
 public:
  Model(const Kind& kind, State state) : kind_(kind), state_(std::move(state)) {}

  [[nodiscard]] const State& state() const { return state_; }

  /// What the operation returns, having taken effect; kIllegal where it is no legal step.
  static constexpr std::int32_t kIllegal = -1;
  static constexpr std::int32_t kUnknownCount = -2;
  std::int32_t run(const Call& call) {
    if (kind_.name == "register") return register_step(call);
    if (kind_.name == "map") return entry_step(call);
    if (kind_.name == "mutex") return mutex_step(call);
    if (kind_.name == "counter" || kind_.name == "fetch-add") return count_step(call);
    if (kind_.name == "set") return element_step(call);
    return container_step(call);
  }

  /// Whether the operation may have returned what was recorded, having taken effect.
  bool take(const Call& call) {
    const std::int32_t given = run(call);
    if (given == kIllegal) return false;
    if (call.loose) return true;
    for (const Shape& shape : kind_.shapes) {
      if (shape.name != call.name) continue;
      if (shape.returns == Returns::kNothing) return call.result == kNull || call.result == kYes;
      return given == call.result || (shape.returns == Returns::kSuccess && call.result == kNull);
    }
    return false;
  }

 private:
  static std::int32_t truth(bool is) { return is ? kYes : kNo; }

  std::int32_t register_step(const Call& call) {
    const std::int32_t before = state_[0];
    if (call.name == "read") return before;
    if (call.name == "cas") {
      if (before == call.args[0]) state_[0] = call.args[1];
      return truth(before == call.args[0]);
    }
    state_[0] = call.args[0];
    return call.name == "swap" ? before : kNull;
  }

  std::int32_t entry_step(const Call& call) {
    const bool present = !state_.empty();
    const std::int32_t before = present ? state_[0] : kNull;
    if (call.name == "get") return before;
    if (call.name == "contains") return truth(present);
    if (call.name == "delete") {
      state_.clear();
      return truth(present);
    }
    if (call.name == "cas") {
      if (before == call.args[0]) state_ = {call.args[1]};
      return truth(before == call.args[0]);
    }
    if (call.name == "put" || !present) state_ = {call.args[0]};
    return call.name == "put" ? kNull : truth(!present);
  }

  std::int32_t mutex_step(const Call& call) {
    const bool held = state_[0] != 0;
    if (call.name == "try-acquire") {
      state_[0] = 1;
      return truth(!held);
    }
    if (held == (call.name == "acquire")) return kIllegal;
    state_[0] = held ? 0 : 1;
    return kNull;
  }

  /// Counts are numbers of values: 0 is the first of them. Of counts without one nothing is recorded that fits.
  std::int32_t count_step(const Call& call) {
    const bool known = 0 <= state_[0] && state_[0] < kValues - kFirstValue;
    const std::int32_t before = known ? kFirstValue + state_[0] : kUnknownCount;
    if (call.name == "increment") ++state_[0];
    if (call.name == "decrement") --state_[0];
    if (call.name == "fetch-add") state_[0] += call.args[0] - kFirstValue;
    return call.name == "read" || call.name == "fetch-add" ? before : kNull;
  }

  std::int32_t element_step(const Call& call) {
    const bool inside = !state_.empty();
    if (call.name == "contains") return truth(inside);
    state_.clear();
    if (call.name == "add") state_ = {1};
    return truth(inside == (call.name == "remove"));
  }

  std::int32_t container_step(const Call& call) {
    if (call.name == "enqueue" || call.name == "push" || call.name == "insert") {
      state_.push_back(call.args[0]);
      if (call.name == "insert") std::sort(state_.begin(), state_.end());
      return kNull;
    }
    if (state_.empty()) return kNull;
    const auto place = kind_.name == "queue" ? state_.begin() : state_.end() - 1;
    const std::int32_t value = *place;
    if (call.name != "peek") state_.erase(place);
    return value;
  }

  const Kind& kind_;
  State state_;
};

}  // namespace linpoint::fuzz
