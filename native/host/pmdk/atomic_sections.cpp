// SPDX-License-Identifier: Apache-2.0
#include "host/pmdk/atomic_sections.hpp"

#include <algorithm>

#include "host/core/crash_mode.hpp"
#include "host/persistent/pool.hpp"
#include "host/persistent/undo_journal.hpp"

namespace linpoint::runtime::pmdk {

void protect(std::uint64_t& lane, const void* address, std::size_t size, const void* caller) {
  if (size == 0) return;
  put(lane, the_journal.keep(lane, address, size), caller);
  fence(kOwn);
}

void release(std::uint64_t& lane, const void* caller) {
  if (lane == 0) return;
  put(lane, 0, caller);
  fence(kOwn);
}

namespace {

/// Writes back everything except the spared bytes.
void write_back(std::byte* to, const std::byte* from, std::size_t size, std::span<const Spared> spared,
                const void* caller) {
  for (std::size_t each = 0; each < spared.size(); ++each) {
    const std::uint64_t begin = number_of(spared[each].address);
    const std::uint64_t end = begin + spared[each].size;
    if (end <= number_of(to) || begin >= number_of(to) + size) continue;
    const auto rest = spared.subspan(each + 1);
    if (begin > number_of(to)) write_back(to, from, begin - number_of(to), rest, caller);
    if (end < number_of(to) + size) {
      const std::size_t skipped = end - number_of(to);
      write_back(to + skipped, from + skipped, size - skipped, rest, caller);
    }
    return;
  }
  copy(to, from, size, caller);
  flush(to, size, kOwn);
}

}  // namespace

void undo(std::uint64_t& lane, const void* caller, std::span<const Spared> spared) {
  if (lane == 0) return;
  for (std::uint64_t place = lane; place != 0; place = the_journal.entry(place).before) {
    // The word is PMDK's own, so only a program that writes there could have changed it.
    if (!the_journal.has(place)) fatal("pmemobj_open", "finds that the pool's own memory was overwritten", caller);
    const Journal::Entry& entry = the_journal.entry(place);
    write_back(crash::the_pool.at(entry.address), the_journal.bytes(place), entry.size, spared, caller);
  }
  fence(kOwn);
  put(lane, 0, caller);
  fence(kOwn);
}

void AtomicSection::set(std::uint64_t& word, std::uint64_t value) {
  const auto known = std::ranges::find(changes_, &word, &Change::word);
  if (known != changes_.end())
    known->value = value;
  else
    changes_.push_back({&word, value});
}

std::uint64_t AtomicSection::value_of(const std::uint64_t& word) const {
  const auto known = std::ranges::find(changes_, &word, &Change::word);
  return known == changes_.end() ? word : known->value;
}

AtomicSection::~AtomicSection() {
  // The fences of the log, which the real library has here, order earlier stores.
  fence(kOwn);
  std::uint64_t chain = lane_;
  for (const Change& change : changes_)
    if (crash::in_pool(number_of(change.word))) chain = the_journal.keep(chain, change.word, sizeof *change.word);
  if (chain != lane_) put(lane_, chain, caller_);
  for (const Change& change : changes_) {
    copy(change.word, &change.value, sizeof *change.word, caller_);
    flush(change.word, sizeof *change.word, kOwn);
  }
  if (!changes_.empty()) fence(kOwn);
  release(lane_, caller_);
}

}  // namespace linpoint::runtime::pmdk
