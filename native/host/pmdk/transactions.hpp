// SPDX-License-Identifier: Apache-2.0
// Transactions of libpmemobj, one for each thread.
//
// Guarantee: until a transaction has committed, a crash (or an abort) restores the added ranges to their values at the
// time they were added, and frees allocated objects. A commit flushes and fences the added ranges and the allocated
// objects, nothing else.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>

#include "host/pmdk/object_heap.hpp"

namespace linpoint::runtime::pmdk {

enum class Stage : int { kNone, kWork, kOnCommit, kOnAbort, kFinally };

/// An effect of a publication or a commit.
struct Action {
  enum class Kind : std::uint32_t { kAllocate, kSet, kFree };
  Kind kind = Kind::kAllocate;
  std::uint64_t offset = 0;  ///< of the object
  std::uint64_t type = 0;
  std::uint64_t* word = nullptr;  ///< or a word that is set
  std::uint64_t value = 0;
};
void act_in(AtomicSection& section, pmemobjpool* pop, const Action& action, const void* caller);

using Callback = void (*)(pmemobjpool* pop, int stage, void* argument);

struct Transaction {
  /// A range that was added; sorted by address, without overlaps.
  struct Range {
    std::uint64_t begin = 0;  ///< an offset
    std::uint64_t end = 0;
    bool flushed = true;
  };
  struct Level {
    std::jmp_buf back;
    bool jumps = false;
    bool returns = false;  ///< functions that fail return an error instead of aborting
  };
  struct Lock {
    int kind = 0;
    void* lock = nullptr;
  };

  pmemobjpool* pop = nullptr;
  Stage stage = Stage::kNone;
  int error = 0;
  HostVector<Level> levels;
  HostVector<Range> ranges;
  HostVector<Action> actions;
  HostVector<Lock> locks;
  Callback callback = nullptr;
  void* callback_argument = nullptr;
  void* user_data = nullptr;

  void clear();
  /// Adds the parts not yet covered, and protects them if they must be restored.
  void add(std::uint64_t begin, std::uint64_t end, bool snapshot, bool flushed, const void* caller);
  void commit(const void* caller);
  /// All ranges, whatever the level.
  void roll_back(const void* caller);
};

/// The transaction of the running thread.
[[nodiscard]] Transaction& transaction();
/// The same, which must be in its working stage: otherwise the real library aborts.
[[nodiscard]] Transaction& working(const char* function, const void* caller);
/// The flags of a call, combined with the configured behaviour on failure.
[[nodiscard]] std::uint64_t flags_of(const Transaction& transaction, std::uint64_t flags);
/// Rolls back the transaction if it is the outermost, and continues where it began, unless the flags say otherwise.
int failed(int number, std::string_view message, std::uint64_t flags, const void* caller);
void abort_transaction(int number, const void* caller);

/// Discards transactions of this pool, which was opened anew; nullptr: all of them, since a new run begins.
void forget_transactions(pmemobjpool* pop);

/// PMEMmutex and PMEMrwlock (TX_PARAM_MUTEX, TX_PARAM_RWLOCK): an error, or 0.
inline constexpr int kMutex = 1;
inline constexpr int kReadWriteLock = 2;
int take(pmemobjpool* pop, int kind, void* lock);
void give_back(pmemobjpool* pop, int kind, void* lock);
inline constexpr std::size_t kLockSize = 64;

}  // namespace linpoint::runtime::pmdk
