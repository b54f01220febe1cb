// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/operation_grouping.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "hashing.hpp"

namespace linpoint::histories {
namespace {

/// Hashes the numbers that distinguish operations.
class Hash {
 public:
  void add(std::int32_t word) { value_ = mix(value_ ^ static_cast<std::uint32_t>(word)) + 0x9e3779b97f4a7c15ULL; }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// Numbers operations so that equal ones share a number: an open-addressing table of first operations.
template <typename HashOf, typename Same>
Classes number(std::size_t operations, HashOf hash_of, Same same) {
  Classes classes;
  classes.of.resize(operations);
  std::vector<std::int32_t> slots(64, kNone);
  std::vector<std::uint64_t> hashes;                               // of each class
  const std::size_t few = std::min<std::size_t>(operations, 256);  // without it, short histories grow vectors often
  classes.first.reserve(few);
  hashes.reserve(few);
  const auto place = [&](std::uint64_t hash, std::int32_t cls) {
    std::size_t at = hash & (slots.size() - 1);
    while (slots[at] != kNone) at = (at + 1) & (slots.size() - 1);
    slots[at] = cls;
  };
  for (std::size_t op = 0; op < operations; ++op) {
    const std::uint64_t hash = hash_of(op);
    std::size_t at = hash & (slots.size() - 1);
    for (; slots[at] != kNone; at = (at + 1) & (slots.size() - 1)) {
      const auto cls = static_cast<std::size_t>(slots[at]);
      if (hashes[cls] == hash && same(static_cast<std::size_t>(classes.first[cls]), op)) break;
    }
    if (slots[at] != kNone) {
      classes.of[op] = slots[at];
      continue;
    }
    const auto fresh = static_cast<std::int32_t>(classes.first.size());
    slots[at] = classes.of[op] = fresh;
    classes.first.push_back(static_cast<std::int32_t>(op));
    hashes.push_back(hash);
    if (classes.first.size() * 2 > slots.size()) {
      slots.assign(slots.size() * 2, kNone);
      for (std::size_t cls = 0; cls < hashes.size(); ++cls) place(hashes[cls], static_cast<std::int32_t>(cls));
    }
  }
  return classes;
}

/// Numbers operations by a number of each.
template <typename Number>
Classes number_by(std::size_t operations, Number number_of) {
  const auto hash_of = [&](std::size_t op) {
    Hash hash;
    hash.add(number_of(op));
    return hash.value();
  };
  return number(operations, hash_of, [&](std::size_t a, std::size_t b) { return number_of(a) == number_of(b); });
}

/// The same where `small` returns a number below `most` for each operation: a table of first operations, no hashing.
template <typename Small>
Classes number_small(std::size_t operations, std::size_t most, Small small) {
  Classes classes;
  classes.of.resize(operations);
  std::vector<std::int32_t> class_of(most, kNone);
  for (std::size_t op = 0; op < operations; ++op) {
    std::int32_t& cls = class_of[small(op)];
    if (cls == kNone) {
      cls = static_cast<std::int32_t>(classes.first.size());
      classes.first.push_back(static_cast<std::int32_t>(op));
    }
    classes.of[op] = cls;
  }
  return classes;
}

/// The end of an operation; never if its outcome is unknown.
std::int64_t end_of(const Columns& columns, std::size_t op) {
  return columns.outcome[op] == static_cast<std::uint8_t>(Outcome::kUnknown) ? kNever : columns.ret[op];
}

/// Positions of each process by call; among those called at the same time, those that end first.
std::vector<std::int32_t> by_process(const Columns& columns) {
  std::vector<std::int32_t> order(columns.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t x, std::int32_t y) {
    const auto a = static_cast<std::size_t>(x);
    const auto b = static_cast<std::size_t>(y);
    if (columns.process[a] != columns.process[b]) return columns.process[a] < columns.process[b];
    if (columns.call[a] != columns.call[b]) return columns.call[a] < columns.call[b];
    return end_of(columns, a) < end_of(columns, b);
  });
  return order;
}

/// Whether one operation of a process may immediately follow another one.
bool may_follow(const Columns& columns, std::size_t before, std::size_t after) {
  if (columns.outcome[before] != static_cast<std::uint8_t>(Outcome::kUnknown))
    return columns.ret[before] <= columns.call[after];
  return std::any_of(columns.crashes.begin(), columns.crashes.end(), [&](const Crash& crash) {
    return (crash.of_object() || crash.covers(columns.process[after])) && columns.call[before] < crash.time &&
           crash.time <= columns.call[after];
  });
}

/// Whether every process is sequential.
bool sequential(const Columns& columns) {
  // Usually each process appears in the log in the order of its calls, and then no sorting is needed.
  std::vector<std::int32_t> last;
  for (std::size_t op = 0; op < columns.size(); ++op) {
    const auto process = static_cast<std::size_t>(columns.process[op]);
    if (process >= last.size()) last.resize(process + 1 + process / 2, kNone);
    const auto before = static_cast<std::size_t>(last[process]);
    if (last[process] != kNone) {
      if (std::pair(columns.call[before], end_of(columns, before)) > std::pair(columns.call[op], end_of(columns, op))) {
        last.clear();
        break;
      }
      if (!may_follow(columns, before, op)) return false;
    }
    last[process] = static_cast<std::int32_t>(op);
  }
  if (!last.empty() || columns.size() == 0) return true;
  const std::vector<std::int32_t> order = by_process(columns);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto before = static_cast<std::size_t>(order[i - 1]);
    const auto after = static_cast<std::size_t>(order[i]);
    if (columns.process[before] == columns.process[after] && !may_follow(columns, before, after)) return false;
  }
  return true;
}

/// Whether an operation returns after its call, if at all, and, if it is certain, does return, before any crash.
bool has_possible_times(const Columns& columns, std::size_t op) {
  if (columns.ret[op] < columns.call[op]) return false;
  if (!columns.certain(op)) return true;
  return columns.ret[op] != kNever &&
         std::none_of(columns.crashes.begin(), columns.crashes.end(), [&](const Crash& crash) {
           return crash.covers(columns.process[op]) && columns.call[op] < crash.time && crash.time < columns.ret[op];
         });
}

}  // namespace

