// SPDX-License-Identifier: Apache-2.0
// Operation lines from recorders, merged in the order of calls, so that the file is in chronological order.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "log.hpp"

enum class FailureForm { kBlamed, kFalse, kValues };

class LineWriter {
 public:
  // `start` is the origin of the times in the lines.
  LineWriter(std::ostream& out, FailureForm form, std::int64_t start)
      : out_(&out), form_(form), start_(start), buffer_(kBuffer) {}

  void operation(std::size_t process, const Operation& op, std::int64_t call, std::int64_t returned) {
    if (used_ + kLineAtMost > buffer_.size()) flush();
    put("{\"process\":");
    put(process);
    put(",\"op\":");
    put(kNames[static_cast<std::size_t>(op.kind)]);
    put(",\"args\":[");
    arguments(op);
    put("]");
    if (op.outcome != Outcome::kUnknown) {
      put(",\"result\":");
      result(op);
    }
    put(",\"call\":");
    put(call - start_);
    put(",\"return\":");
    if (op.outcome == Outcome::kUnknown) {
      put("null");
    } else {
      put(returned - start_);
    }
    put("}\n");
  }

  void crash(const CrashLine& crash) {
    if (used_ + kLineAtMost > buffer_.size()) flush();
    put("{\"crash\":true,");
    if (crash.process != kEveryone) {
      put("\"process\":");
      put(crash.process);
      put(",");
    }
    put("\"time\":");
    put(crash.time - start_);
    put("}\n");
  }

  void close() {
    flush();
    out_->flush();
    check();
  }

 private:
  static constexpr std::string_view kNames[] = {"\"read\"", "\"mwcas\"", "\"mwswap\""};
  static constexpr std::size_t kBuffer = std::size_t{4} << 20U;
  static constexpr std::size_t kLineAtMost = 2048;  // 16 words of four numbers, and the names

  void put(std::string_view text) {
    std::memcpy(&buffer_[used_], text.data(), text.size());
    used_ += text.size();
  }
  template <class Integer>
    requires std::is_integral_v<Integer>
  void put(Integer number) {
    used_ = static_cast<std::size_t>(std::to_chars(&buffer_[used_], buffer_.data() + buffer_.size(), number).ptr -
                                     buffer_.data());
  }

  template <class Numbers>
  void list(const Numbers& numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      put(i == 0 ? "[" : ",");
      put(numbers[i]);
    }
    put("]");
  }

  void arguments(const Operation& op) {
    if (op.kind == Kind::kRead) {
      list(op.addresses, op.words);
      return;
    }
    for (std::size_t i = 0; i < op.words; ++i) {
      put(i == 0 ? "[[" : ",[");
      put(op.addresses[i]);
      put(",");
      if (op.kind == Kind::kMwcas) {
        put(op.values[i]);
        put(",");
      }
      put(op.first_new + i);
      put("]");
    }
    put("]");
  }

  void result(const Operation& op) {
    if (op.kind != Kind::kMwcas) {
      list(op.values, op.words);
    } else if (op.outcome == Outcome::kDone) {
      put("true");
    } else if (form_ == FailureForm::kFalse) {
      put("false");
    } else if (form_ == FailureForm::kValues) {
      list(op.seen, op.words);
    } else {
      put("{\"at\":");
      put(op.blamed);
      put("}");
    }
  }

  void flush() {
    out_->write(buffer_.data(), static_cast<std::streamsize>(used_));
    check();
    used_ = 0;
  }

  void check() const {
    if (!out_->good()) throw std::runtime_error("cannot write the log");
  }

  std::ostream* out_;
  FailureForm form_;
  std::int64_t start_;
  std::size_t used_ = 0;
  std::vector<char> buffer_;
};

// A crash precedes the calls at the same time.
inline void write_lines(LineWriter& writer, const std::vector<const Recorder*>& recorders,
                        const std::vector<CrashLine>& crashes) {
  std::vector<std::size_t> next(recorders.size(), 0);
  std::size_t crash = 0;
  for (;;) {
    std::size_t first = recorders.size();
    for (std::size_t process = 0; process < recorders.size(); ++process) {
      if (next[process] == recorders[process]->size()) continue;
      if (first == recorders.size() ||
          recorders[process]->call_of(next[process]) < recorders[first]->call_of(next[first])) {
        first = process;
      }
    }
    const bool done = first == recorders.size();
    while (crash < crashes.size() && (done || crashes[crash].time <= recorders[first]->call_of(next[first]))) {
      writer.crash(crashes[crash++]);
    }
    if (done) break;
    const std::size_t i = next[first]++;
    writer.operation(first, recorders[first]->operation(i), recorders[first]->call_of(i),
                     recorders[first]->return_of(i));
  }
  writer.close();
}
