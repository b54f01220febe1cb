// SPDX-License-Identifier: Apache-2.0
// Models natively: states that are stored once, whoever finds them; what specs allow; a counter that loses an
// increment.
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "linpoint/refine/sequential_spec_system.hpp"
#include "linpoint/refine/state_search.hpp"
#include "linpoint/refine/step_details.hpp"
#include "refine/recent_state_cache.hpp"
#include "refine/state_graph.hpp"
#include "refine/state_store.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::refine;
using linpoint::search::StopReason;
using linpoint::search::StopToken;

/// Two processes that increment one cell, in one step or by a load and a store; `rounds` operations each.
Program counter(bool atomic, unsigned rounds) {
  Program p;
  p.processes = 2;
  p.operations = rounds;
  p.first_node = p.first_integer = 3;
  p.zero = 3;
  p.ample = false;
  p.places.push_back({PlaceKind::kCell, 0, false, 1, 1, 1, 1, 0});
  const auto add = [&](Code code, unsigned a, unsigned b, unsigned c, std::uint64_t live) {
    Instruction made;
    made.code = code;
    made.a = static_cast<std::uint8_t>(a);
    made.b = static_cast<std::uint8_t>(b);
    made.c = static_cast<std::uint8_t>(c);
    made.live = live;
    if (is_access(code)) {
      made.where = 0;
      made.stop = static_cast<std::uint32_t>(p.stops.size());
      p.stops.push_back(static_cast<std::uint32_t>(p.code.size()));
    }
    if (code == Code::kConstant) made.value = p.zero + 1;
    p.code.push_back(made);
  };
  p.stops.push_back(0);
  add(Code::kConstant, 0, 0, 0, 0);
  if (atomic) {
    add(Code::kFetchAdd, 1, 0, 0, 0b01);
  } else {
    add(Code::kLoad, 1, 0, 0, 0b01);
    add(Code::kAdd, 2, 1, 0, 0b11);
    add(Code::kStore, 2, 0, 0, 0b110);
  }
  add(Code::kReturn, 1, 0, 1, 0b10);
  p.gives.assign(p.code.size(), 0);
  p.invocations.push_back({0, 0, 0, {}});
  p.groups.push_back({0, 2});
  p.touched_by.assign(1, {});
  p.touched_at.assign(p.stops.size(), {});
  p.touched_from.assign(p.stops.size(), {});
  p.cells = 1;
  p.private_base = p.owner_base = p.process_base = 2;
  p.calls_slot = 1;
  p.registers_slot = 2;
  p.registers = 2;
  p.process_slots = p.buffer_slot = 4;
  p.slots = p.process_base + 2 * p.process_slots;
  p.initial.assign(p.slots, 0);
  p.initial[1] = p.zero;
  p.widths.assign(p.slots, 1);
  return p;
}

/// fetch-add(1): gives the old count.
SequentialSystem fetch_add(const Program& program) {
  return {2,
          1,
          0,
          false,
          [](std::uint32_t state, unsigned, unsigned, SequentialSystem::Outcomes& out) {
            out.emplace_back(state, state + 1);
          },
          [&program](unsigned, std::uint32_t result, const std::vector<Slot>& values) {
            return values.at(0) == program.zero + result;
          }};
}

Reached checked(const Program& program, unsigned threads, std::vector<Choice>* run = nullptr) {
  StopToken stop;
  SequentialSystem system = fetch_add(program);
  SpecSets sets(system, 2, 1, 8, true, stop);
  Search search(program, &sets, threads, stop);
  Reached reached = search.run(1000, true);
  if (run != nullptr) *run = search.shortest_run();
  return reached;
}

void a_lost_increment_is_found() {
  for (const bool symmetric : {true, false})
    for (const bool fused : {true, false})
      for (const unsigned threads : {1U, 2U}) {
        Program wrong = counter(false, 2);
        wrong.symmetric = symmetric;
        wrong.fused = fused;
        if (!fused) {
          wrong.code.back().stop = static_cast<std::uint32_t>(wrong.stops.size());
          wrong.stops.push_back(static_cast<std::uint32_t>(wrong.code.size() - 1));
          wrong.touched_at.emplace_back();
          wrong.touched_from.emplace_back();
        }
        std::vector<Choice> run;
        const Reached found = checked(wrong, threads, &run);
        EXPECT(found.ending == Ending::kViolation);
        EXPECT(!found.violations.empty() && found.violations[0].wrong == Wrong::kRefused);
        EXPECT(run.size() == found.depth);
        if (fused) EXPECT(found.depth == 4);
        EXPECT(checked(counter(true, 3), threads).ending == Ending::kHolds);
      }
}

