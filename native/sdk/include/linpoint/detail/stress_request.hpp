// SPDX-License-Identifier: Apache-2.0
// The request to a test on real threads: which calls exist, and which of them each thread makes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linpoint/detail/test_registry.hpp"

namespace linpoint::detail {

/// An operation with its arguments. Plans refer to calls by number.
struct Call {
  const Operation* operation;
  const void* arguments;
  std::string result_prefix;  ///< the beginning of its line of the history, up to the result
};

/// The calls of one thread in each round: these, or a number of random ones.
struct Share {
  std::vector<std::uint32_t> calls;
  unsigned drawn = 0;
  /// For each operation that may be drawn: its first call, and the number of its calls.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> operations;

  [[nodiscard]] std::size_t size() const { return operations.empty() ? calls.size() : drawn; }
};

struct Request {
  const Test* test = nullptr;
  std::vector<Call> calls;
  std::vector<std::uint32_t> before;
  std::vector<Share> threads;
  std::vector<std::uint32_t> after;
  std::uint64_t seed = 0;
  unsigned rounds = 1;  ///< per burst
  unsigned instances = 1;
  std::uint64_t patience = 5000;  ///< milliseconds
  bool erratic = false;
  bool counters = true;  ///< the time-stamp counters of the cores may be used as clock
};

/// Reads a request. Each line begins with the word for its content.
class RequestReader {
 public:
  explicit RequestReader(std::string_view text) : text_(text) {}

  /// nullptr, or an error message.
  const char* read(Request& into) {
    while (!text_.empty()) {
      std::string_view line = cut(text_, '\n');
      if (const char* wrong = read_line(into, cut(line, ' '), line)) return wrong;
    }
    if (into.test == nullptr) return "there is no such test";
    return into.threads.empty() ? "there are no threads" : nullptr;
  }

 private:
  static std::string_view cut(std::string_view& text, char at) {
    const std::size_t found = text.find(at);
    const std::string_view part = text.substr(0, found);
    text.remove_prefix(found == std::string_view::npos ? text.size() : found + 1);
    return part;
  }

  static std::uint64_t number(std::string_view word) { return std::strtoull(std::string(word).c_str(), nullptr, 10); }

  static const char* read_line(Request& into, std::string_view what, std::string_view rest) {
    if (what == "test") {
      for (const Test* test = tests; test != nullptr; test = test->next)
        if (test->name == rest) into.test = test;
    } else if (what == "call") {
      return read_call(into, cut(rest, ' '), rest);
    } else if (what == "run") {
      into.threads.emplace_back();
      return read_calls(into, rest, into.threads.back().calls);
    } else if (what == "draw") {
      return read_drawing(into, rest);
    } else if (what == "before") {
      return read_calls(into, rest, into.before);
    } else if (what == "after") {
      return read_calls(into, rest, into.after);
    } else if (what == "seed") {
      into.seed = number(rest);
    } else if (what == "rounds") {
      into.rounds = static_cast<unsigned>(number(rest));
    } else if (what == "instances") {
      into.instances = static_cast<unsigned>(number(rest));
    } else if (what == "patience") {
      into.patience = number(rest);
    } else if (what == "erratic") {
      into.erratic = true;
    } else if (what == "steady") {
      into.counters = false;
    } else {
      return "a line says nothing that is known";
    }
    return nullptr;
  }

  static const char* read_call(Request& into, std::string_view name, std::string_view arguments) {
    if (into.test == nullptr) return "there is no such test";
    for (std::size_t each = 0; each < into.test->count; ++each) {
      const Operation& operation = into.test->operations[each];
      if (operation.name != name) continue;
      Reader reader(arguments);
      const void* read = operation.read(reader);
      if (read == nullptr) return "arguments do not fit";
      Call call{&operation, read, R"(,"op":)"};
      write_text(call.result_prefix, name);
      call.result_prefix += R"(,"args":)" + std::string(arguments);
      into.calls.push_back(std::move(call));
      return nullptr;
    }
    return "there is no such operation";
  }

  static const char* read_calls(const Request& known, std::string_view words, std::vector<std::uint32_t>& into) {
    while (!words.empty()) {
      into.push_back(static_cast<std::uint32_t>(number(cut(words, ' '))));
      if (into.back() >= known.calls.size()) return "there is no such call";
    }
    return nullptr;
  }

  /// The number of calls, then for each operation its first call and the number of its calls.
  static const char* read_drawing(Request& into, std::string_view words) {
    Share share;
    share.drawn = static_cast<unsigned>(number(cut(words, ' ')));
    while (!words.empty()) {
      const std::uint64_t first = number(cut(words, ' '));
      const std::uint64_t count = number(cut(words, ' '));
      if (count == 0 || first + count > into.calls.size()) return "there is no such call";
      share.operations.emplace_back(first, count);
    }
    if (share.operations.empty()) return "there is nothing to draw";
    into.threads.push_back(std::move(share));
    return nullptr;
  }

  std::string_view text_;
};

/// Pseudo-random numbers, the same for the same seed (splitmix64).
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t round, std::uint64_t thread) : state_(seed) {
    state_ = next() ^ round;
    state_ = next() ^ thread;
  }

  std::uint64_t next() {
    std::uint64_t mixed = (state_ += 0x9E3779B97F4A7C15U);
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U); }

 private:
  std::uint64_t state_;
};

}  // namespace linpoint::detail
