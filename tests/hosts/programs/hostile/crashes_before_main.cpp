// SPDX-License-Identifier: Apache-2.0
// Crashes in a constructor, before main.
namespace {

int crash() {
  volatile int* volatile nowhere = nullptr;
  return *nowhere;
}

const int number = crash();

}  // namespace

int main() { return number; }
