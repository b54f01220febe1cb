// SPDX-License-Identifier: Apache-2.0
// A plain number that only a lock protects: whatever is wrong with the lock is a race for the number, and a wrong
// count.
#pragma once

namespace zoo {

/// `typename Lock::Guard` holds the lock for as long as it is there.
template <typename Lock>
class LockedCounter {
 public:
  void increment() {
    const typename Lock::Guard guard(lock_);
    ++count_;
  }

  int read() {
    const typename Lock::Guard guard(lock_);
    return count_;
  }

 private:
  Lock lock_;
  int count_ = 0;
};

}  // namespace zoo
