// SPDX-License-Identifier: Apache-2.0
// Transactions of libpmemobj, one for each thread.
//
// Guarantee: until it has committed, a crash (or an abort) brings back the ranges that were added, as they were when
// they were added, and frees what was allocated. A commit flushes and fences the ranges that were added and the objects
// that were allocated, nothing else.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>

#include "host/pmdk/object_heap.hpp"

namespace linpoint::runtime::pmdk {

enum class Stage : int { kNone, kWork, kOnCommit, kOnAbort, kFinally };

/// Something that becomes true with a publication or a commit.
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
  /// What was added, in the order of addresses, without overlaps.
  struct Range {
    std::uint64_t begin = 0;  ///< an offset
    std::uint64_t end = 0;
    bool flushed = true;
  };
  struct Level {
    std::jmp_buf back;
    bool jumps = false;
    bool returns = false;  ///< instead of an abort, functions that fail say so
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
  /// Adds what is not covered yet, and protects that if it is to be brought back.
  void add(std::uint64_t begin, std::uint64_t end, bool snapshot, bool flushed, const void* caller);
  void commit(const void* caller);
  /// All of it, whatever the level.
  void roll_back(const void* caller);
};

/// Of the running thread.
[[nodiscard]] Transaction& transaction();
/// The same, in its working stage: else the real library aborts.
[[nodiscard]] Transaction& working(const char* function, const void* caller);
/// The flags of a call, with what was said to happen when something fails.
[[nodiscard]] std::uint64_t flags_of(const Transaction& transaction, std::uint64_t flags);
/// The transaction is rolled back if it is the outermost, and goes on where it began, unless the flags say otherwise.
int failed(int number, std::string_view message, std::uint64_t flags, const void* caller);
void abort_transaction(int number, const void* caller);

/// Of this pool: it has been opened anew. nullptr: of all, since a new run begins.
void forget_transactions(pmemobjpool* pop);

/// PMEMmutex and PMEMrwlock (TX_PARAM_MUTEX, TX_PARAM_RWLOCK): an error, or 0.
inline constexpr int kMutex = 1;
inline constexpr int kReadWriteLock = 2;
int take(pmemobjpool* pop, int kind, void* lock);
void give_back(pmemobjpool* pop, int kind, void* lock);
inline constexpr std::size_t kLockSize = 64;

}  // namespace linpoint::runtime::pmdk
