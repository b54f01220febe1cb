// SPDX-License-Identifier: Apache-2.0
// Computes for ever in a constructor, before main.
namespace {

unsigned compute() {
  volatile unsigned number = 1;
  while (number != 0) number = number * 3 | 1;
  return number;
}

const unsigned number = compute();

}  // namespace

int main() { return static_cast<int>(number); }
