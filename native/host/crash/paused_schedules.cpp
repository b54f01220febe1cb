// SPDX-License-Identifier: Apache-2.0
#include "host/crash/paused_schedules.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "host/base/child_process.hpp"
#include "host/core/scheduler.hpp"
#include "host/persistent/pool_trace_recorder.hpp"

namespace linpoint::runtime::crash {

namespace {

using persistency::Event;

enum class Message : std::uint32_t { kPlace = 0x504c4143, kOverlap = 0x4f564552, kEnd = 0x454e4421 };

struct Head {
  Message message = Message::kEnd;
  std::uint32_t feasible = 0;  ///< or the number of results
  Schedule schedule;
  std::uint64_t cursor = 0;
  std::uint64_t count = 0;  ///< of lines, or of events
  std::uint64_t text = 0;   ///< bytes of the result
};

/// Maximum size of a result.
constexpr std::size_t kLongest = std::size_t{16} << 20U;
/// Maximum time without any message, in milliseconds.
constexpr int kPatience = 20'000;

// ---- The process that runs schedules --------------------------------------------------------------------------------

class Worker {
 public:
  Worker(const Plan& plan, int channel) : plan_(plan), channel_(channel) {}

  [[noreturn]] void run() {
    library::after_fork();
    clear_marks();
    the_pool.take_back(Pool::kBase);
    the_recorder.restart(0);
    snapshot_ = map_memory(the_pool.span());
    if (snapshot_ == nullptr || !the_pool.separate()) _exit(1);
    linpoint_crashing = kLean;
    linpoint_countdown = kEnough;
    library::begin_run();
    scheduler.begin_alone();
    Task* task = scheduler.add_alone(go, this);
    while (task != nullptr && scheduler.go_on_alone(*task) == RunEnd::kComplete && !task->ended && next_ < end()) {
      here();
      linpoint_crashing = kLean;
      linpoint_countdown = kEnough;
    }
    put(Head{});
    flush();
    _exit(0);
  }

 private:
  static constexpr std::int64_t kEnough = std::int64_t{1} << 40U;

  [[nodiscard]] std::size_t end() const { return plan_.schedules.size(); }

  /// Runs the operations in order, with a pause wherever a schedule begins.
  static void go(void* self) {
    auto& worker = *static_cast<Worker*>(self);
    the_runner.program.create();
    for (std::size_t place = 0; worker.next_ < worker.end(); ++place) {
      if (worker.plan_.schedules[worker.next_].place == place) scheduler.pause_alone();
      if (place >= worker.plan_.order.size()) continue;
      const Results& results = the_runner.forget_results();
      the_runner.program.run(worker.plan_.order[place]);
      const OutOfProgram host;
      worker.results_.emplace_back(results.size() == 0 ? std::string_view("null") : results[0]);
    }
  }
  static void run_one(void* number) { the_runner.program.run(*static_cast<unsigned*>(number)); }
  static void pause() { scheduler.pause_alone(); }

  /// Runs all schedules of this place.
  void here() {
    tell_lines();
    library::keep_again();
    the_pool.keep();
    const std::uint64_t cursor = the_pool.cursor();
    const std::size_t place = plan_.schedules[next_].place;
    for (; next_ < end() && plan_.schedules[next_].place == place; ++next_) {
      overlap(plan_.schedules[next_]);
      go_back();
      the_pool.take_back(cursor);
      library::begin_run();
    }
    flush();
  }

  void overlap(Schedule schedule) {
    Head head{Message::kOverlap, 0, schedule, the_pool.cursor(), 0, 0};
    the_recorder.rewind();
    Results& results = the_runner.forget_results();
    linpoint_crashing = kTracing;
    if (go_so_far(schedule) && go_to_end(schedule)) head.feasible = 1;
    linpoint_crashing = kOff;
    scheduler.forget_alone(1);
    the_recorder.pause_after(0, nullptr);
    the_recorder.blame_callers(the_runner.standard);
    events_.clear();
    if (head.feasible != 0)
      for (const Event& event : the_recorder.events())
        if (event.kind != persistency::Kind::kCompare &&
            (options.persistency == Persistency::kEadr || event.kind != persistency::Kind::kRead))
          events_.push_back(event);
    head.count = events_.size();
    head.text = results.size() == 0 ? 0 : results[0].size();
    put(head);
    put_bytes(events_.data(), events_.size() * sizeof(Event));
    if (head.text != 0) put_bytes(results[0].data(), head.text);
    // Finding out that an operation waits forever takes long; the reader has a time limit.
    if (head.feasible == 0) flush();
  }

  [[nodiscard]] bool go_so_far(Schedule& schedule) const {
    Task* task = scheduler.add_alone(run_one, &schedule.first);
    // This operation is run by the thread that ran all earlier ones, so that its first-use initialisation is done.
    if (task != nullptr) scheduler.goes_on_as(*task, 0);
    the_recorder.pause_after(schedule.store, pause);
    linpoint_countdown = 0;
    hot.fuel = plan_.fuel;
    return task != nullptr && scheduler.go_on_alone(*task) == RunEnd::kComplete && !task->ended;
  }
  [[nodiscard]] bool go_to_end(Schedule& schedule) const {
    Task* task = scheduler.add_alone(run_one, &schedule.second);
    linpoint_countdown = 0;
    the_recorder.expect_stores(plan_.silence, plan_.fuel);
    return task != nullptr && scheduler.go_on_alone(*task) == RunEnd::kComplete && task->ended;
  }

