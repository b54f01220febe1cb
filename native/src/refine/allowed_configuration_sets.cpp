// SPDX-License-Identifier: Apache-2.0
#include "linpoint/refine/allowed_configuration_sets.hpp"

#include <algorithm>

#include "refine/step_runner.hpp"

namespace linpoint::refine {

namespace {

constexpr std::size_t kPolling = 256;
constexpr std::size_t kFirstIndex = 1024;

}  // namespace

SpecSets::SpecSets(System& system, unsigned processes, unsigned invocations, unsigned results, bool closed,
                   search::StopToken& stop)
    : system_(system),
      stop_(stop),
      processes_(processes),
      invocations_(invocations),
      few_results_(results),
      per_process_(invocations + 1 + results),
      events_(processes * per_process_ + processes),
      closed_(closed),
      chunks_(std::make_unique<std::atomic<Cell*>[]>(kChunks)) {
  for (auto& each : single_) each.store(-1, std::memory_order_relaxed);
}

SpecSets::~SpecSets() {
  for (unsigned i = 0; i < kChunks; ++i) delete[] chunks_[i].load(std::memory_order_relaxed);
  stop_.release(memory_);
}

Slot SpecSets::initial() {
  const std::scoped_lock guard(lock_);
  const Configuration first = system_.initial();
  made_.clear(static_cast<std::uint32_t>(first.size()));
  made_.add(first.data());
  return close() ? intern() : kRefused;
}

Slot SpecSets::returned(Slot set, unsigned process, const Slot* values, unsigned count) {
  std::int16_t known = -1;
  if (count == 1 && values[0] < kSingles) known = single_[values[0]].load(std::memory_order_acquire);
  const unsigned result = known >= 0 ? static_cast<unsigned>(known) : result_number(values, count);
  if (result < few_results_) return next(set, process * per_process_ + invocations_ + 1 + result);
  const std::scoped_lock guard(lock_);
  const std::uint64_t key = (std::uint64_t{set} * processes_ + process) << 24U | result;
  if (const auto found = rare_.find(key); found != rare_.end())
    return found->second == kNever ? kRefused : static_cast<Slot>(found->second);
  const Slot after = fill(set, process * per_process_ + invocations_ + 1, result);
  if (!stop_.stopped()) rare_[key] = after == kRefused ? kNever : static_cast<std::int32_t>(after);
  return after;
}

unsigned SpecSets::result_number(const Slot* values, unsigned count) {
  const std::scoped_lock guard(lock_);
  const std::vector<Slot> wanted(values, values + count);
  const auto found = std::find(results_.begin(), results_.end(), wanted);
  const auto number = static_cast<unsigned>(found - results_.begin());
  if (found == results_.end()) results_.push_back(wanted);
  if (count == 1 && values[0] < kSingles && number < few_results_)
    single_[values[0]].store(static_cast<std::int16_t>(number), std::memory_order_release);
  return number;
}

Slot SpecSets::next(Slot set, unsigned event) {
  Cell* chunk = chunks_[set / kRows].load(std::memory_order_acquire);
  Cell& cell = chunk[std::size_t{set % kRows} * events_ + event];
  const std::int32_t known = cell.load(std::memory_order_acquire);
  if (known >= 0) return static_cast<Slot>(known);
  if (known == kNever) return kRefused;
  const std::scoped_lock guard(lock_);
  const unsigned kind = event % per_process_;
  const bool returns = event < processes_ * per_process_ && kind > invocations_;
  const Slot after = fill(set, event, returns ? kind - invocations_ - 1 : 0);
  if (!stop_.stopped())
    cell.store(after == kRefused ? kNever : static_cast<std::int32_t>(after), std::memory_order_release);
  return after;
}

void SpecSets::step(const std::uint32_t* from, unsigned event, unsigned result) {
  if (event >= processes_ * per_process_) {
    system_.swap(from, event - processes_ * per_process_, found_);
    return;
  }
  const unsigned process = event / per_process_;
  const unsigned kind = event % per_process_;
  if (kind < invocations_)
    system_.call(from, process, kind, found_);
  else if (kind == invocations_)
    system_.linearize(from, process, found_);
  else
    system_.give_back(from, process, result, results_[result], found_);
}

Slot SpecSets::fill(Slot set, unsigned event, unsigned result) {
  const std::uint32_t length = lengths_[set];
  const std::vector<std::uint32_t>& all = members_[set];
  made_.clear(length);
  found_.clear(length);
  for (std::size_t i = 0; i < all.size(); i += length) step(all.data() + i, event, result);
  take_found();
  if (made_.size() == 0) return kRefused;
  const bool calls = event < processes_ * per_process_ && event % per_process_ <= invocations_;
  if ((calls || !system_.stays_closed()) && !close()) return kRefused;
  return intern();
}

void SpecSets::take_found() {
  for (std::size_t i = 0; i < found_.size(); ++i) made_.add(found_[i]);
  found_.clear(found_.length());
}

/// Adds everything reachable by unobservable steps to the set under construction.
bool SpecSets::close() {
  if (!closed_) return true;
  found_.clear(made_.list().length());
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if (i % kPolling == kPolling - 1 && (stop_.poll() || !stop_.reserve(0))) return false;
    system_.unseen(made_.list()[i], found_);
    if (stop_.stopped()) return false;
    take_found();
  }
  return true;
}

