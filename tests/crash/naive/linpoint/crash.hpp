// SPDX-License-Identifier: Apache-2.0
// The header for tests of persistent objects, for the naive enumerator: a pool, and the name of the type. No part of
// linpoint is used, neither the hooks of the compiler nor the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linpoint {

class Pool {
 public:
  static constexpr std::size_t kSize = std::size_t{1} << 19;

  void* base() const { return memory; }
  std::size_t size() const { return kSize; }
  void* allocate(std::size_t bytes, std::size_t align = 64) {
    cursor = (cursor + align - 1) / align * align;
    void* block = memory + cursor;
    cursor += bytes;
    return cursor <= kSize ? block : nullptr;
  }
  void* root() const { return root_; }
  void set_root(void* root) { root_ = root; }

  char* memory = nullptr;
  std::size_t cursor = 64;

 private:
  void* root_ = nullptr;
};

}  // namespace linpoint

#define LINPOINT_CRASH_TEST(Type, ...) using NaiveTested = Type;
#define LINPOINT_VALUES(...)
#define LINPOINT_ROLES(...)