void states_up_to_symmetry_are_fewer() {
  Program right = counter(true, 2);
  right.symmetric = false;
  EXPECT(checked(right, 1).states == 9);  // how many each has done
  right.symmetric = true;
  EXPECT(checked(right, 1).states == 6);
}

void what_is_too_large_ends_the_search() {
  Program narrow = counter(true, 200);
  narrow.highest = narrow.zero + 10;
  const Reached found = checked(narrow, 1);
  EXPECT(found.ending == Ending::kRoom);
  StopToken stop;
  stop.set_memory_limit(std::size_t{1} << 20U);
  SequentialSystem system = fetch_add(narrow);
  SpecSets sets(system, 2, 1, 8, true, stop);
  Search search(narrow, &sets, 1, stop);
  EXPECT(search.run(1000, true).ending == Ending::kStopped);
  EXPECT(stop.reason() == StopReason::kMemory);
}

void hashes_alone_find_the_same() {
  Program right = counter(true, 60);
  const Reached all = checked(right, 2);
  right.compact = true;
  const Reached few = checked(right, 2);
  EXPECT(all.ending == Ending::kHolds && few.ending == Ending::kHolds);
  EXPECT(all.states == few.states);
}

/// One process that chooses twice, and so has more successors than the first table has room for.
Program chooser(unsigned choices) {
  Program p = counter(true, 1);
  p.processes = 1;
  p.groups = {{0, 1}};
  p.slot_bytes = 4;
  p.highest = 0x7fffffffU;
  p.code.clear();
  p.stops = {0};
  const auto add = [&](Code code, unsigned a, std::uint64_t live) {
    Instruction made;
    made.code = code;
    made.a = static_cast<std::uint8_t>(a);
    made.live = live;
    made.choices = code == Code::kChoose ? choices : 0;
    if (code == Code::kStore) made.where = 0;
    if (code == Code::kStore || code == Code::kReturn) {
      made.stop = static_cast<std::uint32_t>(p.stops.size());
      p.stops.push_back(static_cast<std::uint32_t>(p.code.size()));
    }
    p.code.push_back(made);
  };
  add(Code::kChoose, 0, 0);
  add(Code::kChoose, 1, 0b01);
  add(Code::kStore, 0, 0b11);
  add(Code::kReturn, 1, 0b10);
  for (unsigned i = 0; i < choices; ++i) p.choices.push_back(p.zero + i);
  p.gives.assign(p.code.size(), 0);
  p.touched_at.assign(p.stops.size(), {});
  p.touched_from.assign(p.stops.size(), {});
  p.fused = false;
  p.slots = p.process_base + p.process_slots;
  p.initial.resize(p.slots);
  p.widths.resize(p.slots);
  return p;
}

void a_state_may_have_more_successors_than_the_table_has_room_for() {
  constexpr unsigned kChoices = 600;
  const Program program = chooser(kChoices);
  for (const unsigned threads : {1U, 2U}) {
    StopToken stop;
    Search search(program, nullptr, threads, stop);
    const Reached found = search.run(1000, false);
    EXPECT(found.ending == Ending::kHolds);
    EXPECT(found.states == 1 + std::uint64_t{kChoices} * kChoices * 2 + kChoices);
  }
  // With too little memory for a larger table it ends all the same.
  StopToken stop;
  stop.set_memory_limit(std::size_t{16} << 20U);
  Search search(program, nullptr, 1, stop);
  EXPECT(search.run(1000, false).ending == Ending::kStopped);
  EXPECT(stop.reason() == StopReason::kMemory);
}

