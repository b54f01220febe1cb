// SPDX-License-Identifier: Apache-2.0
#include "host/pmdk/transactions.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>

#include "host/core/program_caller.hpp"

namespace linpoint::runtime::pmdk {

namespace {

/// Not thread_local: fibers are numbered.
std::array<Transaction, kMostThreads> transactions;

void call_back(Transaction& of) {
  if (of.callback != nullptr) of.callback(of.pop, static_cast<int>(of.stage), of.callback_argument);
}

/// 0, or the error; a lock that is already held is not taken again.
int lock_in(Transaction& of, int kind, void* lock) {
  if (std::ranges::find(of.locks, lock, &Transaction::Lock::lock) != of.locks.end()) return 0;
  if (const int number = take(of.pop, kind, lock); number != 0) {
    error(number, "the lock cannot be taken");
    return number;
  }
  of.locks.push_back({kind, lock});
  return 0;
}

}  // namespace

void Transaction::clear() {
  pop = nullptr;
  stage = Stage::kNone;
  error = 0;
  levels.clear();
  ranges.clear();
  actions.clear();
  locks.clear();
  callback = nullptr;
  callback_argument = nullptr;
  user_data = nullptr;
}

void Transaction::add(std::uint64_t begin, std::uint64_t end, bool snapshot, bool flushed, const void* caller) {
  std::uint64_t& lane = lane_of(pop).transaction;
  const auto fresh = [&](std::uint64_t from, std::uint64_t to) {
    if (snapshot) protect(lane, at_offset(pop, from), to - from, caller);
    const auto place = std::ranges::lower_bound(ranges, from, {}, &Range::begin);
    ranges.insert(place, {from, to, flushed});
  };
  std::uint64_t from = begin;
  while (from < end) {
    // The first range that ends after it.
    auto next = std::ranges::upper_bound(ranges, from, {}, &Range::end);
    if (next != ranges.end() && next->begin <= from) {
      next->flushed |= flushed;
      from = next->end;
      continue;
    }
    const std::uint64_t to = next == ranges.end() ? end : std::min(end, next->begin);
    fresh(from, to);
    from = to;
  }
}

void Transaction::commit(const void* caller) {
  for (const Range& range : ranges)
    if (range.flushed) flush(at_offset(pop, range.begin), range.end - range.begin, kOwn);
  AtomicSection section(lane_of(pop).transaction, caller);
  for (const Action& action : actions) act_in(section, pop, action, caller);
}

void Transaction::roll_back(const void* caller) {
  // Locks that it holds are released later.
  HostVector<Spared> held;
  for (const Lock& each : locks) held.push_back({each.lock, kLockSize});
  undo(lane_of(pop).transaction, caller, held);
  for (const Action& action : actions)
    if (action.kind == Action::Kind::kAllocate) cancel(pop, action.offset, caller);
  ranges.clear();
  actions.clear();
}

void act_in(AtomicSection& section, pmemobjpool* pop, const Action& action, const void* caller) {
  switch (action.kind) {
    case Action::Kind::kAllocate:
      allocate_in(section, pop, action.offset, action.type);
      return;
    case Action::Kind::kFree:
      free_in(section, pop, action.offset, caller);
      return;
    case Action::Kind::kSet:
      section.set(*action.word, action.value);
      return;
  }
}

Transaction& transaction() { return transactions[current_thread() % kMostThreads]; }

Transaction& working(const char* function, const void* caller) {
  called(function, caller);
  Transaction& of = transaction();
  if (of.stage != Stage::kWork) fatal(function, "is called outside of the work of a transaction", caller);
  return of;
}

std::uint64_t flags_of(const Transaction& of, std::uint64_t flags) {
  return of.levels.back().returns ? flags | kNoAbort : flags;
}

void abort_transaction(int number, const void* caller) {
  Transaction& of = transaction();
  of.stage = Stage::kOnAbort;
  if (of.levels.size() == 1) of.roll_back(caller);
  of.error = number == 0 ? ECANCELED : number;
  call_back(of);
  // As in the library: programs have specified the target.
  if (of.levels.back().jumps)
    std::longjmp(of.levels.back().back, of.error);  // NOLINT(cert-err52-cpp,modernize-avoid-setjmp-longjmp)
}

int failed(int number, std::string_view message, std::uint64_t flags, const void* caller) {
  error(number, message);
  if ((flags & kNoAbort) == 0) abort_transaction(number, caller);
  errno = number;
  return number;
}

void forget_transactions(pmemobjpool* pop) {
  for (Transaction& each : transactions)
    if (pop == nullptr || each.pop == pop) each.clear();
}

}  // namespace linpoint::runtime::pmdk

namespace pmdk = linpoint::runtime::pmdk;
using pmdk::Stage;
using pmdk::Transaction;

namespace {

/// TX_PARAM_CB.
constexpr int kCallbackParameter = 3;

void commit(Transaction& of, const void* caller) {
  pmdk::call_back(of);
  if (of.levels.size() == 1) {
    of.commit(caller);
    of.ranges.clear();
    of.actions.clear();
  }
  of.stage = Stage::kOnCommit;
  pmdk::call_back(of);
}

int end(Transaction& of, const void* caller) {
  if (of.callback != nullptr && (of.stage == Stage::kOnCommit || of.stage == Stage::kOnAbort)) {
    of.stage = Stage::kFinally;
    pmdk::call_back(of);
  }
  of.levels.pop_back();
  const int result = of.error;
  if (of.levels.empty()) {
    for (auto each = of.locks.rbegin(); each != of.locks.rend(); ++each)
      pmdk::give_back(of.pop, each->kind, each->lock);
    const pmdk::Callback callback = of.callback;
    void* argument = of.callback_argument;
    of.clear();
    if (callback != nullptr) callback(nullptr, static_cast<int>(Stage::kNone), argument);
    return result;
  }
  of.stage = Stage::kWork;
  // The outer transaction fails with the inner one.
  if (result != 0) pmdk::abort_transaction(result, caller);
  return result;
}

}  // namespace

