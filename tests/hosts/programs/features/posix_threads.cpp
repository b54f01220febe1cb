// SPDX-License-Identifier: Apache-2.0
// Threads, locks, keys, barriers and semaphores of POSIX.
#include <pthread.h>
#include <semaphore.h>

#include <cassert>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_key_t key;
sem_t semaphore;
int counter;

void* work(void* argument) {
  pthread_setspecific(key, argument);
  sem_wait(&semaphore);
  pthread_mutex_lock(&mutex);
  ++counter;
  pthread_mutex_unlock(&mutex);
  sem_post(&semaphore);
  return pthread_getspecific(key);
}

}  // namespace

int main() {
  int number = 1;
  pthread_key_create(&key, nullptr);
  sem_init(&semaphore, 0, 1);
  pthread_t other{};
  pthread_create(&other, nullptr, work, &number);
  work(&number);
  void* returned = nullptr;
  pthread_join(other, &returned);
  assert(returned == &number);
  assert(counter == 2);
  pthread_key_delete(key);
}
