// SPDX-License-Identifier: Apache-2.0
#include "host/persistent/pool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "host/core/crash_mode.hpp"
#include "host/persistent/pool_trace_recorder.hpp"
#include "host/persistent/undo_journal.hpp"

namespace linpoint::runtime::crash {

Pool the_pool;
Hot hot;

namespace {

std::uint64_t rounded_up(std::uint64_t number, std::uint64_t to) { return (number + to - 1) / to * to; }

void* map(std::uint64_t at, std::size_t size, int more) {
  void* wanted = reinterpret_cast<void*>(at);  // NOLINT(performance-no-int-to-ptr)
  void* mapped =
      ::mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

std::byte* map_memory(std::size_t size) { return static_cast<std::byte*>(map(0, size, 0)); }

bool Pool::reserve(std::size_t size) {
  size_ = rounded_up(size, kPage);
  memory_ = static_cast<std::byte*>(map(kBegin, span(), MAP_FIXED_NOREPLACE));
  if (memory_ == nullptr || reinterpret_cast<std::uint64_t>(memory_) != kBegin) return false;
  cursor_ = kBase;
  // One additional line, for accesses that extend past the end.
  const std::size_t lines = span() / kLine + 1;
  hot.marks = reinterpret_cast<std::uint8_t*>(map_memory(lines));
  hot.written = reinterpret_cast<std::uint32_t*>(map_memory(lines * sizeof(std::uint32_t)));
  hot.read = reinterpret_cast<std::uint32_t*>(map_memory(lines * sizeof(std::uint32_t)));
  hot.begin = kBegin;
  hot.span = span();
  void* sizes = ::mmap(nullptr, span() / kGranule * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  sizes_ = sizes == MAP_FAILED ? nullptr : static_cast<std::uint32_t*>(sizes);
  return hot.marks != nullptr && hot.written != nullptr && hot.read != nullptr && sizes_ != nullptr &&
         pmdk::the_journal.reserve();
}

void Pool::collect_pages(HostVector<bool>& touched) const {
  touched.assign(span() / kPage, true);
  const int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  // Present, or swapped out.
  constexpr std::uint64_t kThere = std::uint64_t{3} << 62U;
  HostVector<std::uint64_t> entries(touched.size(), 0);
  const std::size_t bytes = entries.size() * sizeof(std::uint64_t);
  const ssize_t read = ::pread(file, entries.data(), bytes, static_cast<off_t>(kBegin / kPage * sizeof(std::uint64_t)));
  ::close(file);
  if (!std::cmp_equal(read, bytes)) return;
  for (std::size_t page = 0; page < entries.size(); ++page) touched[page] = (entries[page] & kThere) != 0;
}

void* Pool::allocate(std::size_t size, std::size_t alignment) {
  const std::uint64_t begin = rounded_up(cursor_, std::max<std::size_t>(alignment, kGranule));
  const std::uint64_t end = kBase + size_;
  if (begin > end || size > end - begin) return nullptr;
  cursor_ = begin + std::max<std::size_t>(size, 1);
  const std::uint64_t granule = (begin - kBase) / kGranule;
  since_.push_back({granule, sizes_[granule]});
  sizes_[granule] = static_cast<std::uint32_t>(std::min<std::size_t>(size, ~std::uint32_t{0}));
  return at(begin);
}

std::size_t Pool::size_of(std::uint64_t begin) const {
  return begin < kBase || begin >= cursor_ || begin % kGranule != 0 ? 0 : sizes_[(begin - kBase) / kGranule];
}

void Pool::take_back(std::uint64_t cursor) {
  cursor_ = cursor;
  pmdk::the_journal.take_back();
  for (; !since_.empty(); since_.pop_back()) sizes_[since_.back().granule] = since_.back().size;
}

bool Pool::separate() {
  auto* own = reinterpret_cast<std::uint32_t*>(map_memory(span() / kGranule * sizeof(std::uint32_t)));
  if (own == nullptr) return false;
  std::memcpy(own, sizes_, rounded_up(cursor_ - kBase, kGranule) / kGranule * sizeof(std::uint32_t));
  sizes_ = own;
  return true;
}

void note_written(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t begin = std::max(address, hot.begin);
  const std::uint64_t end = std::min(address + size, hot.begin + hot.span);
  for (std::uint64_t at = begin / kLine; at * kLine < end; ++at) mark_written(at - hot.begin / kLine);
}

void note_read(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t begin = std::max(address, hot.begin);
  const std::uint64_t end = std::min(address + size, hot.begin + hot.span);
  for (std::uint64_t at = begin / kLine; at * kLine < end; ++at) mark_read(at - hot.begin / kLine);
}

bool heap_is_persistent() { return options.persistent_heap && phase == Phase::kPersistent; }

void* allocate_persistent(std::size_t size, std::size_t alignment, const void* caller) {
  void* block = the_pool.allocate(size, alignment);
  if (block == nullptr) {
    // A single request that is too large may be intended to fail; exceeding the total would not end.
    if (size > the_pool.size()) return nullptr;
    const OutOfProgram host;
    fail(Fault::kMemory, "the pool of " + std::to_string(the_pool.size()) + " bytes is full", caller);
  }
  if (tracing()) the_recorder.allocate(reinterpret_cast<std::uint64_t>(block), size, caller);
  return block;
}

void free_persistent(void* block, const void* caller) {
  if (tracing()) the_recorder.free(reinterpret_cast<std::uint64_t>(block), caller);
}

}  // namespace linpoint::runtime::crash

namespace crash = linpoint::runtime::crash;

extern "C" {

// Called by linpoint/crash.hpp.
void* linpoint_pool_base() { return crash::the_pool.at(crash::Pool::kBase); }
std::size_t linpoint_pool_size() { return crash::the_pool.size(); }
void* linpoint_pool_allocate(std::size_t size, std::size_t alignment) {
  return crash::allocate_persistent(size, alignment, __builtin_return_address(0));
}
void* linpoint_pool_root() {
  const std::uint64_t address = crash::Pool::root_address();
  if (crash::on()) crash::plain_range(crash::the_pool.at(address), sizeof(void*), false, __builtin_return_address(0));
  void* root = nullptr;
  std::memcpy(static_cast<void*>(&root), crash::the_pool.at(address), sizeof root);
  return root;
}
// Durable when it returns.
void linpoint_pool_set_root(void* root) {
  const std::uint64_t address = crash::Pool::root_address();
  const void* caller = __builtin_return_address(0);
  crash::note_written(address, sizeof root);
  if (crash::tracing()) crash::the_recorder.settle_all();
  std::memcpy(crash::the_pool.at(address), static_cast<const void*>(&root), sizeof root);
  if (!crash::tracing()) return;
  crash::the_recorder.stored(address, sizeof root, linpoint::persistency::Kind::kStore, caller);
  // Not attributed to code of the program.
  crash::the_recorder.flush(address, false, nullptr);
  crash::the_recorder.fence(nullptr);
}
}
