// SPDX-License-Identifier: Apache-2.0
#include "host/core/os_thread_backend.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "host/core/fibers.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

namespace {

struct OsThread {
  const Fiber* fiber = nullptr;
  void (*entry)() = nullptr;
  pthread_t name{};
  pthread_cond_t may_go = PTHREAD_COND_INITIALIZER;
  bool goes = false;
  bool quits = false;
};

pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t host_may_go = PTHREAD_COND_INITIALIZER;
bool host_goes = true;
std::vector<std::unique_ptr<OsThread>> os_threads;

OsThread& thread_of(const Fiber& fiber) {
  std::size_t at = 0;
  while (os_threads[at]->fiber != &fiber) ++at;
  return *os_threads[at];
}

/// Waits until it is the thread's turn. The waiting functions must be those of the C library, not of the program.
void wait_for(OsThread& thread) {
  while (!thread.goes) pthread_cond_wait(&thread.may_go, &turn);
  thread.goes = false;
  pthread_mutex_unlock(&turn);
  // Its stack belongs to a run that is over: nothing may be unwound.
  if (thread.quits) syscall(SYS_exit, 0);
  phase = Phase::kRunning;
}

void* run_thread(void* argument) {
  auto& thread = *static_cast<OsThread*>(argument);
  pthread_mutex_lock(&turn);
  wait_for(thread);
  thread.entry();
  return nullptr;
}

void let_go(OsThread& thread) {
  thread.goes = true;
  pthread_cond_signal(&thread.may_go);
}

}  // namespace

void begin_os_thread(const Fiber& fiber, void (*entry)()) {
  auto thread = std::make_unique<OsThread>();
  thread->fiber = &fiber;
  thread->entry = entry;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  const Range stack = fiber.stack.range();
  pthread_attr_setstack(&attributes, reinterpret_cast<void*>(stack.begin), stack.end - stack.begin);
  pthread_create(&thread->name, &attributes, run_thread, thread.get());
  pthread_attr_destroy(&attributes);
  os_threads.push_back(std::move(thread));
}

void enter_os_thread(const Fiber& fiber) {
  phase = Phase::kHost;
  pthread_mutex_lock(&turn);
  host_goes = false;
  let_go(thread_of(fiber));
  while (!host_goes) pthread_cond_wait(&host_may_go, &turn);
  pthread_mutex_unlock(&turn);
}

void leave_os_thread(const Fiber& fiber) {
  phase = Phase::kHost;
  pthread_mutex_lock(&turn);
  host_goes = true;
  pthread_cond_signal(&host_may_go);
  wait_for(thread_of(fiber));
}

void end_os_threads() {
  for (const auto& thread : os_threads) {
    pthread_mutex_lock(&turn);
    thread->quits = true;
    let_go(*thread);
    pthread_mutex_unlock(&turn);
    pthread_join(thread->name, nullptr);
  }
  os_threads.clear();
}

}  // namespace linpoint::runtime
