// SPDX-License-Identifier: Apache-2.0
// Every crash of a tiny workload, by definition: at each moment every cache line may have been written back as it was
// after any of its uncertain stores, and every non-temporal word may be present or not. Each distinct image is
// recovered and probed in a process of its own. Nothing is omitted, and nothing is optimised.
//
// One line of output for each different outcome: the number of completed operations, the open one (or -1), and the
// results of the probes, or "crash" or "hang".
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "stepping.hpp"

// With a single thread no operation waits. Acquiring a mutex is a locked instruction, releasing it need not be one.
extern "C" int pthread_mutex_lock(pthread_mutex_t*) noexcept {
  asm volatile("lock; orl $0, (%%rsp)" ::: "memory", "cc");
  return 0;
}
extern "C" int pthread_mutex_unlock(pthread_mutex_t*) noexcept { return 0; }

namespace naive {

inline std::string show(bool value) { return value ? "true" : "false"; }
inline std::string show(const std::string& value) { return '"' + value + '"'; }
template <typename Number>
  requires std::is_integral_v<Number>
std::string show(Number value) {
  return std::to_string(value);
}
template <typename Value>
std::string show(const std::optional<Value>& value) {
  return value ? show(*value) : "null";
}
template <typename... Value>
std::string show(const std::tuple<Value...>& value) {
  std::string text;
  std::apply([&](const auto&... each) { ((text += (text.empty() ? "[" : ", ") + show(each)), ...); }, value);
  return text + "]";
}
template <typename Value>
std::string show(const std::vector<Value>& values) {
  std::string text = "[";
  for (const auto& each : values) text += (text.size() == 1 ? "" : ", ") + show(each);
  return text + "]";
}

/// A call, and its result as JSON.
template <typename Run>
std::string result_of(const Run& run) {
  if constexpr (std::is_void_v<decltype(run())>) {
    run();
    return "null";
  } else {
    return show(run());
  }
}

template <typename Object>
using Call = std::string (*)(Object&);

using Image = std::map<std::uint64_t, std::uint64_t>;  // words that differ from the beginning

/// The stores to a cache line, or the non-temporal stores to one word, and how many of them are certain.
struct Stored {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stores;
  std::size_t certain = 0;
  std::size_t flushed = 0;  // certain after the next fence
};

class Machine {
 public:
  void take(const Step& step) {
    constexpr std::uint64_t kPast = 1;  // lines are even
    if (step.does == Does::kStore) stored_[step.at / 64 * 64].stores.emplace_back(step.at, step.word);
    if (step.does == Does::kStreams) {
      Stored& word = stored_[step.at + kPast];
      word.stores.emplace_back(step.at, step.word);
      word.flushed = word.stores.size();
    }
    if (step.does == Does::kFlush || step.does == Does::kFlushLater) {
      Stored& line = stored_[step.at / 64 * 64];
      (step.does == Does::kFlush ? line.certain : line.flushed) = line.stores.size();
    }
    if (step.does != Does::kFence) return;
    for (auto& [at, each] : stored_) each.certain = std::max(each.certain, each.flushed);
  }

  template <typename Each>
  void for_each_image(const Each& each) const {
    Image image;
    choose(stored_.begin(), image, each);
  }

 private:
  using Stores = std::map<std::uint64_t, Stored>;

  template <typename Each>
  void choose(Stores::const_iterator at, Image& image, const Each& each) const {
    if (at == stored_.end()) {
      each(image);
      return;
    }
    const Image before = image;
    const Stored& all = at->second;
    const auto next = std::next(at);
    for (std::size_t kept = 0; kept <= all.stores.size(); ++kept) {
      if (kept > 0) image[all.stores[kept - 1].first] = all.stores[kept - 1].second;
      if (kept >= all.certain) choose(next, image, each);
    }
    image = before;
  }

