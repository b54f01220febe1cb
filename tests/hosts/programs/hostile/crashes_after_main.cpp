// SPDX-License-Identifier: Apache-2.0
// Crashes in a destructor, after main.
namespace {

struct Last {
  Last() = default;
  Last(const Last&) = delete;
  Last& operator=(const Last&) = delete;
  ~Last() {
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  }
};

const Last last;

}  // namespace

int main() {}
