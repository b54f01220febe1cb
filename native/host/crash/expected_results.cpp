// SPDX-License-Identifier: Apache-2.0
#include "host/crash/expected_results.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

namespace linpoint::runtime::crash {

void ExpectedResults::read(std::string text) {
  text_ = std::move(text);
  changes_.clear();
  sections_.clear();
  operation_ = kNowhere;
  applied_ = 0;
  std::size_t most = 0;
  for (std::string_view rest = text_; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line == "before" || line == "after") {
      sections_.push_back(changes_.size());
      continue;
    }
    Change change;
    const auto number = std::from_chars(line.data(), line.data() + line.size(), change.number);
    change.result = line.substr(static_cast<std::size_t>(number.ptr - line.data()));
    if (!change.result.empty()) change.result.remove_prefix(1);
    changes_.push_back(change);
    most = std::max<std::size_t>(most, change.number + 1);
    if (!sections_.empty()) sections_.back() = changes_.size();
  }
  now_.assign(most, {});
}

bool ExpectedResults::Expected::is(const Seen& seen) const {
  return known && seen.count == ends.size() && seen.text == text &&
         std::ranges::equal(ends, std::span(seen.ends, seen.count));
}

bool ExpectedResults::allows(std::size_t operation, bool returned, const std::vector<unsigned>& probes,
                             const Seen& seen) {
  if (operation >= operations()) return false;
  if (operation != operation_) go_to(operation);
  if (probes != probes_) return false;
  return after_.is(seen) || (!returned && before_.is(seen));
}

void ExpectedResults::go_to(std::size_t operation) {
  if (applied_ > 2 * operation) {
    std::ranges::fill(now_, std::string_view());
    applied_ = 0;
  }
  operation_ = operation;
  scenario_.collect_probes(operation, probes_);
  while (applied_ <= 2 * operation) apply(applied_);
  write(before_);
  apply(applied_);
  write(after_);
}

void ExpectedResults::apply(std::size_t section) {
  const std::size_t begin = section == 0 ? 0 : sections_[section - 1];
  for (std::size_t at = begin; at < sections_[section]; ++at) now_[changes_[at].number] = changes_[at].result;
  applied_ = section + 1;
}

void ExpectedResults::write(Expected& into) const {
  into.text.clear();
  into.ends.clear();
  into.known = true;
  for (const unsigned number : probes_) {
    const std::string_view result = number < now_.size() ? now_[number] : std::string_view();
    into.known = into.known && !result.empty();
    into.text += result;
    into.ends.push_back(static_cast<std::uint32_t>(into.text.size()));
  }
}

}  // namespace linpoint::runtime::crash
