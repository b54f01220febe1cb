// SPDX-License-Identifier: Apache-2.0
#include "linpoint/refine/spec_sets.hpp"

#include <algorithm>

#include "hashing.hpp"
#include "refine/runner.hpp"

namespace linpoint::refine {

namespace {

std::uint64_t hash_of(const std::vector<std::uint32_t>& words, std::uint32_t length) {
  std::uint64_t hash = length;
  for (const std::uint32_t word : words) hash = mix(hash ^ word) + word;
  return hash;
}

constexpr std::size_t kPolling = 256;

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
  std::vector<Configuration> members{system_.initial()};
  return close(members) ? intern(members) : kRefused;
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

void SpecSets::step(const Configuration& from, unsigned event, unsigned result, std::vector<Configuration>& out) {
  if (event >= processes_ * per_process_) {
    out.push_back(system_.swapped(from, event - processes_ * per_process_));
    return;
  }
  const unsigned process = event / per_process_;
  const unsigned kind = event % per_process_;
  if (kind < invocations_)
    system_.call(from, process, kind, out);
  else if (kind == invocations_)
    system_.linearize(from, process, out);
  else
    system_.give_back(from, process, result, results_[result], out);
}

Slot SpecSets::fill(Slot set, unsigned event, unsigned result) {
  const std::vector<std::uint32_t> all = members_[set];
  const std::uint32_t length = lengths_[set];
  std::vector<Configuration> after;
  for (std::size_t i = 0; i + length <= all.size(); i += length)
    step(Configuration(all.begin() + static_cast<std::ptrdiff_t>(i),
                       all.begin() + static_cast<std::ptrdiff_t>(i + length)),
         event, result, after);
  // A set is closed already, and taking each other's place or returning opens nothing that a spec could do unseen.
  if (after.empty() || !close(after)) return kRefused;
  return intern(after);
}

bool SpecSets::close(std::vector<Configuration>& members) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (!closed_) return true;
  std::unordered_multimap<std::uint64_t, std::size_t> known;
  const auto is_new = [&](const Configuration& one, std::size_t number) {
    const std::uint64_t hash = hash_of(one, 0);
    const auto [from, to] = known.equal_range(hash);
    for (auto it = from; it != to; ++it)
      if (members[it->second] == one) return false;
    known.emplace(hash, number);
    return true;
  };
  for (std::size_t i = 0; i < members.size(); ++i) is_new(members[i], i);
  std::vector<Configuration> found;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i % kPolling == kPolling - 1 && (stop_.poll() || !stop_.reserve(0))) return false;
    found.clear();
    system_.unseen(members[i], found);
    if (stop_.stopped()) return false;
    for (Configuration& each : found)
      if (is_new(each, members.size())) members.push_back(std::move(each));
  }
  std::sort(members.begin(), members.end());
  return true;
}

Slot SpecSets::intern(std::vector<Configuration>& members) {
  std::vector<std::uint32_t> all;
  for (const Configuration& each : members) all.insert(all.end(), each.begin(), each.end());
  const auto length = static_cast<std::uint32_t>(members.front().size());
  const std::uint64_t hash = hash_of(all, length);
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto it = from; it != to; ++it)
    if (members_[it->second] == all && lengths_[it->second] == length) return it->second;
  const auto number = static_cast<Slot>(members_.size());
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
  members_.push_back(std::move(all));
  lengths_.push_back(length);
  by_hash_.emplace(hash, number);
  size_.store(members_.size(), std::memory_order_release);
  return number;
}

bool SpecSets::may_be_done(Slot set, unsigned process) {
  for (const Configuration& each : configurations(set)) {
    const std::scoped_lock guard(lock_);
    if (system_.is_done(each, process)) return true;
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
  return out;
}

}  // namespace linpoint::refine
