// SPDX-License-Identifier: Apache-2.0
// Does with locks, condition variables and semaphores what its arguments say, one for each thread, a letter for each
// operation; prints what the threads saw of it.
#include <pthread.h>
#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
sem_t semaphore;
std::atomic<int> counter;
std::atomic<int> flag;

void count_ten() { counter.fetch_add(10, std::memory_order_relaxed); }

class Thread {
 public:
  void operate(char operation) {
    if (std::string("lutw").find(operation) != std::string::npos) {
      use_mutex(operation);
    } else if (std::string("rxeyq").find(operation) != std::string::npos) {
      use_shared(operation);
    } else {
      use_others(operation);
    }
  }
  void leave() {
    use_mutex('u');
    use_shared('e');
  }
  [[nodiscard]] const std::string& seen() const { return seen_; }

 private:
  void use_mutex(char operation) {
    if (operation == 'u') {
      if (locked_) pthread_mutex_unlock(&mutex);
      locked_ = false;
    } else if (operation == 't') {
      if (!locked_) seen_ += (locked_ = pthread_mutex_trylock(&mutex) == 0) ? 'T' : 'F';
    } else if (!locked_) {
      pthread_mutex_lock(&mutex);
      locked_ = true;
    }
    if (operation == 'w') pthread_cond_wait(&condition, &mutex);
  }

  void use_shared(char operation) {
    if (operation == 'e') {
      if (holds_) pthread_rwlock_unlock(&shared);
      holds_ = false;
    } else if (!holds_) {
      if (operation == 'y' || operation == 'q') {
        holds_ = (operation == 'y' ? pthread_rwlock_trywrlock(&shared) : pthread_rwlock_tryrdlock(&shared)) == 0;
        seen_ += holds_ ? 'H' : 'N';
        return;
      }
      operation == 'r' ? pthread_rwlock_rdlock(&shared) : pthread_rwlock_wrlock(&shared);
      holds_ = true;
    }
  }

  void use_others(char operation) {
    if (operation == 's') pthread_cond_signal(&condition);
    if (operation == 'b') pthread_cond_broadcast(&condition);
    if (operation == 'p') sem_post(&semaphore);
    if (operation == 'd') sem_wait(&semaphore);
    if (operation == 'v') seen_ += sem_trywait(&semaphore) == 0 ? 'D' : 'E';
    if (operation == 'o') pthread_once(&once, count_ten);
    if (operation == '+') seen_ += std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
    if (operation == 'n') {
      flag.store(1);
      flag.notify_all();
    }
    if (operation == 'h') flag.wait(0);
  }

  bool locked_ = false;
  bool holds_ = false;
  std::string seen_;
};

}  // namespace

int main(int count, char** arguments) {
  sem_init(&semaphore, 0, 1);
  std::vector<Thread> states(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int number = 1; number < count; ++number)
    threads.emplace_back([&state = states[static_cast<std::size_t>(number)], operations = arguments[number]] {
      for (const char* next = operations; *next != '\0'; ++next) state.operate(*next);
      state.leave();
    });
  for (std::thread& thread : threads) thread.join();
  for (const Thread& state : states) std::printf("%s|", state.seen().c_str());
}
