// SPDX-License-Identifier: Apache-2.0
// Reuses large blocks while a monitor runs, instead of returning them to the system each time.
//
// A long history fills vectors of many megabytes, each used once and briefly: a third of the time to check a million
// operations was spent in clearing new pages. So freed blocks are kept for the next vector of about the same size, up
// to a limit. No blocks are kept for searches, which account for their memory. Replaces the allocation of this module
// only. All blocks come from malloc, so either side may free them. Thread-safe.
#include "bindings/block_cache.hpp"

#include <cstdlib>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>

#include <array>
#include <mutex>
#include <utility>

namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20U;
constexpr std::size_t kMostKept = std::size_t{256} << 20U;

/// Unused blocks. Not a vector: that would allocate.
class Kept {
 public:
  void* take(std::size_t size) {
    const std::scoped_lock lock(mutex_);
    Block* best = nullptr;
    for (Block& each : blocks_)
      if (each.size >= size && each.size / 4 <= size && (best == nullptr || each.size < best->size)) best = &each;
    if (best == nullptr) return nullptr;
    total_ -= best->size;
    return std::exchange(*best, Block{}).start;
  }

  bool keep(void* start, std::size_t size) {
    const std::scoped_lock lock(mutex_);
    if (users_ == 0 || total_ + size > kMostKept) return false;
    for (Block& each : blocks_)
      if (each.start == nullptr) {
        each = {start, size};
        total_ += size;
        return true;
      }
    return false;
  }

  void begin() {
    const std::scoped_lock lock(mutex_);
    ++users_;
  }

  void end() {
    const std::scoped_lock lock(mutex_);
    if (--users_ > 0) return;
    for (Block& each : blocks_) std::free(std::exchange(each, Block{}).start);
    total_ = 0;
  }

 private:
  struct Block {
    void* start = nullptr;
    std::size_t size = 0;
  };
  std::mutex mutex_;
  std::array<Block, 32> blocks_{};
  std::size_t total_ = 0;
  int users_ = 0;
};

Kept& kept() {
  static Kept blocks;
  return blocks;
}

void give_back(void* block) {
  if (block == nullptr) return;
  const std::size_t size = ::malloc_usable_size(block);
  if (size < kLarge || !kept().keep(block, size)) std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
  void* block = size < kLarge ? nullptr : kept().take(size);
  if (block == nullptr) block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new[](std::size_t size) { return ::operator new(size); }
void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t size) noexcept { size < kLarge ? std::free(block) : give_back(block); }
void operator delete[](void* block, std::size_t size) noexcept { size < kLarge ? std::free(block) : give_back(block); }
#endif

namespace linpoint::bindings {

#ifdef __GLIBC__
KeepingBlocks::KeepingBlocks() { kept().begin(); }
KeepingBlocks::~KeepingBlocks() { kept().end(); }
#else
KeepingBlocks::KeepingBlocks() = default;
KeepingBlocks::~KeepingBlocks() = default;
#endif

}  // namespace linpoint::bindings