  Stores stored_;
};

template <typename Object>
class Enumerator {
 public:
  int run(const std::vector<Call<Object>>& workload, const std::vector<Call<Object>>& probes) {
    // At the same address in each process, since all are copies of this one. Every copy has a pool of its own.
    the_pool.memory = static_cast<char*>(map(linpoint::Pool::kSize, MAP_PRIVATE));
    shadow = static_cast<std::uint64_t*>(map(linpoint::Pool::kSize, MAP_PRIVATE));
    the_trace = static_cast<Trace*>(map(sizeof(Trace), MAP_SHARED));
    initial_ = static_cast<char*>(map(linpoint::Pool::kSize, MAP_SHARED));
    said_ = static_cast<char*>(map(kMostSaid, MAP_SHARED));
    root_ = static_cast<void**>(map(sizeof(void*), MAP_SHARED));
    if (in_a_process([&] { trace(workload); }) != 0 || the_trace->count == Trace::kMost) return 2;
    std::printf("[");
    for (std::size_t each = 0; each < workload.size(); ++each)
      std::printf("%s%s", each == 0 ? "" : ", ", the_trace->results[each]);
    std::printf("]\n");
    Machine machine;
    std::size_t completed = 0;
    bool open = false;
    for (std::size_t at = 0; at < the_trace->count; ++at) {
      const Step& step = the_trace->steps[at];
      machine.take(step);
      if (step.does == Does::kCall) open = true;
      if (step.does == Does::kReturn) {
        open = false;
        ++completed;
      }
      machine.for_each_image([&](const Image& image) { test(image, completed, open, step.cursor, probes); });
    }
    std::fprintf(stderr, "%zu images\n", images_.size());
    return 0;
  }

 private:
  static constexpr std::size_t kMostSaid = 1 << 16;

  static void* map(std::size_t size, int shared) {
    return mmap(nullptr, size, PROT_READ | PROT_WRITE, shared | MAP_ANONYMOUS, -1, 0);
  }

  template <typename Run>
  static int in_a_process(const Run& run) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      run();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  void trace(const std::vector<Call<Object>>& workload) {
    Object* object = Object::create(the_pool);
    std::memcpy(initial_, the_pool.memory, linpoint::Pool::kSize);
    std::memcpy(shadow, the_pool.memory, linpoint::Pool::kSize);
    *root_ = the_pool.root();
    begin_steps();
    for (std::size_t each = 0; each < workload.size(); ++each) {
      operation = static_cast<std::uint32_t>(each);
      add(Does::kCall);
      std::string result;
      step_through([&] { result = workload[each](*object); });
      add(Does::kReturn);
      std::snprintf(the_trace->results[each], sizeof the_trace->results[each], "%s", result.c_str());
    }
  }

  void test(const Image& image, std::size_t completed, bool open, std::size_t cursor,
            const std::vector<Call<Object>>& probes) {
    if (!images_.emplace(image, completed, open, cursor).second) return;
    const int status = in_a_process([&] { recover(image, cursor, probes); });
    std::string outcome = status == 0 ? said_ : "\"crash\"";
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGVTALRM || WTERMSIG(status) == SIGALRM)) outcome = "\"hang\"";
    if (!outcomes_.emplace(outcome, completed, open).second) return;
    const int which = open ? static_cast<int>(completed) : -1;
    std::printf("{\"completed\": %zu, \"open\": %d, \"seen\": %s}\n", completed, which, outcome.c_str());
  }

  void recover(const Image& image, std::size_t cursor, const std::vector<Call<Object>>& probes) {
    constexpr rlimit kNone{0, 0};
    setrlimit(RLIMIT_CORE, &kNone);
    constexpr itimerval kEnough{{0, 0}, {0, 200'000}};  // processor time of its own, even on a busy machine
    setitimer(ITIMER_VIRTUAL, &kEnough, nullptr);
    alarm(20);
    std::memcpy(the_pool.memory, initial_, linpoint::Pool::kSize);
    for (const auto& [at, word] : image) std::memcpy(the_pool.memory + at, &word, sizeof word);
    the_pool.set_root(*root_);
    the_pool.cursor = cursor;
    Object* object = Object::recover(the_pool);
    std::string results = "[";
    for (const auto probe : probes) results += (results.size() == 1 ? "" : ", ") + probe(*object);
    std::snprintf(said_, kMostSaid, "%s]", results.c_str());
  }

  char* initial_ = nullptr;
  char* said_ = nullptr;
  void** root_ = nullptr;
  std::set<std::tuple<Image, std::size_t, bool, std::size_t>> images_;
  std::set<std::tuple<std::string, std::size_t, bool>> outcomes_;
};

}  // namespace naive