extern "C" {

int pmemobj_tx_stage() { return static_cast<int>(pmdk::transaction().stage); }
int pmemobj_tx_errno() { return pmdk::transaction().error; }

int pmemobj_tx_begin(pmemobjpool* pop, __jmp_buf_tag* back, ...) {
  using namespace pmdk;
  const void* caller = LINPOINT_CALLER;
  called(__func__, caller);
  check_open(pop, __func__, caller);
  Transaction& of = transaction();
  if (of.stage != Stage::kWork && of.stage != Stage::kNone)
    fatal(__func__, "is called after the work of a transaction", caller);
  if (of.stage == Stage::kWork && of.pop != pop)
    return failed(EINVAL, "nested transaction for different pool", 0, caller);
  const bool returns = of.stage == Stage::kWork && of.levels.back().returns;
  if (of.stage == Stage::kNone) of.clear();
  of.pop = pop;
  of.error = 0;
  Transaction::Level& level = of.levels.emplace_back();
  level.returns = returns;
  level.jumps = back != nullptr;
  if (back != nullptr) std::memcpy(&level.back, back, sizeof level.back);
  of.stage = Stage::kWork;
  int number = 0;
  std::va_list parameters;
  va_start(parameters, back);
  for (int kind = va_arg(parameters, int); kind != 0 && number == 0; kind = va_arg(parameters, int)) {
    if (kind == kCallbackParameter) {
      auto* const callback = va_arg(parameters, Callback);
      void* const argument = va_arg(parameters, void*);
      if (of.callback != nullptr && (of.callback != callback || of.callback_argument != argument))
        fatal(__func__, "receives a different callback than the outer transaction", caller);
      of.callback = callback;
      of.callback_argument = argument;
    } else if (kind == kMutex || kind == kReadWriteLock) {
      number = lock_in(of, kind, va_arg(parameters, void*));
      if (number != 0) break;
    } else {
      fatal(__func__, "receives a parameter of an unknown kind", caller);
    }
  }
  va_end(parameters);
  if (number != 0) abort_transaction(number, caller);
  return number;
}

int pmemobj_tx_xlock(int kind, void* lock, std::uint64_t flags) {
  Transaction& of = pmdk::working(__func__, LINPOINT_CALLER);
  flags = pmdk::flags_of(of, flags);
  if ((flags & ~pmdk::kNoAbort) != 0) return pmdk::failed(EINVAL, "unknown flags", flags, LINPOINT_CALLER);
  const int number = pmdk::lock_in(of, kind, lock);
  return number == 0 ? 0 : pmdk::failed(number, "the lock cannot be taken", flags, LINPOINT_CALLER);
}
int pmemobj_tx_lock(int kind, void* lock) {
  return pmdk::lock_in(pmdk::working(__func__, LINPOINT_CALLER), kind, lock);
}

void pmemobj_tx_abort(int number) {
  (void)pmdk::working(__func__, LINPOINT_CALLER);
  pmdk::abort_transaction(number, LINPOINT_CALLER);
}
void pmemobj_tx_commit() { commit(pmdk::working(__func__, LINPOINT_CALLER), LINPOINT_CALLER); }

int pmemobj_tx_end() {
  pmdk::called(__func__, LINPOINT_CALLER);
  Transaction& of = pmdk::transaction();
  if (of.stage == Stage::kWork) pmdk::fatal(__func__, "is called without pmemobj_tx_commit()", LINPOINT_CALLER);
  if (of.pop == nullptr) pmdk::fatal(__func__, "is called without pmemobj_tx_begin()", LINPOINT_CALLER);
  return end(of, LINPOINT_CALLER);
}

void pmemobj_tx_process() {
  pmdk::called(__func__, LINPOINT_CALLER);
  Transaction& of = pmdk::transaction();
  if (of.pop == nullptr) pmdk::fatal(__func__, "is called outside of a transaction", LINPOINT_CALLER);
  switch (of.stage) {
    case Stage::kNone:
      return;
    case Stage::kWork:
      commit(of, LINPOINT_CALLER);
      return;
    case Stage::kOnCommit:
    case Stage::kOnAbort:
      of.stage = Stage::kFinally;
      pmdk::call_back(of);
      return;
    case Stage::kFinally:
      of.stage = Stage::kNone;
      return;
  }
}

void pmemobj_tx_set_user_data(void* data) { pmdk::working(__func__, LINPOINT_CALLER).user_data = data; }
void* pmemobj_tx_get_user_data() { return pmdk::working(__func__, LINPOINT_CALLER).user_data; }
void pmemobj_tx_set_failure_behavior(int behavior) {
  pmdk::working(__func__, LINPOINT_CALLER).levels.back().returns = behavior != 0;
}
int pmemobj_tx_get_failure_behavior() { return pmdk::working(__func__, LINPOINT_CALLER).levels.back().returns ? 1 : 0; }
}
