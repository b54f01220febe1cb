// SPDX-License-Identifier: Apache-2.0
// Runs the litmus program that is its argument, in the code of litmus.py, and prints what its threads have read and
// what is in memory at the end.
//
// An operation is five characters: kind, variable or mutex, value, expected value, memory order. Threads are separated
// by '|'.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

constexpr int kVariables = 4;
constexpr int kMostThreads = 4;
constexpr int kMostResults = 8;
constexpr int kLength = 5;

std::atomic<int> variables[kVariables];
std::mutex mutexes[2];

/// What a thread has read, one after another.
struct Results {
  int values[kMostResults];
  int count;

  void add(int value) { values[count++] = value; }
};
Results results[kMostThreads];

int digit(char character) { return character - '0'; }

std::memory_order order_of(char letter) {
  switch (letter) {
    case 'a':
      return std::memory_order_acquire;
    case 'r':
      return std::memory_order_release;
    case 'b':
      return std::memory_order_acq_rel;
    case 's':
      return std::memory_order_seq_cst;
    default:
      return std::memory_order_relaxed;
  }
}

void perform(const char* operation, Results& mine) {
  std::atomic<int>& variable = variables[digit(operation[1])];
  const int value = digit(operation[2]);
  const int expected = digit(operation[3]);
  const std::memory_order order = order_of(operation[4]);
  switch (operation[0]) {
    case 'S':
      variable.store(value, order);
      break;
    case 'I':  // one more than was read last
      variable.store(mine.values[mine.count - 1] + 1, order);
      break;
    case 'L':
      mine.add(variable.load(order));
      break;
    case 'F':
      std::atomic_thread_fence(order);
      break;
    case 'X':
      mine.add(variable.exchange(value, order));
      break;
    case 'A':
      mine.add(variable.fetch_add(value, order));
      break;
    case 'C': {
      int found = expected;
      mine.add(variable.compare_exchange_strong(found, value, order) ? 1 : 0);
      break;
    }
    case 'E':
      while (variable.load(order) != value) {
      }
      break;
    case 'N':
      while (variable.load(order) == value) {
      }
      break;
    case 'W':
      while (variable.exchange(value, order) != expected) {
      }
      break;
    case 'M':
      mutexes[digit(operation[1])].lock();
      break;
    case 'U':
      mutexes[digit(operation[1])].unlock();
      break;
    default:
      break;
  }
}

void run(int number, const char* operations) {
  for (; *operations != '\0' && *operations != '|'; operations += kLength) perform(operations, results[number]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::thread threads[kMostThreads];
  int count = 0;
  for (const char* operations = argv[1]; operations != nullptr && count < kMostThreads; ++count) {
    threads[count] = std::thread(run, count, operations);
    operations = std::strchr(operations, '|');
    if (operations != nullptr) ++operations;
  }
  for (int number = 0; number < count; ++number) threads[number].join();
  for (int number = 0; number < count; ++number) {
    for (int at = 0; at < results[number].count; ++at) std::printf("%d ", results[number].values[at]);
    std::printf("| ");
  }
  for (const std::atomic<int>& variable : variables) std::printf("%d ", variable.load());
  std::printf("\n");
}
