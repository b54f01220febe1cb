// SPDX-License-Identifier: Apache-2.0
// linpoint: --spec queue --threads 2 --operations 2
#include <linpoint/test.hpp>
#include <optional>

#include "ring.hpp"

namespace {

struct RingTest {
  Ring<int, 4> ring;

  void enqueue(int value) { ring.push(value); }
  std::optional<int> dequeue() { return ring.pop(); }
};

}  // namespace

LINPOINT_TEST(RingTest, enqueue, dequeue)
LINPOINT_ROLES(RingTest, "enqueue | dequeue")
