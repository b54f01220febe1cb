// SPDX-License-Identifier: Apache-2.0
#include "host/crash/pristine_process.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "host/base/child_process.hpp"

namespace linpoint::runtime::crash {

namespace {

constexpr std::size_t kMostProbes = std::size_t{1} << 16U;
constexpr std::size_t kMostText = std::size_t{8} << 20U;
constexpr std::size_t kMostMessage = 1000;
constexpr std::uint32_t kFinished = 0x600DCAFE;

template <typename T>
T* map_shared(std::size_t size) {
  void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<T*>(mapped);
}

}  // namespace

struct Keeper::Shared {
  std::uint64_t cursor = 0;
  std::size_t extent = 0;
  std::int64_t fuel = 0;
  std::size_t probes_count = 0;
  std::array<unsigned, kMostProbes> probes{};

  Ended ended = Ended::kComplete;
  std::uint64_t place = 0;
  std::size_t message_size = 0;
  std::array<char, kMostMessage> message{};
  std::size_t results_count = 0;
  std::array<std::uint32_t, kMostProbes> ends{};
  std::array<char, kMostText> text{};
  std::uint32_t token = 0;
};

Keeper::~Keeper() { stop(); }

void Keeper::stop() {
  if (process_ <= 0) return;
  ::close(channel_);
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
}

bool Keeper::start() {
  shared_ = map_shared<Shared>(sizeof(Shared));
  image_ = map_shared<std::byte>(the_pool.span());
  int channels[2];
  if (shared_ == nullptr || image_ == nullptr || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels) != 0)
    return false;
  process_ = fork_tied_to_parent();
  if (process_ == 0) {
    ::close(channels[0]);
    serve(channels[1]);
  }
  ::close(channels[1]);
  channel_ = channels[0];
  return process_ > 0;
}

void Keeper::serve(int channel) const {
  char request = 0;
  while (::read(channel, &request, 1) == 1) {
    const pid_t child = fork_tied_to_parent();
    if (child == 0) {
      run_and_exit();
    }
    int status = 0;
    if (child > 0) ::waitpid(child, &status, 0);
    const char answer = child > 0 ? '.' : '!';
    if (::write(channel, &answer, 1) != 1) break;
  }
  _exit(0);
}

void Keeper::run_and_exit() const {
  // For a process that waits in the kernel: the watchdog counts processor time.
  constexpr unsigned kSeconds = 20;
  ::alarm(kSeconds);
  library::after_fork();
  std::memcpy(the_pool.memory(), image_, shared_->extent);
  the_pool.take_back(shared_->cursor);
  if (!the_pool.separate()) _exit(1);
  const std::span probes(shared_->probes.data(), shared_->probes_count);
  const Outcome& outcome = the_runner.run_probes(probes, shared_->fuel);
  shared_->ended = outcome.ended;
  shared_->place = outcome.place;
  shared_->message_size = std::min(outcome.message.size(), kMostMessage);
  std::memcpy(shared_->message.data(), outcome.message.data(), shared_->message_size);
  const Results& results = outcome.results;
  shared_->results_count = results.size();
  std::ranges::copy(results.ends, shared_->ends.begin());
  std::memcpy(shared_->text.data(), results.text.data(), std::min(results.text.size(), kMostText));
  shared_->token = kFinished;
  _exit(0);
}

bool Keeper::run(std::span<const unsigned> probes, std::uint64_t cursor, std::size_t extent, std::int64_t fuel,
                 Outcome& outcome) {
  if (process_ <= 0 || probes.size() > kMostProbes) return false;
  shared_->token = 0;
  shared_->cursor = cursor;
  shared_->extent = extent;
  shared_->fuel = fuel;
  shared_->probes_count = probes.size();
  std::ranges::copy(probes, shared_->probes.begin());
  std::memcpy(image_, the_pool.memory(), extent);
  char answer = 'r';
  if (::write(channel_, &answer, 1) != 1 || ::read(channel_, &answer, 1) != 1 || answer != '.') return false;
  outcome.results.clear();
  if (shared_->token != kFinished) {
    outcome.ended = Ended::kCrash;
    outcome.message = "the program terminated its process";
    outcome.place = 0;
    return true;
  }
  outcome.ended = shared_->ended;
  outcome.place = shared_->place;
  outcome.message.assign(shared_->message.data(), shared_->message_size);
  outcome.results.ends.assign(shared_->ends.begin(),
                              shared_->ends.begin() + static_cast<std::ptrdiff_t>(shared_->results_count));
  const std::size_t size = outcome.results.ends.empty() ? 0 : outcome.results.ends.back();
  if (size > kMostText) return false;
  outcome.results.text.assign(shared_->text.begin(), shared_->text.begin() + static_cast<std::ptrdiff_t>(size));
  return true;
}

}  // namespace linpoint::runtime::crash
