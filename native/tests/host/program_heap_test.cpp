// SPDX-License-Identifier: Apache-2.0
// The heap of a program under control: the same addresses in every run, and what is known of misused memory.
#include "host/interpose/process/program_heap.hpp"

#include <cstdint>
#include <cstring>
#include <memory>

#include "tests/support/harness.hpp"

namespace {

using linpoint::runtime::Arena;
using linpoint::runtime::Freed;

constexpr std::size_t kMost = std::size_t{8} << 20U;

std::uintptr_t address(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }

std::unique_ptr<Arena> arena_with(bool reuse) {
  auto arena = std::make_unique<Arena>();
  EXPECT(arena->prepare({.most = kMost, .reuse = reuse}));
  arena->keep();
  return arena;
}

void test_addresses_depend_on_the_own_thread_only() {
  const auto arena = arena_with(false);
  const void* mine = arena->allocate(1, 24);
  const void* next = arena->allocate(1, 24);
  arena->restore();
  EXPECT(arena->allocate(2, 100) != nullptr);
  EXPECT(arena->allocate(1, 24) == mine);
  EXPECT(arena->allocate(0, 7) != nullptr);
  EXPECT(arena->allocate(1, 24) == next);
}

void test_freed_memory_is_not_given_out_again() {
  const auto arena = arena_with(false);
  void* first = arena->allocate(0, 32);
  EXPECT(arena->release(first) == Freed::kDone);
  EXPECT(arena->allocate(0, 32) != first);
  EXPECT(arena->misused(address(first), 1));
  EXPECT(arena->release(first) == Freed::kTwice);
}

void test_reuse_gives_out_what_was_freed_last() {
  const auto arena = arena_with(true);
  void* first = arena->allocate(0, 32);
  void* second = arena->allocate(1, 30);
  EXPECT(arena->release(first) == Freed::kDone);
  EXPECT(arena->release(second) == Freed::kDone);
  EXPECT(arena->allocate(2, 32) == second);
  EXPECT(arena->allocate(0, 64) != first);
  EXPECT(arena->allocate(0, 20) == first);
  EXPECT(!arena->misused(address(first), 20));
}

void test_bytes_of_no_block_are_known() {
  const auto arena = arena_with(false);
  void* block = arena->allocate(0, 48);
  const std::uintptr_t begin = address(block);
  EXPECT(arena->contains(begin));
  EXPECT(!arena->misused(begin, 48));
  EXPECT(!arena->misused(begin + 40, 8));
  EXPECT(arena->misused(begin + 40, 16));
  EXPECT(arena->misused(begin + 48, 1));
  EXPECT(arena->misused(begin - 1, 1));
  EXPECT(arena->release(static_cast<unsigned char*>(block) + 16) == Freed::kNoBlock);
  const auto known = arena->block_at(begin + 50);
  EXPECT(known && known->begin == begin && known->size == 48 && known->live && known->number == 0);
  int elsewhere = 0;
  EXPECT(!arena->contains(address(&elsewhere)));
}

void test_restoring_gives_back_contents_and_blocks() {
  Arena arena;
  EXPECT(arena.prepare({.most = kMost, .reuse = true}));
  auto* kept = static_cast<unsigned char*>(arena.allocate(0, 100));
  auto* gone = static_cast<unsigned char*>(arena.allocate(0, 16));
  EXPECT(arena.release(gone) == Freed::kDone);
  std::memset(kept, 7, 100);
  arena.keep();
  for (int run = 0; run < 3; ++run) {
    arena.restore();
    EXPECT(kept[0] == 7 && kept[99] == 7);
    EXPECT(!arena.misused(address(kept), 100) && arena.misused(address(gone), 1));
    EXPECT(arena.allocate(3, 16) == gone);
    auto* fresh = static_cast<unsigned char*>(arena.allocate(0, 1U << 20U));
    EXPECT(fresh[0] == 0 && fresh[(1U << 20U) - 1] == 0);
    std::memset(fresh, 1, 1U << 20U);
    std::memset(kept, 9, 100);
    EXPECT(arena.release(kept) == Freed::kDone);
  }
}

void test_alignment_and_odd_sizes() {
  const auto arena = arena_with(false);
  for (const std::size_t alignment : {16U, 64U, 4096U})
    for (const std::size_t size : {0U, 1U, 17U, 5000U}) {
      void* block = arena->allocate(0, size, alignment);
      EXPECT(address(block) % alignment == 0);
      EXPECT(!arena->misused(address(block), size));
      EXPECT(arena->release(block) == Freed::kDone);
    }
}

void test_there_is_an_end() {
  const auto arena = arena_with(false);
  EXPECT(arena->allocate(0, kMost + 1) == nullptr);
  std::size_t blocks = 0;
  while (arena->allocate(0, 1U << 20U) != nullptr) ++blocks;
  EXPECT(blocks == kMost >> 20U);
  arena->restore();
  EXPECT(arena->allocate(0, 1U << 20U) != nullptr);
}

void test_more_threads_than_regions() {
  const auto arena = arena_with(false);
  const void* one = arena->allocate(Arena::kRegions + 5, 8);
  const void* other = arena->allocate(Arena::kRegions + 6, 8);
  EXPECT(one != nullptr && other != nullptr && one != other);
}

}  // namespace

int main() {
  test_addresses_depend_on_the_own_thread_only();
  test_freed_memory_is_not_given_out_again();
  test_reuse_gives_out_what_was_freed_last();
  test_bytes_of_no_block_are_known();
  test_restoring_gives_back_contents_and_blocks();
  test_alignment_and_odd_sizes();
  test_there_is_an_end();
  test_more_threads_than_regions();
  return linpoint::tests::finish();
}
