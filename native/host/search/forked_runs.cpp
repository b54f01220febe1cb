// SPDX-License-Identifier: Apache-2.0
#include "host/search/forked_runs.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "host/base/result_qualifications.hpp"
#include "host/core/memory_accesses.hpp"
#include "host/core/scheduler.hpp"

namespace linpoint::runtime {

namespace {

using explore::Access;
using explore::Process;

enum class Message : std::uint8_t { kChoose, kEnd, kOver };

/// Numbers and text over a socket; if it is broken, everything reads as 0.
class Channel {
 public:
  explicit Channel(int file) : file_(file) {}

  void put_bytes(const void* bytes, std::size_t size) {
    const auto* at = static_cast<const char*>(bytes);
    while (size > 0 && whole_) {
      const ssize_t done = ::send(file_, at, size, MSG_NOSIGNAL);
      whole_ = done > 0;
      if (!whole_) return;
      at += done;
      size -= static_cast<std::size_t>(done);
    }
  }
  void get_bytes(void* bytes, std::size_t size) {
    auto* at = static_cast<char*>(bytes);
    while (size > 0 && whole_) {
      const ssize_t done = ::recv(file_, at, size, 0);
      whole_ = done > 0;
      if (!whole_) return;
      at += done;
      size -= static_cast<std::size_t>(done);
    }
  }
  template <typename Value>
  void put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    put_bytes(&value, sizeof value);
  }
  template <typename Value>
  [[nodiscard]] Value get() {
    Value value{};
    get_bytes(&value, sizeof value);
    return whole_ ? value : Value{};
  }
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  int file_;
  bool whole_ = true;
};

/// A string or a vector.
template <typename Sequence>
void put_all(Channel& channel, const Sequence& items) {
  channel.put(items.size());
  channel.put_bytes(static_cast<const void*>(items.data()), items.size() * sizeof(*items.data()));
}

template <typename Sequence>
void get_all(Channel& channel, Sequence& items) {
  items.resize(channel.get<std::size_t>());
  channel.get_bytes(static_cast<void*>(items.data()), items.size() * sizeof(*items.data()));
}

void put_finding(Channel& channel, const Finding& finding) {
  channel.put(finding.fault);
  put_all(channel, finding.message);
  put_all(channel, finding.places);
  channel.put(finding.address);
  put_all(channel, finding.schedule);
  channel.put(finding.preemptions);
  put_all(channel, finding.printed);
}

Finding get_finding(Channel& channel) {
  Finding finding;
  finding.fault = channel.get<Fault>();
  get_all(channel, finding.message);
  get_all(channel, finding.places);
  finding.address = channel.get<std::uint64_t>();
  get_all(channel, finding.schedule);
  finding.preemptions = channel.get<std::uint64_t>();
  get_all(channel, finding.printed);
  return finding;
}

/// Sends the qualifications of all runs so far: the process began with those known before.
void put_besides(Channel& channel) {
  channel.put(qualified.size());
  for (const std::string& sentence : qualified) put_all(channel, sentence);
  channel.put(reported_races.size());
  for (const Finding& race : reported_races) put_finding(channel, race);
}

void get_besides(Channel& channel) {
  qualified.resize(channel.get<std::size_t>());
  for (std::string& sentence : qualified) get_all(channel, sentence);
  reported_races.clear();
  for (auto count = channel.get<std::size_t>(); count > 0; --count) reported_races.push_back(get_finding(channel));
}

/// The search, as the run sees it.
class RemoteExplorer final : public explore::Explorer {
 public:
  explicit RemoteExplorer(Channel& channel) : channel_(channel) {}

 private:
  bool begin_run() override { return true; }

  Process choose_next(const explore::View& view) override {
    channel_.put(Message::kChoose);
    put_view(view);
    return channel_.get<Process>();
  }

  void end_run(const explore::View& view, explore::Ending ending) override {
    channel_.put(Message::kEnd);
    put_view(view);
    channel_.put(ending);
  }

  void put_view(const explore::View& view) {
    channel_.put(view.running);
    put_all(channel_, view.event);
    channel_.put(view.processes.size());
    for (const explore::Pending& process : view.processes) {
      channel_.put(process.alive);
      channel_.put(process.enabled);
      channel_.put(process.yields);
      put_all(channel_, process.accesses);
    }
  }

  Channel& channel_;
};

/// A view that was received over the channel.
class RemoteView {
 public:
  explicit RemoteView(Channel& channel) : running_(channel.get<Process>()) {
    get_all(channel, event_);
    processes_.resize(channel.get<std::size_t>());
    accesses_.resize(processes_.size());
    for (std::size_t at = 0; at < processes_.size(); ++at) {
      processes_[at].alive = channel.get<bool>();
      processes_[at].enabled = channel.get<bool>();
      processes_[at].yields = channel.get<bool>();
      get_all(channel, accesses_[at]);
      processes_[at].accesses = accesses_[at];
    }
  }
  [[nodiscard]] explore::View view() const { return {processes_, running_, event_}; }

 private:
  Process running_;
  std::vector<Access> event_;
  std::vector<explore::Pending> processes_;
  std::vector<std::vector<Access>> accesses_;
};

/// In the process of the run. It sends the result before the last message, so that the first process sends none.
[[noreturn]] void run_and_exit(int file, int (*program)(int, char**, char**), SearchResult result) {
  Channel channel(file);
  RemoteExplorer explorer(channel);
  static_cast<void>(explorer.begin());
  const RunEnd end = scheduler.run(explorer, program);
  const bool says = end == RunEnd::kFinding || end == RunEnd::kRefused;
  if (says) {
    result.progress.steps += explorer.progress().steps;
    result.ended = end == RunEnd::kFinding ? "finding" : "refused";
    if (end == RunEnd::kFinding) result.finding = scheduler.finding();
    result.reason = refused_for;
    send_result(result);
  }
  const std::string_view printed = library::printed();
  channel.put(Message::kOver);
  channel.put(end);
  put_all(channel, printed);
  put_besides(channel);
  _exit(0);
}

/// In the first process, until the run is over.
IsolatedRun answer(Channel& channel, explore::Explorer& explorer) {
  IsolatedRun run;
  for (;;) {
    const auto message = channel.get<Message>();
    if (!channel.whole()) break;
    if (message == Message::kOver) {
      run.end = channel.get<RunEnd>();
      run.said = run.end == RunEnd::kFinding || run.end == RunEnd::kRefused;
      get_all(channel, run.printed);
      get_besides(channel);
      run.lost = !channel.whole();
      return run;
    }
    const RemoteView remote(channel);
    if (message == Message::kEnd) {
      const auto ending = channel.get<explore::Ending>();
      if (channel.whole()) explorer.end(remote.view(), ending);
    } else if (channel.whole()) {
      channel.put(explorer.choose(remote.view()));
    }
  }
  run.lost = true;
  return run;
}

}  // namespace

IsolatedRun run_isolated(explore::Explorer& explorer, int (*program)(int, char**, char**), const SearchResult& result) {
  IsolatedRun run;
  int files[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, files) != 0) {
    run.lost = true;
    return run;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(files[0]);
    library::after_fork();
    run_and_exit(files[1], program, result);
  }
  ::close(files[1]);
  Channel channel(files[0]);
  run = answer(channel, explorer);
  ::close(files[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return run;
}

}  // namespace linpoint::runtime
