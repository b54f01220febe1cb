// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/list_equality.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "hashing.hpp"

namespace linpoint::histories {

namespace {

using Run = std::span<const std::int32_t>;

bool is_object(std::int32_t header) { return header <= Lists::kFirstObject; }

/// The number of items of a list, for an object twice its entries; 0 if it is not a list.
std::int64_t items_of(std::int32_t token) {
  if (token >= 0) return 0;
  return is_object(token) ? 2 * (std::int64_t{Lists::kFirstObject} - token) : std::int64_t{Lists::kFirst} - token;
}

/// Whether a run of tokens is exactly one list, and the names in its objects are values.
bool sound(Run run) {
  struct Open {
    std::int64_t left;
    bool object;
  };
  std::vector<Open> open;
  for (std::size_t at = 0; at < run.size(); ++at) {
    const std::int32_t token = run[at];
    if (token == kNone || (open.empty() && (at > 0 || token >= 0))) return false;
    if (!open.empty()) {
      const bool name = open.back().object && open.back().left % 2 == 0;
      if (name && token < 0) return false;
      --open.back().left;
    }
    if (token < 0) open.push_back({items_of(token), is_object(token)});
    while (!open.empty() && open.back().left == 0) open.pop_back();
  }
  return !run.empty() && open.empty();
}

/// Orders the entries of objects by the numbers of their names, which must differ.
class Sorter {
 public:
  static bool needs(Run run) {
    return std::ranges::any_of(run, [](std::int32_t token) { return token < Lists::object_of(1); });
  }

  /// The run of a list in a form in which equal objects are identical.
  Run sorted(Run run) {
    run_.assign(run.begin(), run.end());
    sort(0);
    return run_;
  }

 private:
  /// Sorts the item that begins at `at`, and returns where it ends.
  std::size_t sort(std::size_t at) {
    const std::int32_t header = run_[at++];
    if (header >= 0) return at;
    if (!is_object(header)) {
      for (std::int64_t left = items_of(header); left > 0; --left) at = sort(at);
      return at;
    }
    const std::size_t begin = at;
    std::vector<Run> entries;
    for (std::int64_t left = items_of(header) / 2; left > 0; --left) {
      const std::size_t entry = at;
      at = sort(at + 1);
      entries.push_back(Run(run_).subspan(entry, at - entry));
    }
    std::ranges::sort(entries, {}, [](Run entry) { return entry.front(); });
    std::vector<std::int32_t> all;
    for (const Run entry : entries) all.insert(all.end(), entry.begin(), entry.end());
    std::ranges::copy(all, run_.begin() + static_cast<std::ptrdiff_t>(begin));
    return at;
  }

  std::vector<std::int32_t> run_;
};

std::uint64_t hash_of(Run run) {
  std::uint64_t hash = run.size();
  for (const std::int32_t token : run) hash = (hash ^ static_cast<std::uint32_t>(token)) * 0x9E3779B97F4A7C15U;
  return mix(hash);
}

/// Distinct runs, numbered in order of appearance.
class Table {
 public:
  /// `most` is the maximum number of runs.
  explicit Table(std::size_t most) : slots_(std::bit_ceil(2 * most + 2)) {}

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[static_cast<std::size_t>(hash) & mask()]); }

  /// The number of a run with this hash. Its tokens must outlive the table unless `fleeting`.
  std::int32_t number(Run run, std::uint64_t hash, bool fleeting) {
    const auto tag = static_cast<std::uint32_t>(hash >> 32U);
    auto at = static_cast<std::size_t>(hash) & mask();
    for (; slots_[at].number >= 0; at = (at + 1) & mask())
      if (slots_[at].tag == tag && std::ranges::equal(known_[static_cast<std::size_t>(slots_[at].number)], run))
        return slots_[at].number;
    if (fleeting) {
      kept_.push_back(std::make_unique<std::vector<std::int32_t>>(run.begin(), run.end()));
      run = *kept_.back();
    }
    slots_[at] = {static_cast<std::int32_t>(known_.size()), tag};
    known_.push_back(run);
    return slots_[at].number;
  }

 private:
  struct Slot {
    std::int32_t number = -1;
    std::uint32_t tag = 0;  // of the hash, so that few other runs are compared
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }

  std::vector<Slot> slots_;  // open addressing, at most half full
  std::vector<Run> known_;
  std::vector<std::unique_ptr<std::vector<std::int32_t>>> kept_;
};

}  // namespace

bool sound(const Lists& lists) {
  if (lists.first.empty() || lists.first.front() != 0 || !std::ranges::is_sorted(lists.first) ||
      std::cmp_not_equal(lists.first.back(), lists.tokens.size()))
    return false;
  for (std::size_t list = 0; list < lists.size(); ++list)
    if (!sound(lists[list])) return false;
  return true;
}

Columns with_values(Columns columns, std::span<const std::int32_t> numbers) {
  const auto translate = [numbers](std::vector<std::int32_t>& all) {
    for (std::int32_t& each : all)
      if (each >= 0) each = numbers[static_cast<std::size_t>(each)];
  };
  for (std::vector<std::int32_t>* column : {&columns.key, &columns.result, &columns.arguments}) translate(*column);
  if (columns.lists) {
    Lists lists = *columns.lists;
    translate(lists.tokens);
    columns.lists = std::make_shared<const Lists>(std::move(lists));
  }
  return columns;
}

Columns with_lists(Columns columns, std::span<const std::int32_t> slots, Lists lists) {
  for (std::vector<std::int32_t>* column : {&columns.result, &columns.arguments})
    for (std::int32_t& each : *column) {
      const std::int32_t slot = slots[static_cast<std::size_t>(each)];
      if (slot >= 0) each = Lists::kFirst - slot;
    }
  columns.lists = std::make_shared<const Lists>(std::move(lists));
  return columns;
}

Equated equate(const Columns& columns, std::int32_t scalars) {
  Equated equated{columns, {}};
  equated.columns.lists = nullptr;
  if (!columns.lists) return equated;
  const Lists& lists = *columns.lists;
  if (lists.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() - scalars))
    throw std::length_error("too many values");
  constexpr std::size_t kAhead = 16;
  Table table(lists.size());
  Sorter sorter;
  const auto run_of = [&](std::size_t list, bool sort) { return sort ? sorter.sorted(lists[list]) : lists[list]; };
  std::vector<std::uint64_t> hashes(lists.size());
  for (std::size_t list = 0; list < lists.size(); ++list)
    hashes[list] = hash_of(run_of(list, Sorter::needs(lists[list])));
  std::vector<std::int32_t> numbers(lists.size());
  for (std::size_t list = 0; list < lists.size(); ++list) {
    if (list + kAhead < lists.size()) table.prefetch(hashes[list + kAhead]);
    const bool sort = Sorter::needs(lists[list]);
    const std::int32_t number = table.number(run_of(list, sort), hashes[list], sort);
    if (std::cmp_equal(number, equated.lists.size())) equated.lists.push_back(static_cast<std::int32_t>(list));
    numbers[list] = scalars + number;
  }
  for (std::vector<std::int32_t>* column : {&equated.columns.result, &equated.columns.arguments})
    for (std::int32_t& each : *column)
      if (each <= Lists::kFirst) each = numbers[static_cast<std::size_t>(Lists::kFirst - each)];
  return equated;
}

}  // namespace linpoint::histories
