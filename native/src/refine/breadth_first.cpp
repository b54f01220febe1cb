// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include "refine/level_expansion.hpp"

namespace linpoint::refine {

namespace {

constexpr std::uint64_t kBatch = 64;
/// Levels with fewer states are expanded by one thread.
constexpr std::uint64_t kSmall = 2048;

}  // namespace

// A worker.

Worker::Worker(Search::Engine& engine, unsigned thread)
    : Asking(engine.sets_),
      engine_(engine),
      engine_finished_(engine.finished_.data()),
      program_(engine.program_),
      thread_(thread),
      canonical_(engine.program_, engine.sets_),
      runner_(engine.program_, *this),
      state_(engine.program_.slots + kSlack),
      packed_heap_(engine.program_),
      row_stride_((std::size_t{engine.packing_.bytes()} + 15) / 16 * 16),
      rows_(kQueue * row_stride_ + PackedHeap::kBeyond),
      recent_(engine.packing_.bytes()) {}

void Worker::begin(const Slot* initial) {
  std::copy(initial, initial + program_.slots, state_.begin());
  if (program_.setup >= 0)
    runner_.run_alone(initial, static_cast<unsigned>(program_.setup));
  else
    reached(state_.data(), 0);
  flush();
  transitions_ = 0;
}

void Worker::work() {
  const auto threads = static_cast<unsigned>(engine_.cursors_.size());
  for (unsigned k = 0; k < threads; ++k) {
    const unsigned owner = (thread_ + k) % threads;
    std::atomic<std::uint64_t>& cursor = engine_.cursors_[owner].next;
    const std::uint64_t end = engine_.ends_[owner];
    for (;;) {
      if (engine_.pause_.load(std::memory_order_relaxed) || engine_.stop_.poll()) break;
      const std::uint64_t from = cursor.fetch_add(kBatch);
      if (from >= end) break;
      const std::uint64_t to = std::min(end, from + kBatch);
      for (std::uint64_t i = from; i < to; ++i) expand((StateStore::Number{owner} << StateStore::kThreadShift) | i);
    }
  }
  flush();
  engine_.progress.states.store(engine_.store_.size(), std::memory_order_relaxed);
  engine_.transitions_.fetch_add(transitions_);
  transitions_ = 0;
}

void Worker::expand(StateStore::Number number) {
  current_ = number;
  engine_.packing_.unpack(engine_.store_.row(number), state_.data());
  successors_ = 0;
  failed_ = false;
  stuck_ = 0;
  if (program_.ample && expand_ample()) return;
  for (unsigned process = 0; process < program_.processes; ++process) step(process);
  look_for_deadlock();
}

/// All successors by one process, and whether it is stuck: it cannot continue, or could make a call that cannot begin.
void Worker::step(unsigned process) {
  const std::uint64_t before = successors_;
  runner_.step(state_.data(), process);
  const bool waits = runner_.was_blocked() && successors_ == before;
  blocked_call_[process] = runner_.blocked_call();
  const bool is_over = program_.block(state_.data(), process)[0] == 0 && successors_ == before && !runner_.was_pruned();
  // A process with buffered stores is not stuck, whatever call must wait for them: memory will eventually take them.
  const bool stores = program_.store_buffers && program_.block(state_.data(), process)[program_.buffer_slot] != 0;
  if (!stores && (waits || blocked_call_[process] >= 0 || is_over)) ++stuck_;
}

// Ample sets: a process whose next access can never conflict with another process runs first, and alone. A loop must
// not begin again in such a step: every cycle of states contains a process that repeats a loop or calls an operation,
// so that every cycle contains a fully expanded state. (A depth-first search, as in the paper, would check its stack
// instead.)
bool Worker::expand_ample() {
  for (unsigned process = 0; process < program_.processes; ++process) {
    if (!is_ample(process)) continue;
    step(process);
    if (successors_ != 0 && !runner_.went_back()) return true;
    // All other processes must be expanded too; the steps of this one are already in the queue.
    for (unsigned other = 0; other < program_.processes; ++other)
      if (other != process) step(other);
    look_for_deadlock();
    return true;
  }
  return false;
}

bool Worker::is_ample(unsigned process) const {
  const Slot stop = program_.block(state_.data(), process)[0];
  if (stop == 0) return false;
  const Instruction& at = program_.code[program_.stops[stop]];
  if (program_.store_buffers) {
    if (program_.block(state_.data(), process)[program_.buffer_slot] != 0) return false;
    if (at.code == Code::kStore) return true;  // it only enters the process's own buffer
  }
  if (at.code == Code::kReturn) return true;  // an early return allows fewer orders, and touches nothing
  for (unsigned g = 0; g < program_.groups.size(); ++g) {
    const Group& group = program_.groups[g];
    for (unsigned other = group.first; other < group.first + group.count; ++other)
      if (other != process && may_meet(program_.touched_at[stop], other, g)) return false;
  }
  return true;
}

/// Whether a process may ever touch a place of an access.
bool Worker::may_meet(const Footprint& access, unsigned process, unsigned group) const {
  const Slot* block = program_.block(state_.data(), process);
  if (program_.store_buffers && block[program_.buffer_slot] != 0) return true;
  if (block[0] != 0 && access.meets(program_.touched_from[block[0]])) return true;
  const bool calls = program_.calls_slot == 0 || block[program_.calls_slot] < program_.operations;
  return calls && access.meets(program_.touched_by[group]);
}

/// No process can continue: a deadlock, unless the specification allows none of the waiting operations to take effect.
/// With fusion, a call that would have to wait immediately is not made; its process may wait in it all the same.
void Worker::look_for_deadlock() {
  if (!engine_.deadlocks_ || failed_ || stuck_ < program_.processes) return;
  for (unsigned process = 0; process < program_.processes; ++process) {
    const Slot stop = program_.block(state_.data(), process)[0];
    Slot set = state_[0];
    if (stop == 0) {
      if (blocked_call_[process] < 0) continue;
      if (sets_ != nullptr) set = sets_->called(set, process, static_cast<unsigned>(blocked_call_[process]));
    }
    if (sets_ != nullptr && (set == kRefused || !sets_->may_be_done(set, process))) continue;
    Violation found;
    found.wrong = Wrong::kDeadlock;
    found.process = process;
    found.instruction = program_.stops[stop];
    found.state = current_;
    engine_.note(found);
    return;
  }
}

void Worker::refused(unsigned process, unsigned instruction) {
  failed_ = true;
  if (engine_.stop_.stopped()) return;  // there was no memory to compute what is allowed
  Violation found;
  found.process = process;
  found.instruction = instruction;
  found.state = current_;
  engine_.note(found);
}

void Worker::faulted(Fault fault, unsigned process, unsigned instruction) {
  failed_ = true;
  if (is_for_room(fault)) {
    engine_.need(fault, instruction);
    return;
  }
  Violation found;
  found.wrong = Wrong::kFault;
  found.fault = static_cast<std::uint8_t>(fault);
  found.process = process;
  found.instruction = instruction;
  found.state = current_;
  engine_.note(found);
}

void Worker::reached(Slot* state, unsigned process) {
  ++successors_;
  ++transitions_;
  if (!packed_heap_.applies()) canonical_.apply(state, process);
  std::uint8_t* row = rows_.data() + std::size_t{queued_} * row_stride_;
  if (!engine_.packing_.pack(state, row)) {
    engine_.need(Fault::kRoomForValues, 0);
    return;
  }
  if (++queued_ == kQueue) flush();
}

/// Inserts the queued rows. To hide memory latency, it prefetches first their slots in the table, then the rows there.
void Worker::flush() {
  const unsigned count = queued_;
  queued_ = 0;
  // One state may have more successors than the table has room for, so the check is made here.
  if (since_look_ > StateStore::kLook - kQueue && !look()) return;
  const std::uint32_t bytes = engine_.packing_.bytes();
  StateStore& store = engine_.store_;
  for (unsigned i = 0; i < count; ++i) {
    hashes_[i] = hash_row(rows_.data() + i * row_stride_, bytes);
    recent_.prefetch(hashes_[i]);
  }
  unsigned kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    std::uint8_t* const row = rows_.data() + i * row_stride_;
    std::uint64_t hash = hashes_[i];
    if (recent_.had(row, hash)) continue;
    if (packed_heap_.applies() && packed_heap_.apply(row)) {
      hash = hash_row(row, bytes);
      if (recent_.had(row, hash)) continue;
    }
    store.prefetch(hash);
    hashes_[kept] = hash;
    kept_[kept] = row;
    if (kept >= kApart) store.prefetch_row(hashes_[kept - kApart]);
    if (kept >= 2 * kApart) store.insert(thread_, kept_[kept - 2 * kApart], hashes_[kept - 2 * kApart]);
    ++kept;
  }
  for (unsigned i = kept - std::min(kept, kApart); i < kept; ++i) store.prefetch_row(hashes_[i]);
  for (unsigned i = kept - std::min(kept, 2 * kApart); i < kept; ++i) store.insert(thread_, kept_[i], hashes_[i]);
  since_look_ += kept;
}