Classes classify(const Columns& columns, std::span<const std::int32_t> names, const Likeness& likeness) {
  if (!likeness.arguments && !likeness.result && !likeness.process && !likeness.key) {
    const auto arity = [&](std::size_t op) { return likeness.arity ? columns.arguments_of(op).size() : 0; };
    std::size_t most = 0;
    for (std::size_t op = 0; op < columns.size(); ++op) most = std::max(most, arity(op));
    constexpr std::size_t kFew = 16;
    if (most < kFew)
      return number_small(columns.size(), names.size() * kFew, [&](std::size_t op) {
        return static_cast<std::size_t>(names[static_cast<std::size_t>(columns.name[op])]) * kFew + arity(op);
      });
  }
  const auto name_of = [&](std::size_t op) { return names[static_cast<std::size_t>(columns.name[op])]; };
  const auto result_of = [&](std::size_t op) { return columns.certain(op) ? columns.result[op] : kNone; };
  const auto hash_of = [&](std::size_t op) {
    Hash hash;
    hash.add(name_of(op));
    const auto arguments = columns.arguments_of(op);
    if (likeness.arity) hash.add(static_cast<std::int32_t>(arguments.size()));
    if (likeness.arguments)
      for (const std::int32_t argument : arguments) hash.add(argument);
    if (likeness.result) hash.add(result_of(op));
    if (likeness.process) hash.add(columns.process[op]);
    if (likeness.key) hash.add(columns.key[op]);
    return hash.value();
  };
  return number(columns.size(), hash_of, [&](std::size_t a, std::size_t b) {
    const auto left = columns.arguments_of(a);
    const auto right = columns.arguments_of(b);
    return name_of(a) == name_of(b) && (!likeness.arity || left.size() == right.size()) &&
           (!likeness.arguments || std::ranges::equal(left, right)) &&
           (!likeness.result || result_of(a) == result_of(b)) &&
           (!likeness.process || columns.process[a] == columns.process[b]) &&
           (!likeness.key || columns.key[a] == columns.key[b]);
  });
}

