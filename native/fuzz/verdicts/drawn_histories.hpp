// SPDX-License-Identifier: Apache-2.0
// Random small histories: operations of a plain object at hidden points, stretched, cut, interrupted and corrupted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "fuzz/verdicts/definition.hpp"

namespace linpoint::fuzz {

class HistoryGenerator {
 public:
  explicit HistoryGenerator(std::uint64_t seed) : rng_(seed) {}

  DrawnHistory draw() {
    history_ = {};
    history_.kind = &kinds()[pick(kinds().size())];
    const std::size_t count = 1 + pick(8);
    draw_crashes(count);
    const std::int64_t stretch = one_of({0, 2, 6, 12, 25, 40});
    const bool distinct = one_in(2);  // values
    const std::uint64_t keys = one_in(4) ? 2 : 1;
    const std::uint64_t processes = 1 + pick(4);
    std::map<std::int32_t, State> states;
    std::map<std::int32_t, State> saved;
    std::map<std::int32_t, std::int64_t> free;
    fresh_ = kFirstValue;
    for (std::size_t number = 0; number < count; ++number) {
      const auto point = static_cast<std::int64_t>(number) * 10 + 3;
      for (const CrashEvent& crash : history_.crashes)
        if (crash.process < 0 && point - 10 < crash.time && crash.time <= point && one_in(3)) states = saved;
      if (one_in(3)) saved = states;
      Operation op;
      op.process = static_cast<std::int32_t>(pick(processes));
      op.key = static_cast<std::int32_t>(pick(keys));
      if (!free.contains(op.process)) free[op.process] = -100;
      if (free[op.process] == kNever) op.process += 10 * static_cast<std::int32_t>(number + 1);
      const std::int64_t since = free.contains(op.process) ? free[op.process] : -100;
      op.call =
          std::max(since, coarse(point - static_cast<std::int64_t>(pick(static_cast<std::uint64_t>(stretch) + 1))));
      op.ret =
          std::max(op.call, coarse(point + static_cast<std::int64_t>(pick(static_cast<std::uint64_t>(stretch) + 1))));
      op.what = draw_call(distinct);
      interrupt(op);
      if (op.certain() || one_in(2)) {
        const auto held = states.find(op.key);
        Model model(*history_.kind, held == states.end() ? history_.kind->initial : held->second);
        const std::int32_t given = model.run(op.what);
        if (given != Model::kIllegal) {
          op.what.result = result_of(op.what, given);
          states[op.key] = model.state();
        }
      }
      if (op.what.loose) op.what.result = kNull;
      free[op.process] = freed(op);
      history_.operations.push_back(std::move(op));
    }
    std::shuffle(history_.operations.begin(), history_.operations.end(), rng_);
    return history_;
  }

 private:
  std::uint64_t pick(std::uint64_t bound) { return rng_() % bound; }
  bool one_in(std::uint64_t bound) { return pick(bound) == 0; }
  std::int64_t one_of(std::initializer_list<std::int64_t> all) { return all.begin()[pick(all.size())]; }
  std::int64_t coarse(std::int64_t time) { return one_in(3) ? (time + 2) / 5 * 5 : time; }

  void draw_crashes(std::size_t count) {
    if (one_in(3)) return;
    for (std::uint64_t many = 1 + pick(3); many > 0; --many) {
      const auto time = static_cast<std::int64_t>(5 * (1 + pick(2 * count)));
      const std::uint64_t what = pick(5);
      const std::int32_t process = what < 2 ? kEverything : what < 4 ? kObject : static_cast<std::int32_t>(pick(4));
      history_.crashes.push_back({time, process});
    }
    std::stable_sort(history_.crashes.begin(), history_.crashes.end(),
                     [](const CrashEvent& a, const CrashEvent& b) { return a.time < b.time; });
  }

  Call draw_call(bool distinct) {
    const Shape& shape = history_.kind->shapes[pick(history_.kind->shapes.size())];
    Call call{shape.name, {}, kNull, one_in(9)};
    for (int arg = 0; arg < shape.args; ++arg) {
      const bool last = arg + 1 == shape.args;
      if (history_.kind->name == "fetch-add")
        call.args.push_back(kFirstValue + 1);
      else if (distinct && last && fresh_ < kValues)
        call.args.push_back(fresh_++);
      else
        call.args.push_back(one_in(12) ? kNull : kFirstValue + static_cast<std::int32_t>(pick(3)));
    }
    if (history_.kind->name == "set") call.args = {kFirstValue};
    if (history_.kind->name == "priority-queue" && !call.args.empty() && call.args[0] == kNull)
      call.args[0] = kFirstValue;
    return call;
  }

  /// A crash of its process cuts an operation off; one of the object may interrupt it.
  void interrupt(Operation& op) {
    if (op.what.loose) op.ret = kNever;
    for (const CrashEvent& crash : history_.crashes) {
      if (!(op.call < crash.time && crash.time < op.ret)) continue;
      if (crash.process == kEverything || crash.process == op.process || (crash.process == kObject && one_in(3))) {
        op.ret = kNever;
        op.what.loose = true;
      }
    }
  }

  /// When the process of an operation may go on.
  std::int64_t freed(const Operation& op) const {
    if (op.certain()) return op.ret;
    std::int64_t since = kNever;
    for (const CrashEvent& crash : history_.crashes)
      if (op.call < crash.time && (crash.process < 0 || crash.process == op.process))
        since = std::min(since, crash.time);
    return since;
  }

  /// Mostly what it returned; sometimes something else.
  std::int32_t result_of(const Call& call, std::int32_t given) {
    for (const Shape& shape : history_.kind->shapes)
      if (shape.name == call.name && shape.returns == Returns::kNothing) return one_in(30) ? kYes : kNull;
    if (!one_in(7)) return std::clamp(given, kNull, kValues - 1);
    return static_cast<std::int32_t>(one_in(2) ? pick(kFirstValue) : kFirstValue + pick(4));
  }

  std::mt19937_64 rng_;
  DrawnHistory history_;
  std::int32_t fresh_ = kFirstValue;
};

}  // namespace linpoint::fuzz
