// SPDX-License-Identifier: Apache-2.0
// Joins parts of a text that were read in parallel.
#include <cstddef>
#include <cstdint>
#include <future>
#include <utility>
#include <vector>

#include "linpoint/histories/operation_table.hpp"

namespace linpoint::histories {

bool OperationTable::append(OperationTable& other, std::int32_t lines) {
  settle();
  other.settle();
  const std::size_t before = columns_.size();
  if (before + other.columns_.size() > kMostOperations ||
      columns_.arguments.size() + other.columns_.arguments.size() > kMostOperations ||
      store_.lists.size() + other.store_.lists.size() > kMostOperations - 2)
    return false;
  Columns& theirs = other.columns_;
  const std::vector<std::int32_t> processes = processes_.absorb(other.processes_);
  const std::vector<std::int32_t> names = names_.absorb(other.names_);
  const std::vector<std::int32_t> values = store_.values.absorb(other.store_.values);
  other.store_.values = Interner(0);
  // Lists are as large as everything else, and are copied by a separate thread if the system provides one.
  const auto first_list = static_cast<std::int32_t>(store_.lists.size());
  std::future<void> listed = std::async([&] { store_.lists.append(other.store_.lists, values); });
  // Each column is released before the next one is copied, so that no two of them exist twice.
  const auto add = [](auto& to, auto& from, auto number) {
    to.reserve(to.size() + from.size());
    for (const auto each : from) to.push_back(number(each));
    from = {};
  };
  const auto same = [](const auto& each) { return each; };
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
  if (!other.clocks_.empty()) clocks_.resize(before);
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
  add(clocks_, other.clocks_, same);
  add(unreturned_, other.unreturned_, later(before));
  lines_.append(other.lines_, before, lines);
  for (auto& [line, text] : other.others_) others_.emplace_back(line + lines, std::move(text));
  listed.get();
  other = OperationTable();
  return true;
}

}  // namespace linpoint::histories
