// SPDX-License-Identifier: Apache-2.0
// Three threads that update one atomic several times: many schedules, none of them equal to another.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
    std::atomic<int> count{0};
    auto add = [&count] {
        for (int i = 0; i < 5; ++i) count.fetch_add(i + 1);
    };
    std::thread first(add), second(add), third(add);
    first.join();
    second.join();
    third.join();
    assert(count == 45);
    return 0;
}