/// Whether there is room for more rows; if necessary, all threads wait and enlarge the table.
bool Worker::look() {
  engine_.progress.states.store(engine_.store_.size(), std::memory_order_relaxed);
  while (engine_.store_.is_tight()) {
    if (engine_.stop_.stopped()) return false;
    engine_.growth_.help();
  }
  since_look_ = 0;
  return true;
}

// Levels.

Search::Engine::Engine(const Program& program, SpecSets* sets, unsigned threads, search::StopToken& stop)
    : program_(program),
      sets_(sets),
      stop_(stop),
      packing_(program),
      store_(packing_.bytes(), threads, program.compact, stop),
      growth_(store_),
      cursors_(threads),
      ends_(threads),
      finished_(program.code.size()) {}

Search::Engine::~Engine() = default;

void Search::Engine::note(const Violation& violation) {
  const std::scoped_lock guard(lock_);
  violations_.push_back(violation);
}

void Search::Engine::need(Fault fault, std::uint32_t instruction) {
  const std::scoped_lock guard(lock_);
  if (room_.load() == 0) room_at_ = instruction;
  std::uint8_t none = 0;
  room_.compare_exchange_strong(none, static_cast<std::uint8_t>(fault));
  pause_.store(true);
}

bool Search::Engine::begin() {
  std::vector<Slot> first = program_.initial;
  first[0] = sets_ == nullptr ? 0 : sets_->initial();
  if (stop_.stopped()) return false;
  growth_.begin(1);
  workers_.push_back(std::make_unique<Worker>(*this, 0));
  workers_[0]->begin(first.data());
  return true;
}

