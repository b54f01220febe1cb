// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/threads/pthread_keys.hpp"

#include <pthread.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"

namespace linpoint::runtime {

namespace {

constexpr pthread_key_t kMostKeys = 128;
/// Numbers distinguish keys of the program from the host's.
constexpr pthread_key_t kFirstKey = 1U << 20U;
/// The place for numbers of keys among the places of the outside world; the others are block sizes, which are never
/// odd.
constexpr std::uint64_t kPlace = 1;
/// Maximum number of rounds of destructors that set values themselves; as in the C library.
constexpr int kRounds = 4;

using Destructor = void (*)(void*);

struct Keys {
  pthread_key_t count = 0;
  bool any_value = false;
  std::array<bool, kMostKeys> valid{};
  std::array<Destructor, kMostKeys> destructors{};
  std::array<std::array<void*, kMostKeys>, kMostThreads> values{};
};
Keys keys;
Keys kept;

bool is_ours(pthread_key_t key) { return key >= kFirstKey && key - kFirstKey < keys.count; }

}  // namespace

void keep_keys() { kept = keys; }

void restore_keys() {
  if (keys.count != 0) keys = kept;
}

void run_key_destructors() {
  if (!keys.any_value) return;
  auto& values = keys.values[current_thread()];
  bool again = true;
  for (int round = 0; again && round < kRounds; ++round) {
    again = false;
    for (pthread_key_t key = 0; key < keys.count; ++key) {
      void* value = values[key];
      values[key] = nullptr;
      if (value == nullptr || !keys.valid[key] || keys.destructors[key] == nullptr) continue;
      again = true;
      keys.destructors[key](value);
    }
  }
}

}  // namespace linpoint::runtime

using linpoint::runtime::acting_thread;
using linpoint::runtime::by_host;
using linpoint::runtime::keys;
using linpoint::runtime::kFirstKey;
using linpoint::runtime::Real;

extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  using namespace linpoint::runtime;
  if (by_host()) {
    static constinit Real<int(pthread_key_t*, void (*)(void*))> next("pthread_key_create");
    return next(key, destructor);
  }
  // The order of creation decides the numbers.
  library_step({.kind = Kind::kNote, .caller = __builtin_return_address(0), .message = "creates a key"},
               {at_place(Mode::kWrite, Abstract::kWorld, kPlace)});
  if (keys.count == kMostKeys) return EAGAIN;
  keys.valid[keys.count] = true;
  keys.destructors[keys.count] = destructor;
  *key = kFirstKey + keys.count++;
  return 0;
}
int pthread_key_delete(pthread_key_t key) {
  if (key < kFirstKey) {
    static constinit Real<int(pthread_key_t)> next("pthread_key_delete");
    return next(key);
  }
  if (!linpoint::runtime::is_ours(key)) return EINVAL;
  keys.valid[key - kFirstKey] = false;
  return 0;
}
void* pthread_getspecific(pthread_key_t key) {
  if (key < kFirstKey) {
    static constinit Real<void*(pthread_key_t)> next("pthread_getspecific");
    return next(key);
  }
  if (linpoint::runtime::controlled()) linpoint::runtime::overlooked();
  return linpoint::runtime::is_ours(key) ? keys.values[acting_thread()][key - kFirstKey] : nullptr;
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  if (key < kFirstKey) {
    static constinit Real<int(pthread_key_t, const void*)> next("pthread_setspecific");
    return next(key, value);
  }
  if (!linpoint::runtime::is_ours(key)) return EINVAL;
  keys.any_value = true;
  keys.values[acting_thread()][key - kFirstKey] =
      const_cast<void*>(value);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return 0;
}
}
