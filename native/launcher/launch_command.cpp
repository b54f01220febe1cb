// SPDX-License-Identifier: Apache-2.0
// The command `linpoint`: blocks Ctrl-C and executes the script `linpoint-python` next to it, which unblocks it as soon
// as it can handle it. While Python itself starts, it answers Ctrl-C with a traceback, and at some moments with exit
// code 1, which means "violation". Guarantee: linpoint answers every Ctrl-C from here on. Cost: a millisecond.
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>

#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <cstdint>
#include <cstdlib>
#endif

namespace {

constexpr char kScript[] = "linpoint-python";
constexpr int kBadInput = 2;

/// The path of this program, with links resolved.
bool own_path(std::array<char, PATH_MAX>& path) {
#ifdef __APPLE__
  std::array<char, PATH_MAX> given{};
  auto size = static_cast<std::uint32_t>(given.size());
  return _NSGetExecutablePath(given.data(), &size) == 0 && realpath(given.data(), path.data()) != nullptr;
#else
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length > 0) path[static_cast<std::size_t>(length)] = '\0';
  return length > 0;
#endif
}

}  // namespace

int main(int count, char** words) {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
  std::array<char, PATH_MAX> path{};
  if (count > 0 && own_path(path)) {
    char* const name = std::strrchr(path.data(), '/') + 1;
    if (static_cast<std::size_t>(name - path.data()) + sizeof kScript <= path.size()) {
      std::memcpy(name, kScript, sizeof kScript);
      words[0] = path.data();
      ::execv(path.data(), words);  // NOLINT(clang-analyzer-optin.taint.GenericTaint): it is this program's own path
    }
  }
  (void)std::fprintf(stderr, "error: linpoint cannot start its script %s. Install linpoint again.\n", path.data());
  return kBadInput;
}
