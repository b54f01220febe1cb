// SPDX-License-Identifier: Apache-2.0
// Objects that fail in many ways: none of them may affect the others.
#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <linpoint/test.hpp>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
struct Segv {
  std::atomic<int*> p{nullptr};
  int plain = 0;
  int read() {
    p.store(nullptr);
    return *p.load();
  }
  void increment() { p.store(&plain); }
};
LINPOINT_TEST(Segv, read, increment)
struct Abort {
  std::atomic<int> n{0};
  int read() {
    if (n == 2) std::abort();
    return n;
  }
  void increment() { ++n; }
};
LINPOINT_TEST(Abort, read, increment)
struct Loop {
  std::atomic<int> n{0};
  int read() {
    for (;;) {
    }
    return n;
  }
  void increment() { ++n; }
};
LINPOINT_TEST(Loop, read, increment)
struct Throws {
  std::atomic<int> n{0};
  int read() {
    if (n == 1) throw std::out_of_range("x");
    return n;
  }
  void increment() { ++n; }
};
LINPOINT_TEST(Throws, read, increment)
struct Race {
  int n = 0;
  int read() { return n; }
  void increment() { ++n; }
};
LINPOINT_TEST(Race, read, increment)
struct Dead {
  std::mutex a, b;
  int n = 0;
  int read() {
    std::scoped_lock x(a);
    std::lock_guard y(b);
    return n;
  }
  void increment() {
    std::lock_guard y(b);
    std::lock_guard x(a);
    ++n;
  }
};
LINPOINT_TEST(Dead, read, increment)
struct Exits {
  std::atomic<int> n{0};
  int read() { std::exit(3); }
  void increment() { ++n; }
};
LINPOINT_TEST(Exits, read, increment)
struct ExitsWell {
  std::atomic<int> n{0};
  int read() { std::exit(0); }
  void increment() { ++n; }
};
LINPOINT_TEST(ExitsWell, read, increment)
/// The signal cannot be handled, since the code of its handler is unmapped.
struct Lost {
  std::atomic<int> n{0};
  int read() {
    constexpr std::uintptr_t kPage = 4096;
    auto* const code = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&std::memset) & ~(kPage - 1));
    if (n == 1) munmap(code, std::size_t{1} << 20U);
    return n;
  }
  void increment() { ++n; }
};
LINPOINT_TEST(Lost, read, increment)
struct ExitsFirst {
  ExitsFirst() { std::exit(0); }
  int read() { return 0; }
  void increment() {}
};
LINPOINT_TEST(ExitsFirst, read, increment)
struct Ctor {
  Ctor() { throw 3; }
  int read() { return 0; }
  void increment() {}
};
LINPOINT_TEST(Ctor, read, increment)
struct Threads {
  std::atomic<int> n{0};
  int read() { return n; }
  void increment() {
    std::thread([this] { ++n; }).join();
  }
};
LINPOINT_TEST(Threads, read, increment)
struct Leak {
  std::vector<int> v;
  std::mutex m;
  int read() {
    std::lock_guard g(m);
    return (int)v.size();
  }
  void increment() {
    std::lock_guard g(m);
    v.push_back(1);
  }
};
LINPOINT_TEST(Leak, read, increment)
struct Assert {
  std::atomic<int> n{0};
  int read() {
    int a = n, b = n;
    assert(a == b);
    return a;
  }
  void increment() { ++n; }
};
LINPOINT_TEST(Assert, read, increment)
struct Uaf {
  std::atomic<int*> p{new int(0)};
  int read() { return *p.load(); }
  void increment() {
    int* old = p.load();
    int* mine = new int(*old + 1);
    if (p.compare_exchange_strong(old, mine)) delete old;
  }
};
LINPOINT_TEST(Uaf, read, increment)
struct Letters {
  std::atomic<int> n{0};
  std::string read() { return std::string(40, 'a') + std::to_string(n.load()); }
  void increment() {
    if (++n > 1) throw std::runtime_error(std::string(100, 'x'));
  }
};
LINPOINT_TEST(Letters, read, increment)
