// SPDX-License-Identifier: Apache-2.0
// Random recordings of small objects, and what is true of them from the definition alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "frontiers/frontier_searches.hpp"
#include "tests/specs/machine_values.hpp"
#include "tests/support/seeded_random.hpp"

namespace linpoint::tests {

using frontiers::kAnything;
using frontiers::kNoReturn;
using frontiers::kNothing;
using frontiers::Operation;
using frontiers::Recording;
using frontiers::Role;
using specs::Code;
using specs::Instruction;
using specs::kAny;

inline std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
inline std::int32_t number(std::size_t size) { return static_cast<std::int32_t>(size); }

inline bool is_container(const std::string& kind) {
  return kind == "queue" || kind == "stack" || kind == "priority-queue";
}

/// The plain object: contents of a container, or one number (a value, how many).
using State = std::vector<std::int64_t>;

constexpr std::int64_t kAbsent = -1;  // of an entry of a map

/// False when a container cannot do this now.
inline bool step(const std::string& kind, State& state, const Operation& op) {
  const bool first = kind == "queue";
  if (op.role == Role::kAdd) {
    state.push_back(op.value);
    if (kind == "priority-queue") std::sort(state.begin(), state.end());
    return true;
  }
  if (op.role == Role::kLook && op.value == kNothing) return state.empty();
  if (state.empty()) return false;
  const std::int64_t seen = first ? state.front() : state.back();
  if (op.value != kAnything && op.value != seen) return false;
  if (op.role == Role::kRemove) state.erase(first ? state.begin() : state.end() - 1);
  return true;
}

/// What an operation would return, and what it leaves; none where it is not legal.
struct Step {
  bool legal;
  std::int64_t result;
  std::int64_t after;
};

inline Step plain_step(const std::string& kind, std::int64_t now, const Instruction& op) {
  const auto truth = [](bool is) { return static_cast<std::int64_t>(is ? kYes : kNo); };
  const bool counted = kind == "semaphore" || kind == "multiset";
  switch (op.code) {
    case Code::kRead:
      return {true, now, now};
    case Code::kGet:
      return {true, now == kAbsent ? kNull : now, now};
    case Code::kWrite:
    case Code::kPut:
      return {true, kNull, op.first};
    case Code::kSwap:
      return {true, now, op.first};
    case Code::kCas:
      return {true, truth(now == op.first), now == op.first ? op.second : now};
    case Code::kCasEntry: {
      const bool same = (now == kAbsent ? kNull : now) == op.first;
      return {true, truth(same), same ? op.second : now};
    }
    case Code::kInsert:
      return {true, truth(now == kAbsent), now == kAbsent ? op.first : now};
    case Code::kDelete:
      return {true, truth(now != kAbsent), kAbsent};
    case Code::kContains:
      return {true, truth(now != kAbsent), now};
    case Code::kHas:
      return {true, truth(now != 0), now};
    case Code::kAdd:
      return counted ? Step{true, kNull, now + 1} : Step{true, truth(now == 0), 1};
    case Code::kRelease:
      return counted ? Step{true, kNull, now + 1} : Step{now != 0, kNull, 0};
    case Code::kAcquire:
      return counted ? Step{now > 0, kNull, now - 1} : Step{now == 0, kNull, 1};
    case Code::kTryAcquire:
      return counted ? Step{true, truth(now > 0), std::max<std::int64_t>(0, now - 1)} : Step{true, truth(now == 0), 1};
    case Code::kRemove:
      return {true, truth(now > 0), std::max<std::int64_t>(0, now - 1)};
    case Code::kReadCount:
      return {true, now, now};
    case Code::kCount:
      return {true, kNull, now + op.amount};
    default:
      return {true, now, now + op.amount};  // fetch-add
  }
}

inline bool reads_number(Code code) { return code == Code::kReadCount || code == Code::kFetchAdd; }

inline bool step(const std::string& kind, State& state, const Instruction& op) {
  const Step found = plain_step(kind, state[0], op);
  const bool agrees = op.want == kAny || (reads_number(op.code) ? op.wanted : op.want) == found.result;
  state[0] = found.after;
  return found.legal && agrees;
}

inline bool step(const std::string& kind, const Recording& recording, State& state, const Operation& op) {
  return is_container(kind) ? step(kind, state, op) : step(kind, state, recording.instructions[at(op.value)]);
}

inline State first_state(const std::string& kind, const Recording& recording) {
  if (is_container(kind)) return {};
  if (!recording.content.empty()) return recording.content;
  return {kind == "map" ? kAbsent : 0};
}

/// Whether there is an order, by trying all.
inline bool has_order(const std::string& kind, const Recording& recording) {
  const std::vector<Operation>& ops = recording.operations;
  std::set<std::pair<unsigned, State>> seen;
  std::vector<std::pair<unsigned, State>> left{{0U, first_state(kind, recording)}};
  while (!left.empty()) {
    const auto [in, state] = left.back();
    left.pop_back();
    std::int32_t soonest = kNoReturn;
    for (std::size_t i = 0; i < ops.size(); ++i)
      if ((in >> i & 1U) == 0) soonest = std::min(soonest, ops[i].ret);
    if (soonest == kNoReturn) return true;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if ((in >> i & 1U) != 0 || ops[i].call > soonest) continue;
      State after = state;
      if (!step(kind, recording, after, ops[i])) continue;
      if (seen.insert({in | 1U << i, after}).second) left.emplace_back(in | 1U << i, after);
    }
  }
  return false;
}

