// SPDX-License-Identifier: Apache-2.0
// Functions that cannot be repeated in another run, or cannot be controlled: the exploration ends with their name.
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/interpose/process/malloc_free.hpp"

namespace linpoint::runtime {

namespace {

void refuse_call(const char* name) {
  const OutOfProgram host;
  refuse(std::string("the program calls ") + name + "(), which cannot be repeated in every run");
}

}  // namespace

}  // namespace linpoint::runtime

// A function that the program must not call. For the host, the real function takes its arguments from unchanged
// registers, whatever they are: this one jumps to it.
//
// The first instructions check the phase; the host itself continues to the real function.
#define LINPOINT_REFUSED(name)                                                                        \
  namespace linpoint::runtime::refused {                                                              \
  extern "C" void* linpoint_real_##name;                                                              \
  void* linpoint_real_##name = nullptr;                                                               \
  extern "C" __attribute__((used)) void* linpoint_find_##name() {                                     \
    if (!by_host()) refuse_call(#name);                                                               \
    if (linpoint_real_##name == nullptr) linpoint_real_##name = ::dlsym(RTLD_NEXT, #name);            \
    return linpoint_real_##name;                                                                      \
  }                                                                                                   \
  }                                                                                                   \
  __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name                                \
          ":\n"                                                                                       \
          "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n  push %rax\n" \
          "  call linpoint_find_" #name                                                               \
          "\n"                                                                                        \
          "  mov %rax, %r11\n"                                                                        \
          "  pop %rax\n  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"        \
          "  jmp *%r11\n.size " #name ", .-" #name "\n");

LINPOINT_REFUSED(fork)
LINPOINT_REFUSED(vfork)
LINPOINT_REFUSED(clone)
LINPOINT_REFUSED(execv)
LINPOINT_REFUSED(execve)
LINPOINT_REFUSED(execvp)
LINPOINT_REFUSED(execl)
LINPOINT_REFUSED(execlp)
LINPOINT_REFUSED(posix_spawn)
LINPOINT_REFUSED(posix_spawnp)
LINPOINT_REFUSED(system)
LINPOINT_REFUSED(popen)
LINPOINT_REFUSED(waitpid)
LINPOINT_REFUSED(open)
LINPOINT_REFUSED(open64)
LINPOINT_REFUSED(openat)
LINPOINT_REFUSED(creat)
LINPOINT_REFUSED(fopen)
LINPOINT_REFUSED(fopen64)
LINPOINT_REFUSED(freopen)
LINPOINT_REFUSED(fdopen)
LINPOINT_REFUSED(tmpfile)
LINPOINT_REFUSED(opendir)
LINPOINT_REFUSED(unlink)
LINPOINT_REFUSED(rename)
LINPOINT_REFUSED(mkdir)
LINPOINT_REFUSED(dup)
LINPOINT_REFUSED(dup2)
LINPOINT_REFUSED(dup3)
LINPOINT_REFUSED(fcntl)
LINPOINT_REFUSED(pipe)
LINPOINT_REFUSED(pipe2)
LINPOINT_REFUSED(eventfd)
LINPOINT_REFUSED(epoll_create)
LINPOINT_REFUSED(epoll_create1)
LINPOINT_REFUSED(epoll_wait)
LINPOINT_REFUSED(poll)
LINPOINT_REFUSED(select)
LINPOINT_REFUSED(socket)
LINPOINT_REFUSED(socketpair)
LINPOINT_REFUSED(connect)
LINPOINT_REFUSED(accept)
LINPOINT_REFUSED(signal)
LINPOINT_REFUSED(sigaction)
LINPOINT_REFUSED(kill)
LINPOINT_REFUSED(pthread_kill)
LINPOINT_REFUSED(pthread_cancel)
LINPOINT_REFUSED(pthread_getattr_np)
LINPOINT_REFUSED(pthread_getcpuclockid)
LINPOINT_REFUSED(pthread_getschedparam)
LINPOINT_REFUSED(pthread_setschedprio)
LINPOINT_REFUSED(pthread_timedjoin_np)
LINPOINT_REFUSED(pthread_clockjoin_np)
LINPOINT_REFUSED(sem_open)
LINPOINT_REFUSED(mq_open)
LINPOINT_REFUSED(sigwait)
LINPOINT_REFUSED(alarm)
LINPOINT_REFUSED(setitimer)
LINPOINT_REFUSED(timer_create)
LINPOINT_REFUSED(setenv)
LINPOINT_REFUSED(putenv)
LINPOINT_REFUSED(unsetenv)
LINPOINT_REFUSED(shm_open)
LINPOINT_REFUSED(shmget)
LINPOINT_REFUSED(makecontext)
LINPOINT_REFUSED(swapcontext)
LINPOINT_REFUSED(execle)
LINPOINT_REFUSED(execvpe)
LINPOINT_REFUSED(fexecve)
LINPOINT_REFUSED(wait)
LINPOINT_REFUSED(wait3)
LINPOINT_REFUSED(wait4)
LINPOINT_REFUSED(waitid)
LINPOINT_REFUSED(openat64)
LINPOINT_REFUSED(mkstemp)
LINPOINT_REFUSED(mkostemp)
LINPOINT_REFUSED(mkdtemp)
LINPOINT_REFUSED(remove)
LINPOINT_REFUSED(rmdir)
LINPOINT_REFUSED(unlinkat)
LINPOINT_REFUSED(renameat)
LINPOINT_REFUSED(link)
LINPOINT_REFUSED(symlink)
LINPOINT_REFUSED(truncate)
LINPOINT_REFUSED(truncate64)
LINPOINT_REFUSED(chmod)
LINPOINT_REFUSED(chown)
LINPOINT_REFUSED(chdir)
LINPOINT_REFUSED(fchdir)
LINPOINT_REFUSED(bind)
LINPOINT_REFUSED(listen)
LINPOINT_REFUSED(getaddrinfo)
LINPOINT_REFUSED(ppoll)
LINPOINT_REFUSED(pselect)
LINPOINT_REFUSED(timerfd_create)
LINPOINT_REFUSED(signalfd)
LINPOINT_REFUSED(inotify_init)
LINPOINT_REFUSED(memfd_create)
LINPOINT_REFUSED(killpg)
LINPOINT_REFUSED(sigqueue)
LINPOINT_REFUSED(tgkill)
LINPOINT_REFUSED(pthread_sigqueue)
LINPOINT_REFUSED(pause)
LINPOINT_REFUSED(sigsuspend)
LINPOINT_REFUSED(sigwaitinfo)
LINPOINT_REFUSED(sigtimedwait)
LINPOINT_REFUSED(setrlimit)
LINPOINT_REFUSED(setrlimit64)
LINPOINT_REFUSED(prlimit)
LINPOINT_REFUSED(prlimit64)
LINPOINT_REFUSED(prctl)
LINPOINT_REFUSED(ptrace)
LINPOINT_REFUSED(daemon)
LINPOINT_REFUSED(setsid)
LINPOINT_REFUSED(msgget)
LINPOINT_REFUSED(semget)
LINPOINT_REFUSED(setcontext)

extern "C" {

// The host loads the program itself with this function, which already counts as running.
void* dlopen(const char* path, int mode) {
  using namespace linpoint::runtime;
  if (in_program()) refuse_call("dlopen");
  static constinit Real<void*(const char*, int)> next("dlopen");
  return next(path, mode);
}

int raise(int number) {
  using namespace linpoint::runtime;
  if (!by_host()) {
    const OutOfProgram host;
    fail(Fault::kCrash, "the program raises signal " + std::to_string(number), __builtin_return_address(0));
  }
  static constinit Real<int(int)> next("raise");
  return next(number);
}

void* mmap(void* wanted, std::size_t size, int protection, int flags, int file, off_t offset) {
  using namespace linpoint::runtime;
  if (by_host()) {
    static constinit Real<void*(void*, std::size_t, int, int, int, off_t)> next("mmap");
    return next(wanted, size, protection, flags, file, offset);
  }
  constexpr std::size_t kPage = 4096;
  if ((flags & MAP_ANONYMOUS) == 0 || (flags & MAP_FIXED) != 0 || (protection & PROT_EXEC) != 0)
    refuse_call("mmap of files or at fixed addresses");
  void* block = allocate(size, kPage, __builtin_return_address(0));
  return block == nullptr ? MAP_FAILED : block;
}
void* mmap64(void* wanted, std::size_t size, int protection, int flags, int file, off_t offset) {
  return mmap(wanted, size, protection, flags, file, offset);
}
int munmap(void* block, std::size_t size) {
  using namespace linpoint::runtime;
  if (!by_host() && heap().contains(reinterpret_cast<std::uintptr_t>(block))) {
    release(block, __builtin_return_address(0));
    return 0;
  }
  static constinit Real<int(void*, std::size_t)> next("munmap");
  return next(block, size);
}
}
