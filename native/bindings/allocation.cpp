// SPDX-License-Identifier: Apache-2.0
// Large blocks of the core on huge pages, where the system has them.
//
// A long history fills vectors of many megabytes, each once: with pages of 4 KB a third of a check of a million
// operations went into page faults. Replaces the allocation of this module only; blocks are those of malloc, so it does
// not matter which side frees them.
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21U;
constexpr std::size_t kLarge = 2 * kHugePage;

void* allocate(std::size_t size) {
  if (size < kLarge) return std::malloc(size == 0 ? 1 : size);
  const std::size_t rounded = (size + kHugePage - 1) / kHugePage * kHugePage;
  void* const block = std::aligned_alloc(kHugePage, rounded);
  if (block != nullptr) ::madvise(block, rounded, MADV_HUGEPAGE);  // a wish: nothing is lost where it is refused
  return block;
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* const block = allocate(size)) return block;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return ::operator new(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*size*/) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t /*size*/) noexcept { std::free(block); }
#endif
