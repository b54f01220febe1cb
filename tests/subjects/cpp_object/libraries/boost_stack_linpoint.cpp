// SPDX-License-Identifier: Apache-2.0
// linpoint: --spec stack --races ignore
//
// boost::lockfree::stack: a Treiber stack with tagged pointers and a free list of nodes. A thread may read the next
// node of one that another thread has just removed: a data race, but the value is then discarded.
#include <boost/lockfree/stack.hpp>
#include <linpoint/test.hpp>
#include <optional>

struct BoostStack {
  boost::lockfree::stack<int> stack{2};

  void push(int value) { stack.push(value); }
  std::optional<int> pop() {
    int value = 0;
    if (!stack.pop(value)) return std::nullopt;
    return value;
  }
};
LINPOINT_TEST(BoostStack, push, pop)
