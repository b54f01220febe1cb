// SPDX-License-Identifier: Apache-2.0
// Tests of objects on real threads: a program that runs rounds and reports the operations of the threads, until it is
// ended.
//
//     PROGRAM describe FD             the tests, as JSON
//     PROGRAM run FD BOARD            reads a request, and one character per burst of rounds, from standard input;
//                                     rounds on FD, the places of threads on BOARD
//
// Its output: "clock counters" or "clock steady WHY"; then for each round "round NUMBER BYTES OPERATIONS PAIRS" (PAIRS
// is the number of concurrent pairs of operations) followed by BYTES bytes of operation lines; "end" after a burst. The
// process that checks the rounds requests the next burst when it is ready: otherwise it would take a core from the
// threads that are to run at the same time. "halted NUMBER BYTES OPERATIONS PAIRS" has the lines so far of a round in
// which nothing moves at the moment; the round is sent again when it is over. A round that hangs is the last: "stuck
// NUMBER BYTES OPERATIONS PAIRS" with its lines, then "thread NUMBER waits|runs" for each thread that has not ended.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <limits>
#include <string>

#include "linpoint/detail/stress_threads.hpp"

namespace linpoint::detail {

/// Messages over a pipe. A reader that does not read stops us from producing more.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {
#if defined(F_SETPIPE_SZ)
    (void)fcntl(descriptor, F_SETPIPE_SZ, 1 << 20);
#endif
  }

  /// False if the reader has closed the pipe.
  bool send(const std::string& text) const {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t more = write(descriptor_, text.data() + sent, text.size() - sent);
      if (more < 0 && errno != EINTR) return false;
      if (more > 0) sent += static_cast<std::size_t>(more);
    }
    return true;
  }

 private:
  int descriptor_;
};

/// The rounds of a burst as text.
class Teller {
 public:
  Teller(const Request& request, Crew& crew) : request_(request), crew_(crew) {}

  /// Writes the round of a group. Operations that have not begun are left out; those that have not ended are open.
  void tell(const char* word, unsigned round, std::size_t group, std::string& into) {
    const std::size_t threads = request_.threads.size();
    const Worker* const first = &crew_.workers()[group * threads];
    std::uint64_t start = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t thread = 0; thread < threads; ++thread) {
      if (!first[thread].prepared.load(std::memory_order_acquire)) continue;
      const Record* record = first[thread].first_of(round);
      if (first[thread].per_round != 0 && record->state.load(std::memory_order_acquire) > State::kOpen)
        start = std::min(start, record->call);
    }
    lines_.clear();
    spans_.resize(threads);
    std::size_t count = 0;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      spans_[thread].clear();
      tell_thread(first[thread], round, start, spans_[thread]);
      count += spans_[thread].size();
    }
    into += word;
    for (const std::uint64_t number :
         {crew_.round_number(*first, round), std::uint64_t{lines_.size()}, std::uint64_t{count}, overlapping_pairs()}) {
      into += ' ';
      write_number(into, number);
    }
    into += '\n';
    into += lines_;
  }

 private:
  struct Span {
    std::uint64_t call;
    std::uint64_t returned;
  };

  static void write_number(std::string& into, std::uint64_t number) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    into.append(digits.data(), end);
  }

  void tell_thread(const Worker& worker, unsigned round, std::uint64_t start, std::vector<Span>& spans) {
    if (!worker.prepared.load(std::memory_order_acquire)) return;
    std::uint64_t before = 0;
    const Record* record = worker.first_of(round);
    for (const Record* const end = record + worker.per_round; record != end; ++record) {
      const State state = record->state.load(std::memory_order_acquire);
      if (state == State::kNotBegun) return;
      lines_ += R"({"process":)";
      write_number(lines_, worker.number);
      lines_ += request_.calls[record->code].result_prefix;
      // An operation that never returned may lie anywhere after the previous one. A counter may have been read before
      // the last value that the thread read earlier, but never after the operation has begun.
      const bool open = state == State::kOpen;
      const std::uint64_t call = open ? before : std::max(before, record->call - std::min(start, record->call));
      const std::uint64_t returned = open ? std::numeric_limits<std::uint64_t>::max() : record->returned - start;
      if (!open) tell_result(worker, *record);
      lines_ += R"(,"call":)";
      write_number(lines_, call);
      lines_ += R"(,"return":)";
      if (open)
        lines_ += "null";
      else
        write_number(lines_, std::max(call, returned));
      lines_ += "}\n";
      spans.push_back({call, std::max(call, returned)});
      if (open) return;
      before = std::max(call, returned);
    }
  }

  void tell_result(const Worker& worker, const Record& record) {
    lines_ += R"(,"result":)";
    if (record.state.load(std::memory_order_relaxed) == State::kRaised)
      lines_ += raised_text(record.raised);
    else
      request_.calls[record.code].operation->recording.tell(worker.result_of(&record), lines_);
  }

  /// Pairs of different threads, as closed intervals.
  [[nodiscard]] std::uint64_t overlapping_pairs() const {
    std::uint64_t pairs = 0;
    for (std::size_t one = 0; one < spans_.size(); ++one) {
      for (std::size_t other = one + 1; other < spans_.size(); ++other) {
        std::size_t ended = 0;  // of the other thread, before this one began
        std::size_t begun = 0;  // of the other thread, before this one ended
        for (const Span& span : spans_[one]) {
          while (ended < spans_[other].size() && spans_[other][ended].returned < span.call) ++ended;
          while (begun < spans_[other].size() && spans_[other][begun].call <= span.returned) ++begun;
          pairs += begun - ended;
        }
      }
    }
    return pairs;
  }

  const Request& request_;
  Crew& crew_;
  std::string lines_;
  std::vector<std::vector<Span>> spans_;
};

