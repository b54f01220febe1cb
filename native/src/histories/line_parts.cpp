// SPDX-License-Identifier: Apache-2.0
// Parts of a text that were read at the same time, put together.
#include <cstddef>
#include <cstdint>
#include <future>
#include <utility>
#include <vector>

#include "linpoint/histories/line_reader.hpp"

namespace linpoint::histories {

bool LineReader::append(LineReader& other) {
  const std::size_t before = columns_.size();
  declined_ = !flush() || !other.flush() || before + other.columns_.size() > kMostOperations ||
              columns_.arguments.size() + other.columns_.arguments.size() > kMostOperations ||
              lists_.size() + other.lists_.size() > kMostOperations - 2;
  if (declined_) return false;
  Columns& theirs = other.columns_;
  const std::vector<std::int32_t> processes = processes_.absorb(other.processes_);
  const std::vector<std::int32_t> names = names_.absorb(other.names_);
  const std::vector<std::int32_t> values = values_.absorb(other.values_);
  // Lists are as much as all the rest, and on a thread of their own, if the system has one to give.
  const auto first_list = static_cast<std::int32_t>(lists_.size());
  std::future<void> listed = std::async([&] { lists_.append(other.lists_, values); });
  const auto add = [](auto& to, const auto& from, auto number) {
    to.reserve(to.size() + from.size());
    for (const auto each : from) to.push_back(number(each));
  };
  const auto same = [](auto each) { return each; };
  const auto later = [](std::size_t base) {
    return [base](std::int32_t each) { return each + static_cast<std::int32_t>(base); };
  };
  const auto valued = [&values, first_list](std::int32_t each) {
    return each < 0 ? each - first_list : values[static_cast<std::size_t>(each)];
  };
  const auto numbered = [](const std::vector<std::int32_t>& numbers) {
    return [&numbers](std::int32_t each) { return each == kNone ? kNone : numbers[static_cast<std::size_t>(each)]; };
  };
  if (!theirs.hint.empty()) columns_.hint.resize(before, kNoHint);
  if (!other.fractions_.empty()) fractions_.resize(before);
  if (!theirs.first_argument.empty() && before > 0) theirs.first_argument.erase(theirs.first_argument.begin());
  add(columns_.first_argument, theirs.first_argument, later(columns_.arguments.size()));
  add(columns_.arguments, theirs.arguments, valued);
  add(columns_.process, theirs.process, numbered(processes));
  add(columns_.name, theirs.name, numbered(names));
  add(columns_.result, theirs.result, valued);
  add(columns_.key, theirs.key, numbered(values));
  add(columns_.call, theirs.call, same);
  add(columns_.ret, theirs.ret, same);
  add(columns_.outcome, theirs.outcome, same);
  add(columns_.hint, theirs.hint, same);
  add(fractions_, other.fractions_, same);
  add(unreturned_, other.unreturned_, later(before));
  add(lines_, other.lines_, later(static_cast<std::size_t>(line_)));
  for (auto& [line, text] : other.others_) others_.emplace_back(line + line_, std::move(text));
  line_ += other.line_;
  listed.get();
  other = LineReader();
  return true;
}

}  // namespace linpoint::histories
