// SPDX-License-Identifier: Apache-2.0
// What a search of a model does in large pieces, against the same done slot by slot: nodes numbered in packed rows,
// sets of configurations.
#include <algorithm>
#include <set>
#include <vector>

#include "linpoint/refine/spec_configurations.hpp"
#include "refine/canonical_state.hpp"
#include "refine/packed_heap.hpp"
#include "refine/packed_state.hpp"
#include "tests/support/harness.hpp"
#include "tests/support/seeded_random.hpp"

namespace {

using namespace linpoint::refine;
using linpoint::tests::Dice;

/// A heap of nodes of one class, cells and registers of processes, in a layout as assembling makes it.
Program random_heap(Dice& dice) {
  Program p;
  p.symmetric = false;
  p.nodes = 1 + static_cast<std::uint32_t>(dice.pick(9));
  p.cells = static_cast<std::uint32_t>(dice.pick(4));
  p.processes = 1 + static_cast<std::uint32_t>(dice.pick(3));
  p.first_node = 3 + static_cast<std::uint32_t>(dice.pick(3));
  p.first_integer = p.zero = p.first_node + p.nodes;
  NodeClass nodes;
  nodes.capacity = p.nodes;
  nodes.stride = 1 + static_cast<std::uint32_t>(dice.pick(3));
  nodes.base = 1 + p.cells;
  nodes.used = nodes.base + p.nodes * nodes.stride;
  p.private_base = nodes.used + 1;
  p.process_base = p.private_base + (p.nodes + 7) / 8;
  p.classes.push_back(nodes);
  p.calls_slot = 1;
  p.registers_slot = 2;
  p.registers = static_cast<std::uint32_t>(dice.pick(4));
  p.process_slots = p.registers_slot + p.registers;
  p.slots = p.process_base + p.processes * p.process_slots;
  p.groups.push_back({0, p.processes});
  return p;
}

std::vector<Slot> random_state(const Program& p, Dice& dice) {
  std::vector<Slot> state(p.slots + kSlack);
  const NodeClass& c = p.classes[0];
  const auto used = static_cast<std::uint32_t>(dice.pick(p.nodes + 1));
  const auto value = [&]() -> Slot {
    if (used > 0 && dice.one_in(2)) return p.first_node + static_cast<Slot>(dice.pick(used));
    return static_cast<Slot>(dice.one_in(2) ? dice.pick(3) : p.zero + dice.pick(9));
  };
  state[0] = static_cast<Slot>(dice.pick(70000));
  for (std::uint32_t i = 0; i < p.cells; ++i) state[1 + i] = value();
  for (std::uint32_t i = 0; i < used * c.stride; ++i) state[c.base + i] = value();
  for (std::uint32_t node = 0; node < used; ++node)
    if (dice.one_in(3)) state[p.private_base + node / 8] |= Slot{1} << (node % 8);
  state[c.used] = used;
  for (unsigned i = 0; i < p.processes; ++i) {
    // Numbers that are no values, and may look like nodes.
    p.block(state.data(), i)[0] = static_cast<Slot>(dice.pick(12));
    p.block(state.data(), i)[1] = static_cast<Slot>(dice.pick(12));
    for (std::uint32_t r = 0; r < p.registers; ++r) p.block(state.data(), i)[p.registers_slot + r] = value();
  }
  return state;
}

void packed_heaps_are_numbered_as_others() {
  Dice dice(1);
  unsigned changed = 0;
  unsigned stayed = 0;
  for (unsigned k = 0; k < 3000; ++k) {
    const Program program = random_heap(dice);
    const PackedHeap packed(program);
    if (program.slots > 65) {
      EXPECT(!packed.applies());
      continue;
    }
    EXPECT(packed.applies());
    const Packing packing(program);
    Canonical canonical(program, nullptr);
    for (unsigned again = 0; again < 20; ++again) {
      std::vector<Slot> state = random_state(program, dice);
      std::vector<std::uint8_t> row(packing.bytes() + PackedHeap::kBeyond);
      std::vector<std::uint8_t> wanted(packing.bytes() + PackedHeap::kBeyond);
      EXPECT(packing.pack(state.data(), row.data()));
      const std::vector<std::uint8_t> before = row;
      canonical.apply(state.data(), 0);
      EXPECT(packing.pack(state.data(), wanted.data()));
      const bool renamed = packed.apply(row.data());
      EXPECT(same_rows(row.data(), wanted.data(), packing.bytes()));
      EXPECT(renamed || same_rows(row.data(), before.data(), packing.bytes()));
      ++(renamed ? changed : stayed);
      EXPECT(!packed.apply(row.data()));  // once is enough
    }
  }
  EXPECT(changed > 1000 && stayed > 1000);
}

void sets_of_configurations_are_sets() {
  Dice dice(2);
  DistinctConfigurations made;
  for (unsigned k = 0; k < 300; ++k) {
    const auto length = 1 + static_cast<std::uint32_t>(dice.pick(5));
    std::set<Configuration> wanted;
    std::vector<Configuration> given;
    made.clear(length);
    const std::size_t count = dice.pick(k % 10 == 0 ? 3000 : 30);
    for (std::size_t i = 0; i < count; ++i) {
      Configuration one(length);
      for (std::uint32_t& word : one) word = static_cast<std::uint32_t>(dice.pick(4));
      EXPECT(made.add(one.data()) == wanted.insert(one).second);
      given.push_back(one);
    }
    EXPECT(made.size() == wanted.size());
    for (const Configuration& one : given) EXPECT(made.has(one.data()));
    const Configuration other(length, 9);
    EXPECT(!made.has(other.data()));
    // The same set in another order has the same hash.
    const std::uint64_t hash = made.hash();
    dice.shuffle(given);
    made.clear(length);
    for (const Configuration& one : given) made.add(one.data());
    EXPECT(made.hash() == hash);
  }
}

}  // namespace

int main() {
  packed_heaps_are_numbered_as_others();
  sets_of_configurations_are_sets();
  return linpoint::tests::finish();
}