/// Whether a set has the same members as the one under construction.
bool SpecSets::is_made(Slot set) const {
  const std::vector<std::uint32_t>& all = members_[set];
  const std::uint32_t length = lengths_[set];
  if (length != made_.list().length() || all.size() != made_.list().words().size()) return false;
  for (std::size_t i = 0; i < all.size(); i += length)
    if (!made_.has(all.data() + i)) return false;
  return true;
}

Slot SpecSets::intern() {
  if (members_.size() * 2 >= index_.size()) widen_index();
  const std::size_t mask = index_.size() - 1;
  std::size_t at = made_.hash() & mask;
  for (; index_[at] != 0; at = (at + 1) & mask) {
    const Slot known = index_[at] - 1;
    if (hashes_[known] == made_.hash() && is_made(known)) return known;
  }
  const auto number = static_cast<Slot>(members_.size());
  const std::vector<std::uint32_t>& all = made_.list().words();
  std::size_t bytes = all.size() * sizeof(std::uint32_t) + 128;
  if (number / kRows >= kChunks) {
    stop_.stop(search::StopReason::kMemory);
    return kRefused;
  }
  if (number % kRows == 0) bytes += std::size_t{kRows} * events_ * sizeof(Cell);
  if (!stop_.reserve(bytes)) return kRefused;
  memory_ += bytes;
  if (number % kRows == 0) {
    auto* chunk = new Cell[std::size_t{kRows} * events_];
    for (std::size_t i = 0; i < std::size_t{kRows} * events_; ++i) chunk[i].store(kUnknown, std::memory_order_relaxed);
    chunks_[number / kRows].store(chunk, std::memory_order_release);
  }
  members_.push_back(all);
  lengths_.push_back(made_.list().length());
  hashes_.push_back(made_.hash());
  index_[at] = number + 1;
  size_.store(members_.size(), std::memory_order_release);
  return number;
}

void SpecSets::widen_index() {
  index_.assign(std::max(kFirstIndex, index_.size() * 2), 0);
  const std::size_t mask = index_.size() - 1;
  for (std::size_t set = 0; set < hashes_.size(); ++set) {
    std::size_t at = hashes_[set] & mask;
    while (index_[at] != 0) at = (at + 1) & mask;
    index_[at] = static_cast<Slot>(set) + 1;
  }
}

bool SpecSets::may_be_done(Slot set, unsigned process) {
  for (const Configuration& each : configurations(set)) {
    const std::scoped_lock guard(lock_);
    if (system_.is_done(each.data(), process)) return true;
  }
  return false;
}

std::vector<Configuration> SpecSets::configurations(Slot set) {
  const std::scoped_lock guard(lock_);
  std::vector<Configuration> out;
  const std::vector<std::uint32_t>& all = members_[set];
  const std::uint32_t length = lengths_[set];
  for (std::size_t i = 0; i + length <= all.size(); i += length)
    out.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i),
                     all.begin() + static_cast<std::ptrdiff_t>(i + length));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace linpoint::refine
