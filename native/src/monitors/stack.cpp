// SPDX-License-Identifier: Apache-2.0
// Last in, first out: stays can be nested. After an idea of Lee and Mathur (OOPSLA 2025).
//
// A gap in which no remaining value is certainly inside is *free*. An operation that owns a free gap can be placed:
// there all remaining values can be outside. With peeks: a gap in which only v is certainly inside serves the
// operations that observe v there. A value all of whose operations can be placed is taken out, with its certain stay,
// which frees more gaps. If no value remains in the end, the stays can be nested; otherwise the remaining values alone
// cannot be.
//
// The order: a value is pushed in the last free gap that its push owns and popped in the first that its pop owns, among
// those that were free when it was taken out. Then stays x, y never cross: if px < py < qx < qy and x was taken out
// first, qx was free while y remained, so y could have been pushed there or popped there, or was certainly inside.
// Within a gap: pops, the latest pushed first; then operations that observed a value or nothing there; then stays that
// begin and end in this gap; then pushes, the last to be popped first.
#include <algorithm>
#include <numeric>

#include "monitors/container_values.hpp"
#include "monitors/gap_sort.hpp"
#include "monitors/stack_nesting.hpp"

namespace linpoint::monitors {
namespace {

using histories::kNone;

/// A minimal subset of values that cannot be nested: none of them can be left out.
std::vector<std::int32_t> shrink(const Contents& contents, std::vector<std::int32_t> values, search::StopToken& stop) {
  const auto stuck = [&](const std::vector<std::int32_t>& some) { return !Nesting(contents, some).run(stop); };
  // The shortest prefix, by removal, is a violation whatever came after.
  std::sort(values.begin(), values.end(), [&](std::int32_t a, std::int32_t b) {
    return contents.values()[at(a)].removed.first < contents.values()[at(b)].removed.first;
  });
  std::size_t low = 1;
  std::size_t high = values.size();
  while (low < high && !stop.stopped()) {
    const std::size_t middle = (low + high) / 2;
    if (stuck({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle)}))
      high = middle;
    else
      low = middle + 1;
  }
  values.resize(high);
  for (std::size_t chunk = std::max<std::size_t>(1, values.size() / 2);; chunk = std::max<std::size_t>(1, chunk / 2)) {
    bool fewer = false;
    for (std::size_t from = 0; from < values.size() && !stop.stopped();) {
      std::vector<std::int32_t> rest(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(from));
      const std::size_t to = std::min(values.size(), from + chunk);
      rest.insert(rest.end(), values.begin() + static_cast<std::ptrdiff_t>(to), values.end());
      if (stuck(rest)) {
        values = std::move(rest);
        fewer = true;
      } else {
        from = to;
      }
    }
    if (stop.stopped() || (chunk == 1 && !fewer)) return values;
  }
}

struct Place {
  std::int32_t gap;
  std::int32_t phase;
  std::int32_t first_key;
  std::int32_t second_key;
  std::int32_t role;
  std::int32_t op;
};

enum : std::int32_t { kPops = 0, kSees = 1, kBriefly = 2, kPushes = 3 };

std::vector<std::int32_t> in_order(const Contents& contents, const Nesting& nesting,
                                   const std::vector<std::int32_t>& free) {
  std::vector<Place> places;
  const std::vector<Value>& values = contents.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    const Stay& stay = nesting.stays()[i];
    const bool brief = stay.push == stay.pop;
    const Place push = brief ? Place{stay.push, kBriefly, stay.taken, 0, 0, value.add}
                             : Place{stay.push, kPushes, -stay.pop, stay.taken, 0, value.add};
    const Place pop = brief ? Place{stay.pop, kBriefly, stay.taken, 0, 2, value.removal}
                            : Place{stay.pop, kPops, -stay.push, -stay.taken, 2, value.removal};
    places.push_back(push);
    places.push_back(pop);
    const auto observed = contents.observations(value);
    for (std::size_t j = 0; j < observed.size(); ++j) {
      const std::int32_t alone = nesting.alone_at(i, j);
      const bool owns_push = observed[j].owns.first <= stay.push && stay.push <= observed[j].owns.last;
      Place seen = owns_push ? push : pop;
      if (alone != kNone) seen = {alone, kSees, 0, 0, 0, 0};
      seen.role = 1;
      seen.op = observed[j].op;
      places.push_back(seen);
    }
  }
  for (const Observation& empty : contents.empties())
    places.push_back({free[at(empty.owns.first)], kSees, 0, 0, 0, empty.op});
  std::erase_if(places, [](const Place& place) { return place.op == kNone; });
  sort_by_gap(places, contents.gaps() + 1, [](const Place& a, const Place& b) {
    if (a.phase != b.phase) return a.phase < b.phase;
    if (a.first_key != b.first_key) return a.first_key < b.first_key;
    return a.second_key != b.second_key ? a.second_key < b.second_key : a.role < b.role;
  });
  std::vector<std::int32_t> order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.op);
  return order;
}

}  // namespace

Found decide_stack(const Contents& contents, search::StopToken& stop) {
  const std::vector<std::int32_t> free = contents.next_free();
  for (const Observation& empty : contents.empties())
    if (free[at(empty.owns.first)] > empty.owns.last) return contents.not_empty(empty);
  std::vector<std::int32_t> all(contents.values().size());
  std::iota(all.begin(), all.end(), 0);
  Nesting nesting(contents, all);
  const bool nested = nesting.run(stop);
  if (stop.stopped()) return Found::excluded(Exclusion::kStopped);
  if (nested) return Found::linearizable(in_order(contents, nesting, free));
  const std::vector<std::int32_t> core = shrink(contents, nesting.remaining(), stop);
  if (stop.stopped()) return Found::excluded(Exclusion::kStopped);
  std::vector<std::int32_t> evidence;
  for (const std::int32_t value : core) {
    contents.tell(value, evidence);
    for (const std::int32_t op : contents.extremes(value)) evidence.push_back(op);
  }
  std::sort(evidence.begin(), evidence.end());
  evidence.erase(std::unique(evidence.begin(), evidence.end()), evidence.end());
  return contents.refuted(Reason::kNotNested, std::move(evidence), core);
}

}  // namespace linpoint::monitors
