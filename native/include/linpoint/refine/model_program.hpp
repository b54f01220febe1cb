// SPDX-License-Identifier: Apache-2.0
// A model, assembled for a number of processes: code, places and the layout of a state, all as integers.
//
// A state is a row of slots: cells, nodes, which nodes are private, then a block for each process. A slot holds the
// code of a value: None, False and True, texts, nodes, integers, in this order. So equal values have equal codes, and
// one comparison decides whether a slot holds a node. In storage each slot takes `slot_bytes`; a code that does not fit
// ends the search, which is then restarted with wider slots.
//
// Immutable while searches run, so that threads can share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linpoint::refine {

using Slot = std::uint32_t;

constexpr unsigned kMostRegisters = 64;
constexpr unsigned kMostProcesses = 8;
constexpr unsigned kMostNodes = 250;
/// Number of extra slots behind each state that is packed, so that packing can work in large pieces.
constexpr std::uint32_t kSlack = 16;

/// As in refine/ir.py.
enum class Code : std::uint8_t {
  kConstant = 0,
  kMove = 1,
  kAdd = 2,
  kSubtract = 3,
  kMultiply = 4,
  kDivide = 5,
  kModulo = 6,
  kEqual = 7,
  kDifferent = 8,
  kLess = 9,
  kAtMost = 10,
  kNot = 11,
  kIsNode = 12,
  kJump = 13,
  kJumpIf = 14,
  kJumpUnless = 15,
  kChoose = 16,
  kAssume = 17,
  kAssert = 18,
  kPoint = 19,
  kAllocate = 20,
  kReturn = 21,
  kLoad = 32,
  kStore = 33,
  kCas = 34,
  kSwap = 35,
  kFetchAdd = 36,
  kLoadLinked = 37,
  kStoreConditional = 38,
  kDcas = 39,
  kAcquire = 40,
  kRelease = 41,
  kFence = 42,
};

constexpr bool is_access(Code code) { return code >= Code::kLoad; }

struct Instruction {
  Code code = Code::kConstant;
  std::uint8_t a = 0;
  std::uint8_t b = 0;
  std::uint8_t c = 0;
  std::int32_t where = -1;
  std::int32_t other = -1;
  std::int32_t target = -1;
  Slot value = 0;
  std::uint32_t first_choice = 0;
  std::uint32_t choices = 0;
  /// The registers whose values are used by this instruction or a later one.
  std::uint64_t live = 0;
  /// The program counter of a process at this instruction; 0 if no process ever stops here.
  std::uint32_t stop = 0;
};

enum class PlaceKind : std::uint8_t { kCell = 0, kElement = 1, kField = 2 };

/// A location of the code.
struct Place {
  PlaceKind kind = PlaceKind::kCell;
  std::uint8_t reg = 0;
  /// Only its own process observes this access, so that it is not a step.
  bool local = false;
  std::uint32_t base = 0;
  std::uint32_t size = 1;
  std::uint32_t width = 1;
  std::uint32_t stride = 1;
  std::uint32_t node_class = 0;
};

/// Nodes of one class: `capacity` of them from slot `base` on; the first has the number `first` among all nodes.
struct NodeClass {
  std::uint32_t first = 0;
  std::uint32_t capacity = 0;
  std::uint32_t base = 0;
  std::uint32_t stride = 1;
  /// The slot that holds the number of nodes in use.
  std::uint32_t used = 0;
};

/// An operation with its arguments.
struct Invocation {
  std::uint32_t entry = 0;
  /// The group of processes that may call it.
  std::uint32_t group = 0;
  /// The slot of a process's block that must not be 0 and is decremented by each call; 0 for none.
  std::uint32_t needs = 0;
  std::vector<Slot> arguments;
};

/// Processes that may call the same operations: `count` of them, from `first` on.
struct Group {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The kinds of places that are read and written: one bit for each cell, array and field.
struct Footprint {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  [[nodiscard]] bool meets(const Footprint& other) const {
    return (writes & (other.reads | other.writes)) != 0 || (reads & other.writes) != 0;
  }
  void add(const Footprint& other) {
    reads |= other.reads;
    writes |= other.writes;
  }
};

enum class Heap : std::uint8_t { kCollected = 0, kFreed = 1, kCounted = 2 };

struct Program {
  std::vector<Instruction> code;
  std::vector<Place> places;
  std::vector<NodeClass> classes;
  std::vector<Slot> choices;
  std::vector<Invocation> invocations;
  std::vector<Group> groups;
  /// For each group: everything that its operations may touch.
  std::vector<Footprint> touched_by;
  /// For each stop: the access at that stop, and everything that its operation may touch from there on.
  std::vector<Footprint> touched_at;
  std::vector<Footprint> touched_from;
  /// The instruction of each program counter; the first entry stands for none.
  std::vector<std::uint32_t> stops;
  /// The contents of the initial state, before `setup` ran.
  std::vector<Slot> initial;
  /// For each instruction: the slot of a block that is incremented when an operation returns there; 0 for none.
  std::vector<std::uint32_t> gives;
  /// The number of values that a store to this slot writes.
  std::vector<std::uint8_t> widths;
  std::int32_t setup = -1;

  std::uint32_t processes = 1;
  /// Operations per process; 0 for any number.
  std::uint32_t operations = 0;

  // Values.
  std::uint32_t first_node = 3;
  std::uint32_t nodes = 0;
  std::uint32_t first_integer = 3;
  std::uint32_t zero = 3;
  std::uint32_t highest = 255;
  /// Bits of a code, where pointers are counted; the count is above them.
  std::uint32_t counted_bits = 0;
  std::uint32_t slot_bytes = 1;

  // Layout of a state; the first slot is for the number of the allowed configuration set.
  std::uint32_t slots = 0;
  std::uint32_t cells = 0;
  /// Eight nodes per slot.
  std::uint32_t private_base = 0;
  /// The process that may free a node: one slot per node; only where memory is reused.
  std::uint32_t owner_base = 0;
  std::uint32_t process_base = 0;
  std::uint32_t process_slots = 0;
  // Within the block of a process; the program counter is first.
  std::uint32_t calls_slot = 0;  // 0 where calls are not counted
  std::uint32_t link_slot = 0;
  std::uint32_t registers_slot = 0;
  std::uint32_t registers = 0;
  std::uint32_t buffer_slot = 0;  // count, then entries: address and values
  std::uint32_t buffer_entries = 0;
  std::uint32_t buffer_width = 0;

  Heap heap = Heap::kCollected;
  bool canonical_heap = true;
  bool fused = true;
  bool local_steps = true;
  bool symmetric = true;
  bool ample = true;
  bool store_buffers = false;
  bool points = false;
  /// Keep only hashes of expanded states.
  bool compact = false;

  [[nodiscard]] bool is_node(Slot value) const { return value - first_node < nodes; }
  [[nodiscard]] const Slot* block(const Slot* state, unsigned process) const {
    return state + process_base + std::size_t{process} * process_slots;
  }
  [[nodiscard]] Slot* block(Slot* state, unsigned process) const {
    return state + process_base + std::size_t{process} * process_slots;
  }
  /// The slot of a node's first field.
  static std::size_t fields_of(const NodeClass& c, std::uint32_t node) {
    return c.base + std::size_t{node - c.first} * c.stride;
  }
  [[nodiscard]] unsigned class_of(std::uint32_t node) const {
    unsigned found = 0;
    while (found + 1 < classes.size() && classes[found + 1].first <= node) ++found;
    return found;
  }
};

constexpr Slot kNone = 0;
constexpr Slot kFalse = 1;
constexpr Slot kTrue = 2;

}  // namespace linpoint::refine