/// Writes the round that the burst is stuck in, as far as it has come. It does so only if no operation begins
/// meanwhile, since an operation that another thread observed must not be missing.
inline std::size_t tell_halted(Crew& crew, Teller& teller, const char* word, std::string& text) {
  std::size_t halted = 0;
  for (std::size_t group = 1; group < crew.groups(); ++group)
    if (crew.ended(group) < crew.ended(halted)) halted = group;
  const std::uint64_t before = crew.begun();
  std::string ended;
  teller.tell(word, crew.ended(halted), halted, ended);
  if (crew.begun() == before) text += ended;
  return halted;
}

/// Writes, for a burst that does not end, the first round that hangs, and which threads hang in it.
inline void tell_stuck(const Request& request, Crew& crew, Teller& teller, std::string& text) {
  const std::size_t threads = request.threads.size();
  const std::size_t stuck = tell_halted(crew, teller, "stuck", text);
  const unsigned round = crew.ended(stuck);
  const Worker* const first = &crew.workers()[stuck * threads];
  std::vector<std::uint64_t> before;
  for (std::size_t each = 0; each < threads; ++each) before.push_back(processor_time(first[each].thread.load()));
  const struct timespec moment{0, 50'000'000};
  (void)nanosleep(&moment, nullptr);
  for (std::size_t each = 0; each < threads; ++each) {
    const Worker& worker = first[each];
    if (worker.rounds.load(std::memory_order_relaxed) > round || worker.place->call.load() == 0) continue;
    const pid_t thread = worker.thread.load();
    const bool runs = processor_time(thread) - before[each] > 1'000'000 || is_runnable(thread);
    text += "thread " + std::to_string(each) + (runs ? " runs\n" : " waits\n");
  }
}

/// Writes the rounds of a burst. If one takes long, writes immediately what there is: it may show what is wrong with
/// the object, which then hangs. False if the burst hangs or the reader is gone.
inline bool tell_burst(const Request& request, Crew& crew, Teller& teller, const Channel& channel) {
  constexpr std::uint64_t kLong = 15;  // milliseconds
  std::vector<unsigned> reported(crew.groups(), 0);
  std::string text;
  for (std::uint64_t patience = std::min(kLong, request.patience);;
       patience = std::min(2 * patience, request.patience)) {
    const bool ended = crew.await_end(patience);
    const bool hangs = !ended && patience == request.patience && !crew.starved(patience);
    text.clear();
    for (std::size_t group = 0; group < crew.groups(); ++group)
      for (const unsigned over = crew.ended(group); reported[group] < over; ++reported[group])
        teller.tell("round", reported[group], group, text);
    if (hangs)
      tell_stuck(request, crew, teller, text);
    else if (!ended)
      (void)tell_halted(crew, teller, "halted", text);
    if (ended) text += "end\n";
    if (!channel.send(text) || hangs) return false;
    if (ended) return true;
  }
}

inline Place* places_on(int descriptor, std::size_t count) {
  void* memory = mmap(nullptr, count * sizeof(Place), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : ::new (memory) Place[count];
}

/// The input: a request, which ends with an empty line, and then one character for each burst of rounds.
class Asking {
 public:
  std::string request() {
    std::string text = "\n";
    while (text.size() < 2 || text.compare(text.size() - 2, 2, "\n\n") != 0) {
      const int next = letter();
      if (next < 0) break;
      text += static_cast<char>(next);
    }
    return text.substr(1, text.size() - 2);
  }
  /// Waits for the request of a burst. False at the end of the input.
  bool for_burst() { return letter() >= 0; }

 private:
  int letter() {
    while (at_ == end_) {
      const ssize_t got = ::read(STDIN_FILENO, block_.data(), block_.size());
      if (got == 0 || (got < 0 && errno != EINTR)) return -1;
      at_ = 0;
      end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    return static_cast<unsigned char>(block_[at_++]);
  }

  std::array<char, 1 << 16> block_{};
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

inline int run_stress(const Channel& channel, int board) {
  Asking asking;
  Request request;
  const std::string asked = asking.request();
  if (const char* wrong = RequestReader(asked).read(request)) {
    (void)channel.send("wrong " + std::string(wrong) + "\n");
    return 2;
  }
  const char* why = request.counters ? why_no_counters() : "it was asked for";
  by_counters = why == nullptr;
  Place* places = places_on(board, request.threads.size() * request.instances);
  if (places == nullptr || !channel.send(by_counters ? "clock counters\n" : "clock steady " + std::string(why) + "\n"))
    return 2;
  // Never destroyed: destructors would wait for threads that hang.
  auto& crew = *new Crew(request, places);
  Teller teller(request, crew);
  crew.start();
  unsigned rounds = 1;  // few at first, so that easily found violations are found immediately
  for (std::uint64_t first = 0; asking.for_burst(); first += std::uint64_t{rounds} * request.instances) {
    rounds = std::min(2 * rounds, request.rounds);
    crew.begin(first, rounds);
    if (!tell_burst(request, crew, teller, channel)) break;
    crew.destroy();
  }
  _exit(0);
}

inline int stress_main(int count, char** words) {
  const std::string_view action = count > 2 ? words[1] : "";
  if (action == "describe") return Channel(std::atoi(words[2])).send(described()) ? 0 : 2;
  if (action == "run" && count > 3) return run_stress(Channel(std::atoi(words[2])), std::atoi(words[3]));
  std::puts("This is a test for linpoint: linpoint test FILE.cpp --spec SPEC --stress");
  return 2;
}

}  // namespace linpoint::detail
