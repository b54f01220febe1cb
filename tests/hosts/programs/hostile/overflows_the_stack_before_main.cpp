// SPDX-License-Identifier: Apache-2.0
// Calls itself in a constructor until the stack is used up.
namespace {

int deeper(int depth) {
  volatile char room[1000];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : deeper(depth + 1) + room[0];
}

const int number = deeper(1);

}  // namespace

int main() { return number; }
