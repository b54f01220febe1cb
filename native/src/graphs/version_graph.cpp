// SPDX-License-Identifier: Apache-2.0
#include "graphs/version_graph.hpp"

#include <algorithm>
#include <future>
#include <utility>

namespace linpoint::graphs {
namespace {

using specs::Cell;
using specs::Effect;

constexpr std::size_t kSome = 16'384;  // number of operations that are read in one batch

/// The element of a column at an index; the column grows as needed.
std::int32_t& slot(std::vector<std::int32_t>& column, std::int32_t index) {
  if (at(index) >= column.size()) column.resize(std::max(at(index) + 1, 2 * column.size()), kNone);
  return column[at(index)];
}

std::int32_t value_of(std::int64_t content) { return static_cast<std::int32_t>(content); }

}  // namespace

Memory::Memory(const histories::Columns& columns, std::span<const std::int32_t> positions,
               const specs::Blueprint& blueprint, std::span<const std::int64_t> content)
    : columns_(columns),
      positions_(positions),
      words_(columns, blueprint),
      initial_(value_of(content[0])),
      values_(blueprint.values) {
  for (std::size_t i = 1; i + 1 < content.size(); i += 2) own_initial_[value_of(content[i])] = value_of(content[i + 1]);
}

std::pair<Exclusion, std::int32_t> Memory::load(search::StopToken& stop, bool parallel) {
  effects_.reserve(positions_.size());
  kept_.reserve(positions_.size());
  first_cell_.reserve(positions_.size() + 1);
  first_cell_.push_back(0);
  reserve();
  // Reading the effects and linking the operations take about the same time.
  const auto launch = parallel ? std::launch::async : std::launch::deferred;
  const auto read_later = [&](std::size_t from) {
    return std::async(launch, [this, from] { return read(from, std::min(from + kSome, positions_.size())); });
  };
  std::future<Some> next = read_later(0);
  for (std::size_t from = 0; from < positions_.size(); from += kSome) {
    if (stop.poll()) return {Exclusion::kStopped, kNone};
    const Some some = next.get();
    next = read_later(std::min(from + kSome, positions_.size()));
    const std::span<const Cell> cells = some.cells;
    for (std::size_t i = 0; i < some.effects.size(); ++i) {
      const auto operation = static_cast<std::int32_t>(from + i);
      const auto mine = cells.subspan(some.first[i], some.first[i + 1] - some.first[i]);
      if (const Exclusion why = add(operation, some.effects[i], mine); why != Exclusion::kNone) return {why, operation};
      first_cell_.push_back(static_cast<std::uint32_t>(cells_.size()));
    }
  }
  return {Exclusion::kNone, kNone};
}

/// The effects of the operations from one place to another.
Memory::Some Memory::read(std::size_t from, std::size_t to) const {
  Some some;
  some.effects.reserve(to - from);
  some.first.reserve(to - from + 1);
  some.first.push_back(0);
  std::vector<Cell> cells;
  for (std::size_t place = from; place < to; ++place) {
    some.effects.push_back(words_.read(at(positions_[place]), cells));
    some.cells.insert(some.cells.end(), cells.begin(), cells.end());
    some.first.push_back(some.cells.size());
  }
  return some;
}

/// Reserves memory, so that nothing large has to move while it grows.
void Memory::reserve() {
  if (!columns_.lists) return;
  const auto& tokens = columns_.lists->tokens;
  cells_.reserve(tokens.size() / 2);
  versions_.reserve(tokens.size() / 4);
  by_value_.resize(at(values_), kNone);
}

Exclusion Memory::add(std::int32_t operation, Effect effect, std::span<const Cell> cells) {
  effects_.push_back(effect);
  switch (effect) {
    case Effect::kUnobserved:
    case Effect::kImpossible:
      return Exclusion::kResult;
    case Effect::kUnclear:
      return Exclusion::kShape;
    case Effect::kNothing:
      kept_.push_back(0);
      return Exclusion::kNone;
    case Effect::kMaySwap:
      blind_ = true;
      [[fallthrough]];
    case Effect::kMayReplace:
      unknown_.push_back(operation);
      kept_.push_back(0);
      break;
    case Effect::kWrites:
      blind_write_ = operation;
      kept_.push_back(1);
      break;
    case Effect::kFails:
      failures_.push_back(operation);
      [[fallthrough]];
    case Effect::kSees:
    case Effect::kReplaces:
      kept_.push_back(1);
      break;
  }
  for (const Cell& cell : cells) {
    const bool writes = replaces(operation);
    if (writes && cell.seen == cell.fresh) return Exclusion::kCompareOnly;
    VersionCell mine{cell.seen == specs::kAny ? kNone : version_of(cell.word, cell.seen), kNone, operation};
    if (writes) {
      mine.fresh = version_of(cell.word, cell.fresh);
      if (!written(mine.fresh, operation)) return Exclusion::kDuplicate;
      if (effect == Effect::kReplaces) replaced(mine.seen, operation);
    } else if (effect == Effect::kSees) {
      Version& version = versions_[at(mine.seen)];
      if (version.writer == kNone && observer(version) == kNone) ++unwritten_;
      mine.fresh = version.readers;
      version.readers = static_cast<std::int32_t>(cells_.size());
      ++version.unplaced;
    }
    cells_.push_back(mine);
  }
  return Exclusion::kNone;
}

bool Memory::written(std::int32_t version, std::int32_t operation) {
  Version& fresh = versions_[at(version)];
  if (fresh.writer != kNone) return false;
  fresh.writer = operation;
  if (observer(fresh) != kNone) --unwritten_;
  return true;
}

void Memory::replaced(std::int32_t version, std::int32_t operation) {
  Version& old = versions_[at(version)];
  if (old.writer == kNone && observer(old) == kNone) ++unwritten_;
  if (old.replacer == kNone)
    old.replacer = operation;
  else if (fork_.reason == Reason::kNone)
    fork_ = {Reason::kFork, version, old.replacer, operation};
}

std::int32_t Memory::initial_value(std::int32_t word) const {
  if (own_initial_.empty()) return initial_;
  const auto found = own_initial_.find(word);
  return found == own_initial_.end() ? initial_ : found->second;
}

std::int32_t Memory::version_of(std::int32_t word, std::int32_t value) {
  if (value == initial_value(word)) return initial_version(word);
  std::int32_t& first = slot(by_value_, value);
  if (first == kNone) {
    first = static_cast<std::int32_t>(versions_.size());
    versions_.push_back({word, value});
    return first;
  }
  return versions_[at(first)].word == word ? first : other_version(word, value);
}

std::int32_t Memory::initial_version(std::int32_t word) {
  std::int32_t& first = slot(by_word_, word);
  if (first == kNone) {
    first = static_cast<std::int32_t>(versions_.size());
    versions_.push_back({word, initial_value(word), kGenesis});
  }
  return first;
}

/// For values that occur in several words.
std::int32_t Memory::other_version(std::int32_t word, std::int32_t value) {
  const std::uint64_t both = (static_cast<std::uint64_t>(word) << 32U) | static_cast<std::uint32_t>(value);
  const auto [found, fresh] = others_.try_emplace(both, static_cast<std::int32_t>(versions_.size()));
  if (fresh) versions_.push_back({word, value});
  return found->second;
}

void Memory::keep_seen() {
  for (const std::int32_t operation : unknown_)
    for (const VersionCell& cell : cells(operation))
      if (const std::int32_t who = observer(versions_[at(cell.fresh)]); who != kNone) {
        keep({operation, who, cell.fresh});
        break;
      }
}

void Memory::keep(const Kept& kept) {
  std::vector<Kept> work{kept};
  while (!work.empty()) {
    const Kept next = work.back();
    work.pop_back();
    if (this->kept(next.operation)) continue;
    kept_[at(next.operation)] = 1;
    place_kept_[next.operation] = kept_unknown_.size();
    kept_unknown_.push_back(next);
    if (effect(next.operation) == Effect::kMaySwap) continue;
    for (const VersionCell& cell : cells(next.operation)) {
      replaced(cell.seen, next.operation);
      const std::int32_t writer = versions_[at(cell.seen)].writer;
      if (writer >= 0 && !this->kept(writer)) work.push_back({writer, next.operation, cell.seen});
    }
  }
}

void Memory::drop_since(std::size_t count) {
  while (kept_unknown_.size() > count) {
    const std::int32_t last = kept_unknown_.back().operation;
    kept_unknown_.pop_back();
    kept_[at(last)] = 0;
    place_kept_.erase(last);
    for (const VersionCell& cell : cells(last))
      if (cell.seen != kNone && versions_[at(cell.seen)].replacer == last) versions_[at(cell.seen)].replacer = kNone;
  }
  fork_ = {Reason::kNone, kNone, kNone, kNone};
}

bool Memory::join_swaps() {
  std::unordered_map<std::int32_t, std::int32_t> cells;  // of each word: the cell of its only swap
  for (const Kept& kept : kept_unknown_) {
    const std::int32_t operation = kept.operation;
    if (effect(operation) != Effect::kMaySwap) continue;
    for (std::size_t each = first_cell_[at(operation)]; each < first_cell_[at(operation) + 1]; ++each) {
      const std::int32_t word = versions_[at(cells_[each].fresh)].word;
      if (!cells.try_emplace(word, static_cast<std::int32_t>(each)).second) return false;
    }
  }
  for (const auto& [word, number] : cells) {
    std::int32_t last = initial_version(word);
    while (versions_[at(last)].replacer >= 0) {
      const auto theirs = this->cells(versions_[at(last)].replacer);
      const auto* const next = std::find_if(theirs.data(), theirs.data() + theirs.size(),
                                            [&](const VersionCell& each) { return each.seen == last; });
      last = next->fresh;
    }
    cells_[at(number)].seen = last;
    replaced(last, cells_[at(number)].operation);
  }
  return true;
}

Memory::Flaw Memory::dangling() const {
  if (unwritten_ == 0) return {Reason::kNone, kNone, kNone, kNone};
  for (std::size_t number = 0; number < versions_.size(); ++number) {
    const Version& version = versions_[number];
    if (const std::int32_t who = observer(version); version.writer == kNone && who != kNone)
      return {Reason::kDanglingRead, static_cast<std::int32_t>(number), who, kNone};
  }
  return {Reason::kNone, kNone, kNone, kNone};
}

Memory::Flaw Memory::dangling(std::int32_t operation) const {
  for (const VersionCell& cell : cells(operation))
    if (cell.seen != kNone && versions_[at(cell.seen)].writer == kNone)
      return {Reason::kDanglingRead, cell.seen, operation, kNone};
  return {Reason::kNone, kNone, kNone, kNone};
}

void Memory::unplace_readers() {
  if (!std::exchange(placed_, true)) return;  // they were counted at loading
  for (Version& version : versions_) version.unplaced = 0;
  for (std::int32_t operation = 0; operation < size(); ++operation)
    if (effect(operation) == Effect::kSees)
      for (const VersionCell& cell : cells(operation)) ++versions_[at(cell.seen)].unplaced;
}

}  // namespace linpoint::graphs