Classes ignoring_results(const Columns& columns, std::span<const std::int32_t> names, const Classes& exact) {
  const auto op_of = [&](std::size_t cls) { return static_cast<std::size_t>(exact.first[cls]); };
  const auto name_of = [&](std::size_t cls) { return names[static_cast<std::size_t>(columns.name[op_of(cls)])]; };
  const auto hash_of = [&](std::size_t cls) {
    Hash hash;
    hash.add(name_of(cls));
    for (const std::int32_t argument : columns.arguments_of(op_of(cls))) hash.add(argument);
    return hash.value();
  };
  Classes found = number(exact.first.size(), hash_of, [&](std::size_t a, std::size_t b) {
    return name_of(a) == name_of(b) &&
           std::ranges::equal(columns.arguments_of(op_of(a)), columns.arguments_of(op_of(b)));
  });
  std::vector<std::int32_t> of(exact.of.size());
  for (std::size_t op = 0; op < of.size(); ++op) of[op] = found.of[static_cast<std::size_t>(exact.of[op])];
  found.of = std::move(of);
  for (std::int32_t& first : found.first) first = exact.first[static_cast<std::size_t>(first)];
  return found;
}

Classes by_object(const Columns& columns, bool key_argument) {
  if (!key_argument &&
      std::all_of(columns.key.begin(), columns.key.end(), [](std::int32_t key) { return key == kNone; }))
    return number_small(columns.size(), 1, [](std::size_t) { return std::size_t{0}; });
  return number_by(columns.size(), [&](std::size_t op) {
    const bool argument = key_argument && columns.key[op] == kNone;
    return argument ? columns.arguments_of(op).front() : columns.key[op];
  });
}

Classes by_first_argument(const Columns& columns) {
  return number_by(columns.size(), [&](std::size_t op) { return columns.arguments_of(op).front(); });
}

std::vector<std::vector<std::int32_t>> split(std::span<const std::int32_t> positions, const Classes& classes) {
  std::vector<std::vector<std::int32_t>> parts;
  const auto put = [&](std::int32_t& part, std::int32_t position) {
    if (part == kNone) {
      part = static_cast<std::int32_t>(parts.size());
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(part)].push_back(position);
  };
  const auto class_of = [&](std::int32_t position) { return classes.of[static_cast<std::size_t>(position)]; };
  if (positions.size() < classes.first.size() / 8) {  // one of many objects: a column for all operations is not
                                                      // worthwhile
    std::unordered_map<std::int32_t, std::int32_t> part_of;
    for (const std::int32_t position : positions)
      put(part_of.try_emplace(class_of(position), kNone).first->second, position);
    return parts;
  }
  std::vector<std::int32_t> part_of(classes.first.size(), kNone);
  for (const std::int32_t position : positions) put(part_of[static_cast<std::size_t>(class_of(position))], position);
  return parts;
}

bool well_formed(const Columns& columns) {
  const std::size_t operations = columns.size();
  std::size_t keyed = 0;
  for (std::size_t op = 0; op < operations; ++op) {
    keyed += columns.key[op] == kNone ? 0 : 1;
    if (!has_possible_times(columns, op)) return false;
  }
  if (keyed != 0 && keyed != operations) return false;
  return sequential(columns);
}

bool overlaps(const Columns& columns) {
  // Usually two consecutive operations of the log overlap, and then no sorting is needed.
  for (std::size_t op = 1; op < columns.size(); ++op) {
    const bool both = columns.certain(op - 1) && columns.certain(op) && columns.process[op - 1] != columns.process[op];
    if (both && columns.call[op] <= columns.skewed_return(op - 1) && columns.call[op - 1] <= columns.skewed_return(op))
      return true;
  }
  std::vector<std::int32_t> order;
  for (std::size_t op = 0; op < columns.size(); ++op)
    if (!columns.failed(op)) order.push_back(static_cast<std::int32_t>(op));
  const auto times = [&](std::int32_t position) {
    const auto op = static_cast<std::size_t>(position);
    return std::pair(columns.call[op], columns.ret[op]);
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return times(a) < times(b); });
  std::int64_t open_until = std::numeric_limits<std::int64_t>::min();
  std::int64_t returned = open_until;  // the same without skew, which is irrelevant within one process
  std::int32_t owner = kNone;
  for (const std::int32_t position : order) {
    const auto op = static_cast<std::size_t>(position);
    if (columns.process[op] == owner ? columns.call[op] < returned : columns.call[op] <= open_until) return true;
    const std::int64_t end = columns.certain(op) ? columns.skewed_return(op) : kNever;
    if (end >= open_until) {
      open_until = end;
      returned = columns.certain(op) ? columns.ret[op] : kNever;
      owner = columns.process[op];
    }
  }
  return false;
}

}  // namespace linpoint::histories
