// SPDX-License-Identifier: Apache-2.0
// An array of registers with transactions, made atomic by an undo log.
//
// zoo: spec=multi-register kind=BUG_LOG:DL1 BUG_ORDER:DL2,DL1 BUG_INVALIDATE:C2,DL1 BUG_TWICE:recovery
// scenario: BUG_LOG txn([["write", 0, 1], ["write", 8, 1]])
// scenario: BUG_ORDER txn([["write", 0, 1], ["write", 8, 1]])
// scenario: BUG_INVALIDATE txn([["write", 0, 1]])
// two crashes: BUG_TWICE txn([["write", 0, 1], ["write", 8, 1]]), and a second crash in recovery
//
// Before a register is changed its old value is in the log, durably. The log counts as long as its length is not zero;
// a transaction is done when it is zero again, durably. Recovery puts the old values back, newest first. A crash may
// hit recovery as well, so doing it again, from the start, must lead to the same.
// clflush is ordered with stores and other flushes: no fence is needed here.
#include <immintrin.h>

#include <cstdint>
#include <linpoint/crash.hpp>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

constexpr int kRegisters = 64;
constexpr std::size_t kEntries = 31;

struct Entry {
  std::uint64_t index;
  std::uint64_t old;
};
struct Memory {
  alignas(64) std::uint64_t registers[kRegisters];  // 0: nothing was written yet
  alignas(64) std::uint64_t length;
  alignas(64) Entry entry[kEntries];
};

void flush(const void* line) { _mm_clflush(line); }

class UndoArray {
 public:
  using Step =
      std::tuple<std::string, int, std::optional<int>>;  // ["read", register, null], ["write", register, value]

  explicit UndoArray(linpoint::Pool& pool) : memory_(static_cast<Memory*>(pool.root())) {}

  static UndoArray* create(linpoint::Pool& pool) {
    pool.set_root(pool.allocate(sizeof(Memory)));
    return new UndoArray(pool);
  }

  static UndoArray* recover(linpoint::Pool& pool) {
    auto* array = new UndoArray(pool);
    Memory* memory = array->memory_;
    for (std::uint64_t left = memory->length; left > 0; --left) {
      Entry& entry = memory->entry[left - 1];
      const std::uint64_t old = entry.old;
#ifdef BUG_TWICE
      entry.old = memory->registers[entry.index];  // blame: BUG_TWICE recovery
      flush(&entry.old);
#endif
      memory->registers[entry.index] = old;
      flush(&memory->registers[entry.index]);
    }
    memory->length = 0;
    flush(&memory->length);
    return array;
  }

  std::vector<Step> txn(std::vector<Step> steps) {
    if (steps.size() > kEntries) throw std::length_error("too many steps");
    for (const auto& [what, index, value] : steps)
      if (index < 0 || index >= kRegisters) throw std::out_of_range("no such register");
    const std::lock_guard guard(lock_);
    for (auto& [what, index, value] : steps) {
      std::uint64_t* word = &memory_->registers[static_cast<std::size_t>(index)];
      if (what == "read") {
        value = *word == 0 ? std::nullopt : std::optional(static_cast<int>(static_cast<std::uint32_t>(*word)));
        continue;
      }
      const std::uint64_t made = static_cast<std::uint32_t>(value.value()) | std::uint64_t{1} << 32;
#ifdef BUG_ORDER
      const std::uint64_t old = *word;
      *word = made;  // blame: BUG_ORDER DL2
      log(word, old);
#else
      log(word, *word);
      *word = made;
#endif
      flush(word);
    }
    memory_->length = 0;  // blame: BUG_INVALIDATE C2
#ifndef BUG_INVALIDATE
    flush(&memory_->length);
#endif
    return steps;
  }

 private:
  void log(const std::uint64_t* word, std::uint64_t old) {
    Entry& entry = memory_->entry[memory_->length];
    entry.index = static_cast<std::uint64_t>(word - memory_->registers);  // blame: BUG_LOG DL1
    entry.old = old;                                                      // blame: BUG_LOG DL1
#ifndef BUG_LOG
    flush(&entry);
#endif
    memory_->length += 1;  // completes: BUG_ORDER
    flush(&memory_->length);
  }

  Memory* memory_;
  std::mutex lock_;
};

}  // namespace

LINPOINT_CRASH_TEST(UndoArray, txn)
LINPOINT_VALUES(UndoArray, "txn",
                R"([[["write", 0, 1], ["write", 8, 1]], [["write", 8, 2], ["write", 16, 2], ["write", 0, 2]],
                    [["read", 0, null], ["write", 16, 3]], [["write", 0, 4], ["write", 0, 5]],
                    [["read", 0, null], ["read", 8, null], ["read", 16, null]]])")
