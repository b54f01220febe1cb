// SPDX-License-Identifier: Apache-2.0
// Objects whose recovery fails in every possible way: only the test in which it happens may end.
//
// `put` stores a number without making it durable; after a crash that keeps it, the number selects what recovery does.
#include <cassert>
#include <cstdlib>
#include <linpoint/crash.hpp>
#include <stdexcept>

namespace {

struct Header {
  int wanted;
  int other;
};

char* volatile leaked = nullptr;

int overflow(int depth) {
  volatile char bytes[1024] = {};
  bytes[0] = static_cast<char>(depth);
  return overflow(depth + 1) + bytes[0];
}

/// Not inlined, since the compiler could otherwise remove the loop.
__attribute__((noinline)) void spin(volatile int* word) {
  while (*word != -1) {
  }
}

class Endings {
 public:
  static Endings* create(linpoint::Pool& pool) {
    pool.set_root(pool.allocate(sizeof(Header)));
    return new Endings(pool);
  }

  static Endings* recover(linpoint::Pool& pool) {
    auto* self = new Endings(pool);
    volatile int* nowhere = nullptr;
    switch (self->header_->wanted) {
      case 1:
        *nowhere = 1;
        break;
      case 2:
        spin(&self->header_->wanted);
        break;
      case 3:
        std::abort();
      case 4:
        throw std::runtime_error("recovery fails");
      case 5:
        assert(self->header_->wanted != 5);
        break;
      case 6:
        std::exit(0);
      case 7:
        return overflow(0) == 0 ? nullptr : self;
      case 8:
        delete self;
        delete self;
        break;
      case 9:
        for (;;) leaked = new char[std::size_t{1} << 20U];
      default:
        break;
    }
    return self;
  }

  void put(int what) { header_->wanted = what; }
  int get() { return header_->wanted; }

 private:
  explicit Endings(linpoint::Pool& pool) : header_(static_cast<Header*>(pool.root())) {}

  Header* header_;
};

}  // namespace

LINPOINT_CRASH_TEST(Endings, put, get)
