// SPDX-License-Identifier: Apache-2.0
// Threads of C11: one waits until the other has signalled.
#include <threads.h>

#include <cassert>

namespace {

constexpr int kResult = 7;

mtx_t mutex;
cnd_t condition;
bool ready;

int signal(void* /*argument*/) {
  mtx_lock(&mutex);
  ready = true;
  cnd_signal(&condition);
  mtx_unlock(&mutex);
  return kResult;
}

}  // namespace

int main() {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  thrd_t other{};
  thrd_create(&other, signal, nullptr);
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&condition, &mutex);
  mtx_unlock(&mutex);
  int result = 0;
  thrd_join(other, &result);
  assert(result == kResult);
}
