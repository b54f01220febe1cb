// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/threads/thread_local_storage.hpp"

#include <asm/prctl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"

namespace {

/// The loader's identification of a variable.
struct StorageIndex {
  unsigned long module = 0;
  unsigned long offset = 0;
};

}  // namespace

extern "C" void* __tls_get_addr(StorageIndex* index);  // NOLINT(bugprone-reserved-identifier)

namespace linpoint::runtime {

Storage the_storage;

namespace {

/// The per-thread exception state of the C++ library (`__cxa_eh_globals` of the Itanium ABI).
struct Exceptions {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};
std::array<Exceptions, kMostThreads> exceptions_of_threads;
Exceptions exceptions_of_host;
bool any_exception = false;

void* own_base() {
  unsigned long base = 0;
  ::syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
  return reinterpret_cast<void*>(base);  // NOLINT(performance-no-int-to-ptr)
}

unsigned char* own_variables(std::size_t module) {
  StorageIndex index{module, 0};
  return static_cast<unsigned char*>(__tls_get_addr(&index));
}

/// The messages to and from a thread whose storage is borrowed.
struct Lending {
  sem_t ready{};
  void* base = nullptr;
  HostVector<std::size_t> modules;
  HostVector<unsigned char*> variables;
};

}  // namespace

void* Storage::wait_for_ever(void* argument) {
  auto& lending = *static_cast<Lending*>(argument);
  lending.base = own_base();
  for (const std::size_t module : lending.modules) lending.variables.push_back(own_variables(module));
  static constinit Real<int(sem_t*)> post("sem_post");
  post(&lending.ready);
  // Not the function that the program must not call: the program may be running by now.
  static constinit Real<int()> pause("pause");
  for (;;) pause();
}

bool Storage::borrow(Borrowed& borrowed) {
  Lending lending;
  ::sem_init(&lending.ready, 0, 0);
  for (const Variables& variables : variables_) lending.modules.push_back(variables.number);
  using Start = void*(void*);
  static constinit Real<int(pthread_t*, const pthread_attr_t*, Start*, void*)> create("pthread_create");
  static constinit Real<int(sem_t*)> wait("sem_wait");
  // It receives no signals: those are for the thread that runs the program.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool created = create(&thread, nullptr, wait_for_ever, &lending) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!created) return false;
  while (wait(&lending.ready) != 0) {
  }
  borrowed.base = lending.base;
  borrowed.variables = lending.variables;
  return true;
}

void Storage::keep(const SharedObjects& objects) {
  for (const SharedObject& object : objects.program) {
    needed_ = needed_ || object.uses_storage || object.storage_number != 0;
    if (object.storage_number == 0) continue;
    Variables variables;
    variables.number = object.storage_number;
    const unsigned char* own = own_variables(object.storage_number);
    variables.of_main.assign(own, own + object.storage_size);
    variables_.push_back(std::move(variables));
  }
  if (!needed_) return;
  Borrowed own;
  own.base = own_base();
  for (const Variables& variables : variables_) own.variables.push_back(own_variables(variables.number));
  borrowed_.push_back(std::move(own));
}

void* Storage::fresh(Thread thread) {
  if (!needed_) return nullptr;
  const OutOfProgram host;
  while (borrowed_.size() <= thread) {
    Borrowed more;
    if (!borrow(more)) refuse("no system thread is available to provide thread-local storage");
    for (std::size_t index = 0; index < variables_.size(); ++index) {
      Variables& variables = variables_[index];
      if (!variables.of_others.empty()) continue;
      const unsigned char* first = more.variables[index];
      variables.of_others.assign(first, first + variables.of_main.size());
    }
    borrowed_.push_back(std::move(more));
  }
  const Borrowed& borrowed = borrowed_[thread];
  for (std::size_t index = 0; index < variables_.size(); ++index) {
    const Variables& variables = variables_[index];
    const HostVector<unsigned char>& bytes = thread == 0 ? variables.of_main : variables.of_others;
    std::memcpy(borrowed.variables[index], bytes.data(), bytes.size());
  }
  return borrowed.base;
}

void Storage::keep_again() {
  for (std::size_t index = 0; index < variables_.size(); ++index) {
    const unsigned char* now = borrowed_.front().variables[index];
    variables_[index].kept.assign(now, now + variables_[index].of_main.size());
  }
}

void Storage::restore() const {
  for (std::size_t index = 0; index < variables_.size(); ++index) {
    const HostVector<unsigned char>& kept = variables_[index].kept;
    if (!kept.empty()) std::memcpy(borrowed_.front().variables[index], kept.data(), kept.size());
  }
}

void forget_exceptions() {
  if (any_exception) exceptions_of_threads.fill({});
  any_exception = false;
}

}  // namespace linpoint::runtime

extern "C" {

// The C++ library calls these by name, so that fibers need no thread-local storage for exceptions.
void* __cxa_get_globals() {  // NOLINT(bugprone-reserved-identifier)
  using namespace linpoint::runtime;
  if (!in_program()) return &exceptions_of_host;
  any_exception = true;
  return &exceptions_of_threads[current_thread()];
}
void* __cxa_get_globals_fast() { return __cxa_get_globals(); }  // NOLINT(bugprone-reserved-identifier)
}