/// Whether an order is legal, respects the times and, if `whole`, leaves out nothing that returned.
inline bool is_order(const std::string& kind, const Recording& recording, const std::vector<std::int32_t>& order,
                     bool whole) {
  std::vector<bool> in(recording.operations.size());
  State state = first_state(kind, recording);
  std::int32_t latest = -1;
  for (const std::int32_t index : order) {
    const Operation& each = recording.operations[at(index)];
    if (in[at(index)] || each.ret < latest || !step(kind, recording, state, each)) return false;
    in[at(index)] = true;
    latest = std::max(latest, each.call);
  }
  for (std::size_t i = 0; whole && i < in.size(); ++i)
    if (!in[i] && recording.operations[i].ret != kNoReturn) return false;
  return true;
}

/// What is called before `end`; what returns later may be left out.
inline Recording start_of(const Recording& recording, std::int32_t end) {
  Recording start = recording;
  std::erase_if(start.operations, [&](const Operation& each) { return each.call > end; });
  for (Operation& each : start.operations)
    if (each.ret > end) each.ret = kNoReturn;
  return start;
}

inline Instruction random_instruction(const std::string& kind, Dice& dice, std::size_t values) {
  const auto value = [&] { return kA + number(dice.pick(values)); };
  const auto one_of = [&](std::vector<Code> codes) { return codes[dice.pick(codes.size())]; };
  Instruction op;
  if (kind == "register") op.code = one_of({Code::kRead, Code::kWrite, Code::kCas, Code::kCas, Code::kSwap});
  if (kind == "map")
    op.code = one_of({Code::kGet, Code::kPut, Code::kInsert, Code::kDelete, Code::kContains, Code::kCasEntry});
  if (kind == "set") op.code = one_of({Code::kAdd, Code::kRemove, Code::kHas});
  if (kind == "mutex" || kind == "semaphore") op.code = one_of({Code::kAcquire, Code::kRelease, Code::kTryAcquire});
  if (kind == "multiset") op.code = one_of({Code::kAdd, Code::kRemove, Code::kRemove, Code::kReadCount});
  if (kind == "counter") op.code = one_of({Code::kCount, Code::kCount, Code::kReadCount});
  if (kind == "fetch-add") op.code = Code::kFetchAdd;
  op.first = value();
  op.second = value();
  if (op.code == Code::kCasEntry && dice.one_in(3)) op.first = kNull;
  if (op.code == Code::kCasEntry && dice.one_in(6)) op.second = kNull;
  op.amount = static_cast<std::int64_t>(dice.pick(4)) - 1;
  if (op.code != Code::kCount && op.code != Code::kFetchAdd) op.amount = 0;
  return op;
}

/// Operations that took effect one after the other at hidden points, some of them corrupted, cut off or pending with
/// their results.
class RandomRecording {
 public:
  RandomRecording(std::string kind, Dice& dice, std::size_t most) : kind_(std::move(kind)), dice_(dice) {
    spread(2 + dice.pick(most - 1));
    const bool walks = !dice.one_in(3);
    const std::size_t values = 1 + dice.pick(3);
    is_container(kind_) ? handle(walks, values) : instruct(walks, values);
    if (walks && dice.one_in(2)) spoil();
    if (dice.one_in(3))
      for (std::size_t left = 1 + dice.pick(3); left > 0; --left) cut_off();
    recording.values = 4;
  }

  Recording recording;

 private:
  void spread(std::size_t size) {
    std::vector<std::pair<std::size_t, std::size_t>> events;
    std::vector<std::pair<std::size_t, std::size_t>> points;
    std::vector<std::size_t> free(2 + dice_.pick(size < 10 ? 4 : 6));
    const std::size_t longest = 3 + dice_.pick(12);
    for (std::size_t i = 0; i < size; ++i) {
      std::size_t& from = free[dice_.pick(free.size())];
      const std::size_t call = from + dice_.pick(4);
      const std::size_t ret = call + 1 + dice_.pick(longest);
      from = ret + 1;
      events.emplace_back(call * 64 + dice_.pick(32), 2 * i);
      events.emplace_back(ret * 64 + 32 + dice_.pick(32), 2 * i + 1);
      points.emplace_back(call * 64 + dice_.pick((ret - call) * 64), i);
      recording.operations.push_back({Role::kAdd, 0, 0, 0, number(i)});
    }
    std::sort(events.begin(), events.end());
    std::sort(points.begin(), points.end());
    for (std::size_t rank = 0; rank < events.size(); ++rank) {
      Operation& each = recording.operations[events[rank].second / 2];
      (events[rank].second % 2 == 0 ? each.call : each.ret) = number(rank);
    }
    for (const auto& [point, op] : points) order_.push_back(op);
  }

