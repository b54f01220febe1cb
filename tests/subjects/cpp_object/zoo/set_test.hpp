// SPDX-License-Identifier: Apache-2.0
// What can be done with any of the sets of integers.
#pragma once

template <typename Set>
struct TestOfSet {
  Set set;
  bool add(int key) { return set.add(key); }
  bool remove(int key) { return set.remove(key); }
  bool contains(int key) { return set.contains(key); }
};