void Search::Engine::expand_level() {
  std::uint64_t size = 0;
  for (unsigned t = 0; t < store_.threads(); ++t) {
    cursors_[t].next.store(levels_.back()[t]);
    ends_[t] = store_.count(t);
    size += ends_[t] - levels_.back()[t];
  }
  const unsigned threads = size < kSmall ? 1 : store_.threads();
  growth_.begin(threads);
  while (workers_.size() < threads)
    workers_.push_back(std::make_unique<Worker>(*this, static_cast<unsigned>(workers_.size())));
  const auto work = [this](unsigned thread) {
    workers_[thread]->work();
    growth_.leave();
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread& each : others) each.join();
}

Reached Search::Engine::run(std::uint32_t most_depth, bool deadlocks) {
  deadlocks_ = deadlocks;
  Reached reached;
  if (begin()) {
    levels_.emplace_back(store_.threads(), 0);
    search_levels(most_depth, reached);
  }
  if (stop_.stopped() && violations_.empty()) reached.ending = Ending::kStopped;
  if (!violations_.empty()) reached.ending = Ending::kViolation;
  if (room_.load() != 0) reached.ending = Ending::kRoom;
  reached.states = store_.size();
  reached.transitions = transitions_.load();
  reached.memory = store_.memory();
  reached.sets = sets_ == nullptr ? 0 : sets_->size();
  reached.room = room_.load();
  reached.instruction = room_at_;
  reached.violations = violations_;
  for (std::uint32_t i = 0; i < finished_.size(); ++i)
    if (finished_[i].load() != 0) reached.returns.push_back(i);
  return reached;
}

void Search::Engine::search_levels(std::uint32_t most_depth, Reached& reached) {
  for (;;) {
    std::vector<std::uint64_t> ends(store_.threads());
    for (unsigned t = 0; t < store_.threads(); ++t) ends[t] = store_.count(t);
    const bool is_over = ends == levels_.back() || room_.load() != 0 || !violations_.empty();
    if (is_over || reached.depth == most_depth) {
      reached.ending = is_over ? Ending::kHolds : Ending::kDepth;
      return;
    }
    ++reached.depth;
    progress.depth.store(reached.depth);
    expand_level();
    levels_.push_back(ends);
    store_.forget_before(ends);
    if (stop_.stopped()) return;
  }
}

// The search.

Search::Search(const Program& program, SpecSets* sets, unsigned threads, search::StopToken& stop)
    : engine_(std::make_unique<Engine>(program, sets, threads, stop)) {}
Search::~Search() = default;

Reached Search::run(std::uint32_t most_depth, bool deadlocks) { return engine_->run(most_depth, deadlocks); }
std::vector<Choice> Search::shortest_run() { return engine_->shortest_run(); }
const Progress& Search::progress() const { return engine_->progress; }

}  // namespace linpoint::refine
