// SPDX-License-Identifier: Apache-2.0
// The one who waits frees the condition variable as soon as it need not wait, while the signal is still to come.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

struct Event {
  std::mutex mutex;
  std::condition_variable condition;
  bool happened = false;
};

}  // namespace

int main() {
  auto* event = new Event;
  std::thread first([event] {
    {
      const std::lock_guard guard(event->mutex);
      event->happened = true;
    }
    event->condition.notify_one();
  });
  std::thread second([event] {
    {
      std::unique_lock guard(event->mutex);
      event->condition.wait(guard, [event] { return event->happened; });
    }
    delete event;
  });
  first.join();
  second.join();
}