void rows_are_stored_once_by_whichever_thread() {
  constexpr std::uint32_t kBytes = 12;
  constexpr std::uint64_t kRows = 60000;
  for (const bool compact : {false, true}) {
    StopToken stop;
    {
      StateStore store(kBytes, 2, compact, stop);
      std::atomic<std::uint64_t> fresh{0};
      const auto work = [&](unsigned thread, std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t i = from; i < to; ++i) {
          std::uint8_t row[kBytes + kSlack] = {};
          std::memcpy(row, &i, 8);
          if (store.insert(thread, row, hash_row(row, kBytes))) fresh.fetch_add(1);
        }
      };
      for (std::uint64_t from = 0; from < kRows; from += kRows / 4) {
        std::thread other(work, 1U, from, from + kRows / 4);
        work(0, from, from + kRows / 4);
        other.join();
        if (store.is_tight()) EXPECT(store.grow());
      }
      EXPECT(fresh.load() == kRows);
      EXPECT(store.size() == kRows);
      if (!compact)
        for (std::uint64_t i = 0; i < kRows; i += 997) {
          std::uint8_t row[kBytes + kSlack] = {};
          std::memcpy(row, &i, 8);
          const StateStore::Number found = store.find(row, hash_row(row, kBytes));
          EXPECT(found != StateStore::kNowhere && same_rows(store.row(found), row, kBytes));
        }
      EXPECT(stop.memory() == store.memory());
    }
    EXPECT(stop.memory() == 0);
  }
}

void rows_found_lately_are_known() {
  constexpr std::uint32_t kBytes = 13;
  RecentRows recent(kBytes);
  std::uint64_t again = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    std::uint8_t row[kBytes + kSlack] = {};
    std::memcpy(row, &i, 8);
    const std::uint64_t hash = hash_row(row, kBytes);
    EXPECT(!recent.had(row, hash));
    again += recent.had(row, hash) ? 1U : 0U;
    row[kBytes - 1] = 1;  // another row, even if its hash were the same
    EXPECT(!recent.had(row, hash));
  }
  EXPECT(again == 100000);
}

void packing_gives_back_what_it_got() {
  for (const std::uint32_t bytes : {1U, 2U, 4U})
    for (std::uint32_t slots = 5; slots < 40; ++slots) {
      Program program;
      program.slots = slots;
      program.slot_bytes = bytes;
      const Packing packing(program);
      std::vector<Slot> state(slots + kSlack);
      std::vector<Slot> back(slots + kSlack);
      for (std::uint32_t i = 0; i < slots; ++i) state[i] = (i * 37) % 256;
      std::vector<std::uint8_t> row(packing.bytes() + kSlack);
      EXPECT(packing.pack(state.data(), row.data()));
      packing.unpack(row.data(), back.data());
      EXPECT(std::equal(state.begin(), state.begin() + slots, back.begin()));
      state[slots - 1] = bytes == 1 ? 256 : 70000;
      EXPECT(packing.pack(state.data(), row.data()) == (bytes == 4));
    }
}

void components_are_found() {
  // 0 -> 1 <-> 2 -> 3, and 3 goes round by itself over a step that is not allowed.
  Graph graph;
  graph.first = {0, 1, 2, 4, 5};
  graph.to = {1, 2, 1, 3, 3};
  graph.label.resize(5);
  StopToken stop;
  std::vector<std::vector<State>> found;
  components(
      graph, [](State) { return true; }, [](State, std::uint64_t step) { return step != 4; },
      [&](const std::vector<State>& members) {
        found.push_back(members);
        return true;
      },
      stop);
  EXPECT(found.size() == 1 && found[0].size() == 2);
  const auto way =
      shortest_way(graph, 0, [](State, std::uint64_t) { return true; }, [](State state) { return state == 3; });
  EXPECT((way == std::vector<std::uint64_t>{0, 1, 3}));
}

}  // namespace

int main() {
  a_lost_increment_is_found();
  states_up_to_symmetry_are_fewer();
  what_is_too_large_ends_the_search();
  hashes_alone_find_the_same();
  a_state_may_have_more_successors_than_the_table_has_room_for();
  rows_found_lately_are_known();
  rows_are_stored_once_by_whichever_thread();
  packing_gives_back_what_it_got();
  components_are_found();
  return linpoint::tests::finish();
}