  void handle(bool walks, std::size_t values) {
    State state;
    const std::size_t looks = dice_.pick(3);
    for (const std::size_t op : order_) {
      Operation& each = recording.operations[op];
      const std::size_t what = dice_.pick(10);
      each.value = number(dice_.pick(values));
      each.role = what < 5 ? Role::kAdd : what < 9 - looks ? Role::kRemove : Role::kLook;
      if (each.role == Role::kAdd) {
      } else if (walks) {
        const auto seen = state.empty() ? kNothing : kind_ == "queue" ? state.front() : state.back();
        each.value = static_cast<std::int32_t>(seen);
      } else if (dice_.one_in(5)) {
        each.value = kNothing;
      }
      if (each.value == kNothing) each.role = Role::kLook;
      step(kind_, state, each);
    }
  }

  void instruct(bool walks, std::size_t values) {
    if (kind_ == "register") recording.content = {kA + static_cast<std::int64_t>(dice_.pick(2))};
    if (kind_ == "semaphore") recording.content = {static_cast<std::int64_t>(dice_.pick(3))};
    if (kind_ == "mutex") recording.content = {static_cast<std::int64_t>(dice_.pick(2))};
    if (kind_ == "counter" || kind_ == "fetch-add") recording.content = {0};
    State state = first_state(kind_, recording);
    for (const std::size_t op : order_) {
      Instruction made = random_instruction(kind_, dice_, values);
      const Step found = plain_step(kind_, state[0], made);
      const bool tells = made.code != Code::kWrite && made.code != Code::kPut && made.code != Code::kAcquire &&
                         made.code != Code::kRelease && made.code != Code::kCount &&
                         !(made.code == Code::kAdd && kind_ == "multiset");
      if (tells && !dice_.one_in(12)) {
        made.want = walks ? static_cast<std::int32_t>(found.result) : random_result(made.code);
        made.wanted = made.want;
        if (reads_number(made.code)) made.want = kC;  // which stands for the number
      }
      if (reads_number(made.code) && made.want == kAny) {
        made.want = kC;
        made.wanted = found.result;
      }
      if (!walks || found.legal) state[0] = found.after;
      recording.operations[op].value = label(made);
    }
  }

  std::int32_t random_result(Code code) {
    if (reads_number(code)) return number(dice_.pick(4));
    if (code == Code::kRead || code == Code::kGet || code == Code::kSwap)
      return dice_.one_in(4) ? kNull : kA + number(dice_.pick(3));
    return dice_.one_in(2) ? kYes : kNo;
  }

  std::int32_t label(const Instruction& made) {
    for (std::size_t i = 0; i < recording.instructions.size(); ++i) {
      const Instruction& other = recording.instructions[i];
      if (std::tie(other.code, other.first, other.second, other.want, other.amount, other.wanted) ==
          std::tie(made.code, made.first, made.second, made.want, made.amount, made.wanted))
        return number(i);
    }
    recording.instructions.push_back(made);
    return number(recording.instructions.size()) - 1;
  }

  /// Two operations did what the other one did.
  void spoil() {
    Operation& a = recording.operations[dice_.pick(recording.operations.size())];
    Operation& b = recording.operations[dice_.pick(recording.operations.size())];
    std::swap(a.role, b.role);
    std::swap(a.value, b.value);
  }

  /// An operation whose outcome is unknown, or that is pending with the result that it had later.
  void cut_off() {
    Operation& each = recording.operations[dice_.pick(recording.operations.size())];
    each.ret = kNoReturn;
    if (dice_.one_in(4)) return;
    if (is_container(kind_)) {
      if (each.role == Role::kRemove) each.value = kAnything;
      return;
    }
    Instruction unknown = recording.instructions[at(each.value)];
    unknown.want = kAny;
    unknown.wanted = 0;
    const bool tries = unknown.code == Code::kTryAcquire || unknown.code == Code::kRemove;
    if (tries && (kind_ == "semaphore" || kind_ == "multiset")) unknown.want = kYes;
    each.value = label(unknown);
  }

  std::string kind_;
  Dice& dice_;
  std::vector<std::size_t> order_;
};

}  // namespace linpoint::tests
