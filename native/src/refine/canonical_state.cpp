// SPDX-License-Identifier: Apache-2.0
#include "refine/canonical_state.hpp"

#include <algorithm>
#include <cstring>

#include "refine/step_runner.hpp"

namespace linpoint::refine {

namespace {

/// In keys: any node that no cell leads to.
constexpr Slot kSome = 0xfffffffeU;

}  // namespace

Canonical::Canonical(const Program& program, SpecSets* sets)
    : p_(program),
      sets_(sets),
      memory_(program),
      heap_(program.nodes > 0 && program.canonical_heap),
      symmetric_(program.symmetric && program.processes > 1),
      simple_(program.heap == Heap::kCollected && program.classes.size() == 1 && !program.store_buffers &&
              program.link_slot == 0),
      next_(program.classes.size()),
      class_of_(program.nodes + 1),
      keys_(std::size_t{program.processes} * program.process_slots),
      made_(program.slots),
      best_(program.slots) {
  for (unsigned i = 0; i < program.processes; ++i) order_[i] = static_cast<std::uint8_t>(i);
  for (std::uint32_t node = 0; node < program.nodes; ++node) class_of_[node] = program.class_of(node);
}

void Canonical::apply(Slot* s, unsigned process) {
  if (!heap_ && !symmetric_) return;
  if (heap_) {
    find_shared(s);
    if (p_.heap != Heap::kCollected) memory_.retire(s, process);
  }
  ties_ = false;
  if (symmetric_) {
    sort(s);
    if (ties_) {
      try_orders(s);
      return;
    }
  }
  number_from(s, order_);
  bool stay = true;
  for (unsigned i = 0; i < p_.processes; ++i) stay = stay && order_[i] == i;
  if (stay && (!heap_ || is_in_place(s))) return;
  if (stay && simple_) {
    rename(s);
    return;
  }
  build(s, order_, made_.data());
  std::memcpy(s, made_.data(), p_.slots * sizeof(Slot));
}

void Canonical::settle(Slot* s, unsigned process) {
  if (!heap_) return;
  find_shared(s);
  memory_.retire(s, process);
  for (unsigned i = 0; i < p_.processes; ++i) order_[i] = static_cast<std::uint8_t>(i);
  number_from(s, order_);
  for (std::uint32_t node = 0; node < p_.nodes; ++node) {
    if (number_[node] != 0) continue;
    const NodeClass& c = p_.classes[class_of_[node]];
    std::memset(s + Program::fields_of(c, node), 0, c.stride * sizeof(Slot));
    memory_.clear_private(s, node);
    s[p_.owner_base + node] = 0;
  }
}

// Finding nodes.

/// Numbers the nodes that cells lead to, or all others. Counters are kept in registers.
template <bool kOneClass, Canonical::Part kPart>
void Canonical::find(const Slot* s, const Order& order) {
  std::uint8_t* const number = number_.data();
  std::uint8_t* const found = found_.data();
  const Slot mask = memory_.strip(~Slot{0});
  const Slot first = p_.first_node;
  const std::uint32_t nodes = p_.nodes;
  std::uint32_t count = found_count_;
  std::uint32_t worked = worked_;
  const auto visit_node = [&](std::uint32_t node) {
    if (node >= nodes || number[node] != 0) return;
    found[count++] = static_cast<std::uint8_t>(node);
    number[node] = static_cast<std::uint8_t>(kOneClass ? count : ++next_[class_of_[node]]);
  };
  const auto visit = [&](const Slot* from, std::uint32_t slots) {
    for (std::uint32_t i = 0; i < slots; ++i) visit_node((from[i] & mask) - first);
  };
  if constexpr (kPart == Part::kShared) {
    visit(s + 1, p_.cells);
  } else {
    const std::uint32_t registers = p_.registers;
    const Slot* const blocks = s + p_.process_base;
    for (unsigned i = 0; i < p_.processes; ++i) {
      const Slot* block = blocks + std::size_t{order[i]} * p_.process_slots;
      visit(block + p_.registers_slot, registers);
      for (Slot k = 0; k < memory_.waiting(s, order[i]); ++k) {
        const Slot* one = memory_.entry(s, order[i], k);
        visit_node(memory_.node_at(one[0]));
        visit(one + 1, memory_.width_at(one[0]));
      }
      if (p_.link_slot != 0 && block[p_.link_slot] != 0) visit_node(memory_.node_at(block[p_.link_slot] - 1));
    }
  }
  if constexpr (kOneClass) {
    const Slot* const fields = s + p_.classes[0].base;
    const std::uint32_t stride = p_.classes[0].stride;
    for (; worked < count; ++worked) visit(fields + std::size_t{found[worked]} * stride, stride);
    next_[0] = count;
  } else {
    for (; worked < count; ++worked) {
      const NodeClass& c = p_.classes[class_of_[found[worked]]];
      visit(s + Program::fields_of(c, found[worked]), c.stride);
    }
  }
  found_count_ = count;
  worked_ = worked;
}

void Canonical::find_shared(const Slot* s) {
  std::fill_n(number_.begin(), p_.nodes, std::uint8_t{0});
  std::fill(next_.begin(), next_.end(), 0);
  found_count_ = worked_ = 0;
  if (p_.classes.size() == 1)
    find<true, Part::kShared>(s, order_);
  else
    find<false, Part::kShared>(s, order_);
}

// Sorting processes.

int Canonical::compare(unsigned one, unsigned other) const {
  const Slot* a = keys_.data() + std::size_t{one} * p_.process_slots;
  const Slot* b = keys_.data() + std::size_t{other} * p_.process_slots;
  for (std::uint32_t i = 0; i < p_.process_slots; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

void Canonical::sort(const Slot* s) {
  std::memcpy(keys_.data(), s + p_.process_base, keys_.size() * sizeof(Slot));
  std::array<bool, kMostProcesses> loose{};
  if (heap_)
    for (unsigned q = 0; q < p_.processes; ++q) loose[q] = !map_block(keys_.data() + std::size_t{q} * p_.process_slots);
  for (unsigned i = 0; i < p_.processes; ++i) order_[i] = static_cast<std::uint8_t>(i);
  for (const Group& group : p_.groups)
    for (unsigned i = group.first + 1; i < group.first + group.count; ++i)
      for (unsigned k = i; k > group.first; --k) {
        const int way = compare(order_[k - 1], order_[k]);
        if (way <= 0) {
          // Idle processes are equivalent for the specification too, in any order.
          const Slot* key = keys_.data() + std::size_t{order_[k]} * p_.process_slots;
          ties_ = ties_ || (way == 0 && (key[0] != 0 || loose[order_[k]]));
          break;
        }
        std::swap(order_[k - 1], order_[k]);
      }
}

Slot Canonical::permuted(Slot set, const Order& order) {
  if (sets_ == nullptr) return set;
  Order now{};
  for (unsigned i = 0; i < p_.processes; ++i) now[i] = static_cast<std::uint8_t>(i);
  for (unsigned i = 0; i < p_.processes; ++i) {
    unsigned at = i;
    while (now[at] != order[i]) ++at;
    for (; at > i; --at) {
      std::swap(now[at - 1], now[at]);
      set = sets_->swapped(set, at - 1);
      if (set == kRefused) return set;  // there was no memory for it
    }
  }
  return set;
}

/// Tries all orders that sorting leaves open.
void Canonical::try_orders(Slot* s) {
  const auto numbers = number_;
  const std::vector<std::uint32_t> counts = next_;
  const std::uint32_t shared = found_count_;
  Order order = order_;
  Order chosen = order_;
  bool any = false;
  const auto attempt = [&] {
    number_ = numbers;
    next_ = counts;
    found_count_ = shared;
    worked_ = shared;
    number_from(s, order);
    build(s, order, made_.data());
    if (!any || std::lexicographical_compare(made_.begin(), made_.end(), best_.begin(), best_.end())) {
      best_.swap(made_);
      chosen = order;
    }
    any = true;
  };
  const auto permute = [&](auto&& self, unsigned at) -> void {
    if (at == p_.processes) {
      attempt();
      return;
    }
    for (unsigned k = at; k < p_.processes; ++k) {
      if (compare(order_[at], order_[k]) != 0 || !same_group(at, k)) break;
      std::swap(order[at % kMostProcesses], order[k % kMostProcesses]);
      self(self, at + 1);
      std::swap(order[at % kMostProcesses], order[k % kMostProcesses]);
    }
  };
  permute(permute, 0);
  order_ = chosen;
  std::memcpy(s, best_.data(), p_.slots * sizeof(Slot));
}

bool Canonical::same_group(unsigned one, unsigned other) const {
  return std::any_of(p_.groups.begin(), p_.groups.end(), [&](const Group& group) {
    return one - group.first < group.count && other - group.first < group.count;
  });
}

// Writing the normalised state.

void Canonical::number_from(const Slot* s, const Order& order) {
  if (!heap_) return;
  if (p_.classes.size() == 1)
    find<true, Part::kOthers>(s, order);
  else
    find<false, Part::kOthers>(s, order);
}

bool Canonical::is_in_place(const Slot* s) const {
  if (p_.heap != Heap::kCollected) return false;
  for (std::size_t c = 0; c < p_.classes.size(); ++c)
    if (next_[c] != s[p_.classes[c].used]) return false;
  for (std::uint32_t i = 0; i < found_count_; ++i) {
    const std::uint32_t node = found_[i];
    if (number_[node] != node - p_.classes[class_of_[node]].first + 1) return false;
  }
  return true;
}

/// Renumbers nodes in place: the processes keep their order.
void Canonical::rename(Slot* s) {
  const Slot first = p_.first_node;
  const std::uint32_t nodes = p_.nodes;
  std::array<Slot, kMostNodes + 1> shift;  // the change of each node's code; the last entry is for other values
  shift[nodes] = 0;
  for (std::uint32_t k = 0; k < found_count_; ++k) shift[found_[k]] = k - found_[k];
  const auto change = [&](Slot* from, const Slot* values, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) from[i] = values[i] + shift[std::min(values[i] - first, nodes)];
  };
  change(s + 1, s + 1, p_.cells);
  for (unsigned i = 0; i < p_.processes; ++i) {
    Slot* registers = p_.block(s, i) + p_.registers_slot;
    change(registers, registers, p_.registers);
  }
  const NodeClass& c = p_.classes[0];
  Slot* const fields = s + c.base;
  const std::size_t all = std::size_t{nodes} * c.stride;
  std::copy_n(fields, all, made_.data());
  std::array<Slot, kMostNodes / 8 + 1> hidden{};
  for (std::uint32_t k = 0; k < found_count_; ++k) {
    const std::uint32_t node = found_[k];
    change(fields + std::size_t{k} * c.stride, made_.data() + std::size_t{node} * c.stride, c.stride);
    hidden[k / 8] |= (s[p_.private_base + node / 8] >> (node % 8) & 1U) << (k % 8);
  }
  const std::size_t used = std::size_t{found_count_} * c.stride;
  std::fill_n(fields + used, all - used, Slot{0});
  std::copy_n(hidden.begin(), (nodes + 7) / 8, s + p_.private_base);
  s[c.used] = found_count_;
}

Slot Canonical::mapped(Slot value) const {
  const Slot plain = memory_.strip(value);
  if (!heap_ || !p_.is_node(plain)) return value;
  const std::uint32_t node = plain - p_.first_node;
  if (number_[node] == 0) return kSome;
  return value - plain + p_.first_node + p_.classes[class_of_[node]].first + number_[node] - 1;
}

Slot Canonical::mapped_address(Slot address) const {
  const std::uint32_t node = memory_.node_at(address);
  if (!heap_ || node >= p_.nodes) return address;
  if (number_[node] == 0) return kSome;
  const NodeClass& c = p_.classes[class_of_[node]];
  return address + (number_[node] - 1 - (node - c.first)) * c.stride;
}

/// Renumbers the nodes that a process's block leads to. False if one has no number yet: it then counts as any node.
bool Canonical::map_block(Slot* block) const {
  bool all = true;
  const auto map = [&](Slot& slot) {
    slot = mapped(slot);
    all = all && slot != kSome;
  };
  for (std::uint32_t i = 0; i < p_.registers; ++i) map(block[p_.registers_slot + i]);
  const Slot waiting = p_.store_buffers ? block[p_.buffer_slot] : 0;
  for (Slot i = 0; i < waiting; ++i) {
    Slot* one = block + p_.buffer_slot + 1 + std::size_t{i} * (1 + p_.buffer_width);
    const std::uint32_t width = memory_.width_at(one[0]);
    one[0] = mapped_address(one[0]);
    all = all && one[0] != kSome;
    for (std::uint32_t k = 0; k < width; ++k) map(one[1 + k]);
  }
  if (p_.link_slot != 0 && block[p_.link_slot] != 0) {
    const Slot address = mapped_address(block[p_.link_slot] - 1);
    all = all && address != kSome;
    block[p_.link_slot] = address == kSome ? kSome : address + 1;
  }
  return all;
}

void Canonical::build(const Slot* s, const Order& order, Slot* out) {
  std::memcpy(out, s, p_.slots * sizeof(Slot));
  out[0] = permuted(s[0], order);
  if (heap_) build_heap(s, order, out);
  for (unsigned i = 0; i < p_.processes; ++i) {
    Slot* block = p_.block(out, i);
    std::memcpy(block, p_.block(s, order[i]), p_.process_slots * sizeof(Slot));
    if (heap_) map_block(block);
  }
}

void Canonical::build_heap(const Slot* s, const Order& order, Slot* out) const {
  Order place{};
  for (unsigned i = 0; i < p_.processes; ++i) place[order[i]] = static_cast<std::uint8_t>(i);
  const bool reused = p_.heap != Heap::kCollected;
  for (std::uint32_t i = 1; i < 1 + p_.cells; ++i) out[i] = mapped(s[i]);
  for (const NodeClass& c : p_.classes) std::memset(out + c.base, 0, std::size_t{c.capacity} * c.stride * sizeof(Slot));
  std::memset(out + p_.private_base, 0, (p_.nodes + 7) / 8 * sizeof(Slot));
  if (reused) std::memset(out + p_.owner_base, 0, p_.nodes * sizeof(Slot));
  for (std::uint32_t k = 0; k < found_count_; ++k) {
    const std::uint32_t node = found_[k];
    const NodeClass& c = p_.classes[class_of_[node]];
    const std::uint32_t now = c.first + number_[node] - 1;
    for (std::uint32_t i = 0; i < c.stride; ++i)
      out[Program::fields_of(c, now) + i] = mapped(s[Program::fields_of(c, node) + i]);
    if (memory_.is_private(s, node)) memory_.set_private(out, now);
    if (!reused) continue;
    const Slot owner = s[p_.owner_base + node];
    out[p_.owner_base + now] = owner < 2 ? owner : 2U + place[owner - 2];
  }
  for (std::size_t c = 0; c < p_.classes.size(); ++c) out[p_.classes[c].used] = reused ? 0 : next_[c];
}

}  // namespace linpoint::refine
