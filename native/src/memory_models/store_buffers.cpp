// SPDX-License-Identifier: Apache-2.0
#include "linpoint/memory_models/store_buffers.hpp"

#include <algorithm>
#include <cstring>

namespace linpoint::memory {

namespace {

using explore::Access;
using explore::Mode;

bool overlap(const Store& one, const Store& other) {
  return one.address < other.address + other.size && other.address < one.address + one.size;
}

std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

void StoreBuffer::restart(Model model, std::uint32_t thread) {
  model_ = model;
  thread_ = thread;
  issued_ = barrier_ = 0;
  queues_ = model == Model::kTso ? 1 : 0;
  stores_.clear();
}

bool StoreBuffer::overlaps(std::uint64_t address, std::size_t size) const {
  return std::any_of(stores_.begin(), stores_.end(), [&](const Store& store) {
    return store.address < address + size && address < store.address + store.size;
  });
}

/// A location keeps its queue for the whole run: if it could get another one, the order of one process's flushes would
/// seem to order theirs.
unsigned StoreBuffer::queue_of(std::uint64_t address, bool& own) {
  own = true;
  if (model_ == Model::kTso) return 0;
  for (unsigned queue = 0; queue < queues_; ++queue)
    if (locations_[queue] == address) return queue;
  if (queues_ < kMostQueues) {
    locations_[queues_] = address;
    return queues_++;
  }
  own = false;
  return static_cast<unsigned>(address / sizeof(std::uint64_t) % kMostQueues);
}

bool StoreBuffer::issue(std::uint64_t address, std::size_t size, const std::byte* beneath, std::uint64_t number,
                        std::uint32_t note) {
  bool own = true;
  Store store;
  store.address = address;
  store.size = static_cast<std::uint32_t>(size);
  store.index = issued_++;
  store.number = number;
  store.queue = queue_of(address, own);
  store.note = note;
  std::memcpy(store.value.data(), at(address), size);
  std::memcpy(store.beneath.data(), beneath, size);
  if (model_ == Model::kPso && !stores_.empty()) {
    store.waits_from = stores_.front().index;
    store.waits_to = barrier_;
    for (const Store& earlier : stores_)
      if (earlier.queue != store.queue && overlap(earlier, store) && earlier.index >= store.waits_to) {
        store.waits_to = earlier.index + 1;
        own = own && store.waits_from == earlier.index;
      }
  }
  stores_.push_back(store);
  return own;
}

void StoreBuffer::lay_over() {
  for (Store& store : stores_) {
    std::memcpy(store.beneath.data(), at(store.address), store.size);
    std::memcpy(at(store.address), store.value.data(), store.size);
  }
}

void StoreBuffer::lift() {
  // NOLINTNEXTLINE(modernize-loop-convert): in reverse order
  for (auto store = stores_.rbegin(); store != stores_.rend(); ++store)
    std::memcpy(at(store->address), store->beneath.data(), store->size);
}

void StoreBuffer::lift(std::vector<Overwritten>& found) {
  for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) {
    // A store that was overwritten before a later store to the same place is reported with that one.
    if (std::memcmp(at(store->address), store->value.data(), store->size) != 0 &&
        std::none_of(stores_.rbegin(), store, [&](const Store& later) { return overlap(later, *store); })) {
      Overwritten& each = found.emplace_back();
      each.address = store->address;
      each.size = store->size;
      std::memcpy(each.value.data(), at(store->address), store->size);
    }
    std::memcpy(at(store->address), store->beneath.data(), store->size);
  }
}

void StoreBuffer::look(std::uint64_t address, std::size_t size, std::byte* seen) const {
  std::memcpy(seen, at(address), size);
  for (const Store& store : stores_) {
    const std::uint64_t begin = std::max(address, store.address);
    const std::uint64_t end = std::min(address + size, store.address + store.size);
    if (begin < end) std::memcpy(seen + (begin - address), store.value.data() + (begin - store.address), end - begin);
  }
}

std::size_t StoreBuffer::first(unsigned queue) const {
  for (std::size_t index = 0; index < stores_.size(); ++index)
    if (stores_[index].queue == queue) return index;
  return kNone;
}

std::size_t StoreBuffer::next(unsigned queue) const {
  const std::size_t index = first(queue);
  return index != kNone && stores_.front().index >= stores_[index].waits_to ? index : kNone;
}

void StoreBuffer::flush(std::size_t index) {
  const Store& store = stores_[index];
  std::memcpy(at(store.address), store.value.data(), store.size);
  stores_.erase(stores_.begin() + static_cast<std::ptrdiff_t>(index));
}

std::size_t StoreBuffer::accesses(const Store& store, Access* into) const {
  std::size_t count = 0;
  into[count++] = {kIssuedPlaces + store.number, kIssuedPlaces + store.number + 1, Mode::kAcquire};
  const std::uint64_t flushed = kFlushedPlaces + (std::uint64_t{thread_} << 40U);
  if (store.waits_from < store.waits_to)
    into[count++] = {flushed + store.waits_from, flushed + store.waits_to, Mode::kAcquire};
  into[count++] = {store.address, store.address + store.size, Mode::kWrite};
  const std::uint64_t queue = drained().begin + store.queue;
  into[count++] = {queue, queue + 1, Mode::kRelease};
  if (model_ == Model::kPso) into[count++] = {flushed + store.index, flushed + store.index + 1, Mode::kRelease};
  return count;
}

}  // namespace linpoint::memory