  static void clear_marks() {
    for (std::size_t each = 0; each < hot.written_count; ++each) hot.marks[hot.written[each]] = 0;
    hot.written_count = 0;
  }

  /// Sends the changes since the last place.
  void tell_lines() {
    Head head{Message::kPlace, 0, {}, the_pool.cursor(), 0, 0};
    std::vector<std::uint32_t> lines(hot.written, hot.written + hot.written_count);
    std::erase_if(lines, [](std::uint32_t line) { return line * kLine >= the_pool.span(); });
    head.count = lines.size();
    head.feasible = static_cast<std::uint32_t>(results_.size());
    put(head);
    for (const std::string& result : results_) {
      put(result.size());
      put_bytes(result.data(), result.size());
    }
    results_.clear();
    for (const std::uint32_t line : lines) {
      const std::byte* bytes = the_pool.memory() + line * kLine;
      std::memcpy(snapshot_ + line * kLine, bytes, kLine);
      the_recorder.rewind_line(line, bytes);
      put(line);
      put_bytes(bytes, kLine);
    }
    clear_marks();
  }

  void go_back() {
    for (std::size_t each = 0; each < hot.written_count; ++each) {
      const std::uint64_t line = hot.written[each];
      if (line * kLine >= the_pool.span()) continue;
      std::memcpy(the_pool.memory() + line * kLine, snapshot_ + line * kLine, kLine);
      the_recorder.rewind_line(line, snapshot_ + line * kLine);
    }
    clear_marks();
  }

  template <typename Value>
  void put(const Value& value) {
    put_bytes(&value, sizeof value);
  }
  void put_bytes(const void* bytes, std::size_t size) {
    constexpr std::size_t kMany = std::size_t{32} << 10U;
    const auto* at = static_cast<const char*>(bytes);
    out_.insert(out_.end(), at, at + size);
    if (out_.size() >= kMany) flush();
  }
  void flush() {
    for (std::size_t done = 0; done < out_.size();) {
      const ssize_t written = ::write(channel_, out_.data() + done, out_.size() - done);
      if (written <= 0) _exit(0);
      done += static_cast<std::size_t>(written);
    }
    out_.clear();
  }

  const Plan& plan_;
  int channel_;
  std::size_t next_ = 0;  ///< index of the next schedule
  std::byte* snapshot_ = nullptr;
  std::vector<char> out_;
  std::vector<Event> events_;
  std::vector<std::string> results_;  ///< of operations since the last place
};

}  // namespace

bool Schedules::start(const Plan& plan) {
  stop();
  int channels[2];
  if (::pipe(channels) != 0) return false;
  process_ = fork_tied_to_parent();
  if (process_ == 0) {
    ::close(channels[0]);
    Worker(plan, channels[1]).run();
  }
  ::close(channels[1]);
  channel_ = channels[0];
  results_before_.clear();
  taken_ = came_ = 0;
  return process_ > 0;
}

void Schedules::stop() {
  if (channel_ >= 0) ::close(channel_);
  channel_ = -1;
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
}

bool Schedules::get(void* bytes, std::size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    if (taken_ == came_ && !fill()) return false;
    const std::size_t some = std::min(size, came_ - taken_);
    std::memcpy(at, pending_.data() + taken_, some);
    taken_ += some;
    at += some;
    size -= some;
  }
  return true;
}

bool Schedules::fill() {
  constexpr std::size_t kAtOnce = std::size_t{64} << 10U;
  pending_.resize(kAtOnce);
  taken_ = came_ = 0;
  pollfd waiting{channel_, POLLIN, 0};
  if (::poll(&waiting, 1, kPatience) <= 0) return false;
  const ssize_t read = ::read(channel_, pending_.data(), pending_.size());
  if (read <= 0) return false;
  came_ = static_cast<std::size_t>(read);
  return true;
}

/// Reads the results of operations, and lines of the pool.
bool Schedules::get_place(Images& images, std::uint32_t results, std::uint64_t lines) {
  for (std::uint32_t each = 0; each < results; ++each) {
    std::size_t size = 0;
    if (!get(&size, sizeof size) || size > kLongest) return false;
    results_before_.emplace_back(size, ' ');
    if (!get(results_before_.back().data(), size)) return false;
  }
  for (std::uint64_t each = 0; each < lines; ++each) {
    std::uint32_t line = 0;
    std::byte bytes[kLine];
    if (!get(&line, sizeof line) || !get(bytes, sizeof bytes) || line * kLine >= the_pool.span()) return false;
    images.begin_line(line, bytes);
  }
  return true;
}

bool Schedules::next(Images& images, Overlap& overlap) {
  Head head;
  while (channel_ >= 0 && get(&head, sizeof head)) {
    if (head.message == Message::kEnd) return false;
    if (head.message == Message::kPlace) {
      cursor_ = head.cursor;
      if (!get_place(images, head.feasible, head.count)) return false;
      continue;
    }
    if (head.message != Message::kOverlap) return false;
    overlap.schedule = head.schedule;
    overlap.feasible = head.feasible != 0;
    overlap.cursor = cursor_;
    overlap.second_thread = 2;
    overlap.events.resize(head.count);
    overlap.result.resize(head.text);
    return get(overlap.events.data(), head.count * sizeof(Event)) && get(overlap.result.data(), head.text);
  }
  return false;
}

}  // namespace linpoint::runtime::crash
