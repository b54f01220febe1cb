// SPDX-License-Identifier: Apache-2.0
// What the system knows about the threads of this process. A thread that is runnable but gets no processor is neither
// asleep nor in an infinite loop, however long that lasts: the machine is busy with other work.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace linpoint::detail {

inline pid_t thread_id() { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// Nanoseconds of processor time of a thread of this process; 0 if it has ended.
inline std::uint64_t processor_time(pid_t thread) {
  // Linux encodes the clock of a thread as the complement of its number plus the bits 6: its scheduler's clock.
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U);
  struct timespec used{};
  if (clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(used.tv_nsec);
}

/// Whether a thread of this process has a processor or is queued for one.
inline bool is_runnable(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 256> block{};
  const ssize_t size = read(file, block.data(), block.size());
  (void)close(file);
  const std::string_view line(block.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t name_end = line.rfind(')');  // the name of a thread may contain any character
  return name_end != std::string_view::npos && line.substr(name_end).starts_with(") R");
}

/// The processor time that the threads of this process have used since a moment.
class ProcessorShares {
 public:
  void begin() {
    used_.clear();
    for_each_other_thread([this](pid_t thread) { used_[thread] = processor_time(thread); });
  }

  /// Whether a thread is runnable and has used less than `least` nanoseconds.
  [[nodiscard]] bool any_starved(std::uint64_t least) const {
    bool starved = false;
    for_each_other_thread([&](pid_t thread) {
      const auto before = used_.find(thread);
      const std::uint64_t used = processor_time(thread) - (before == used_.end() ? 0 : before->second);
      starved = starved || (used < least && is_runnable(thread));
    });
    return starved;
  }

 private:
  template <typename Visit>
  static void for_each_other_thread(Visit visit) {
    DIR* const threads = opendir("/proc/self/task");
    if (threads == nullptr) return;
    const pid_t self = thread_id();
    while (const dirent* const entry = readdir(threads)) {
      const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
      if (thread > 0 && thread != self) visit(thread);
    }
    (void)closedir(threads);
  }

  std::map<pid_t, std::uint64_t> used_;
};

}  // namespace linpoint::detail
