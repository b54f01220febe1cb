// SPDX-License-Identifier: Apache-2.0
// Memory of the host itself: never from the arena of the program under control, whichever of them is running.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <vector>

// The functions that glibc offers in addition to the names that the host replaces.
extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* block, std::size_t size);             // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void __libc_free(void* block);                                   // NOLINT(bugprone-reserved-identifier)
}

namespace linpoint::runtime {

template <typename T>
struct HostAllocator {
  using value_type = T;

  HostAllocator() = default;
  template <typename U>
  HostAllocator(const HostAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor): as in std::allocator

  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(alignof(T) <= 16, "malloc gives no more");
    void* block = __libc_malloc(count * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t /*count*/) { __libc_free(block); }

  friend bool operator==(const HostAllocator&, const HostAllocator&) { return true; }
};

template <typename T>
using HostVector = std::vector<T, HostAllocator<T>>;
using HostString = std::basic_string<char, std::char_traits<char>, HostAllocator<char>>;

}  // namespace linpoint::runtime
