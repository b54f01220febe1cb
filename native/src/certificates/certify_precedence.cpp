// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "linpoint/certificates/memory_evidence.hpp"
#include "specs/memory_operations.hpp"

namespace linpoint::verdicts {
namespace {

using graphs::Because;
using graphs::Contradiction;
using graphs::Link;
using graphs::Refutation;
using histories::kNone;
using specs::Cell;
using specs::Effect;

/// A value of a word.
using Version = std::pair<std::int32_t, std::int32_t>;

constexpr std::int64_t kMostWays = 1'000'000;  // times contradictions

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// The operations that may have written and replaced the versions named by a refutation.
struct Facts {
  std::set<std::int32_t> writers;
  std::set<std::int32_t> replacers;
};

struct Record {
  Effect effect = Effect::kUnclear;
  std::vector<Cell> cells;

  [[nodiscard]] bool unknown() const { return effect == Effect::kMayReplace || effect == Effect::kMaySwap; }
  [[nodiscard]] bool saw(const Version& version) const {
    if (effect != Effect::kSees && effect != Effect::kReplaces && effect != Effect::kMayReplace) return false;
    return std::any_of(cells.begin(), cells.end(),
                       [&](const Cell& each) { return Version(each.word, each.seen) == version; });
  }
  /// Whether it observed the version and put another value in its place.
  [[nodiscard]] bool replaced(const Version& version) const {
    return effect != Effect::kSees && saw(version) &&
           std::all_of(cells.begin(), cells.end(), [](const Cell& each) { return each.seen != each.fresh; });
  }
  [[nodiscard]] bool expected(const Version& version) const {
    return effect == Effect::kFails && std::any_of(cells.begin(), cells.end(), [&](const Cell& each) {
             return Version(each.word, each.seen) == version;
           });
  }
};

/// One way to explain a failed operation: before the version was written (kNone), or after this operation replaced it.
struct Way {
  Version version;
  std::int32_t replacer;
  friend bool operator==(const Way&, const Way&) = default;
};

class Examination {
 public:
  Examination(const graphs::Question& question, const Refutation& refutation)
      : columns_(question.columns),
        refutation_(refutation),
        words_(question.columns, question.blueprint),
        content_(question.content),
        condition_(question.condition),
        positions_(question.positions) {}

  Proof examine() {
    if (!collect()) return Proof::kBroken;
    do {
      if (!gather()) return Proof::kBroken;
    } while (reach());
    for (const Link& link : std::views::reverse(refutation_.kept)) {
      if (link.because != Because::kReadsFrom || !holds(link) || !certain(link.to)) return Proof::kBroken;
      certain_.insert(link.from);
    }
    for (const Contradiction& each : refutation_.contradictions)
      if (!closed(each) ||
          !std::all_of(each.links.begin(), each.links.end(), [&](const Link& one) { return holds(one); }))
        return Proof::kBroken;
    std::vector<std::vector<Way>> ways;
    for (const std::int32_t failed : refutation_.failed) {
      auto mine = ways_of(failed);
      if (!mine.second) return Proof::kBroken;
      ways.push_back(std::move(mine.first));
    }
    chosen_.assign(ways.size(), nullptr);
    if (escapes(ways, 0)) return tried_ > kMostWays ? Proof::kTooLong : Proof::kBroken;
    return Proof::kHolds;
  }

 private:
  // -- recorded facts ------------------------------------------------------------------------------------------------

  /// Collects the operations and versions that the refutation names. False if it names an operation that does not
  /// exist.
  bool collect() {
    std::set<std::int32_t> named(refutation_.failed.begin(), refutation_.failed.end());
    std::vector<Link> links = refutation_.kept;
    for (const Contradiction& each : refutation_.contradictions)
      links.insert(links.end(), each.links.begin(), each.links.end());
    for (const Link& link : links) {
      if (link.from != kNone) named.insert(link.from);
      named.insert(link.to);
      if (link.because != Because::kTime) facts_[{link.word, link.value}];
    }
    for (const std::int32_t position : named)
      if (std::find(positions_.begin(), positions_.end(), position) == positions_.end()) return false;
    for (const std::int32_t position : refutation_.failed)
      for (const Cell& cell : record(position).cells) facts_[{cell.word, cell.seen}];
    return true;
  }

  /// An operation that may be kept may in turn cause operations whose values it observed to be kept. Adds these
  /// versions; whether there were any.
  bool reach() {
    std::set<std::int32_t> known;
    for (const auto& [version, facts] : facts_) {
      known.insert(facts.writers.begin(), facts.writers.end());
      known.insert(facts.replacers.begin(), facts.replacers.end());
    }
    const std::size_t before = facts_.size();
    for (const std::int32_t position : known)
      if (record(position).effect == Effect::kMayReplace)
        for (const Cell& cell : record(position).cells) facts_[{cell.word, cell.seen}];
    return facts_.size() > before;
  }

  bool gather() {
    std::vector<Cell> cells;
    for (const std::int32_t position : positions_) {
      const Effect effect = words_.read(at(position), cells);
      if (effect == Effect::kUnclear) return false;
      const bool writes = effect != Effect::kSees && effect != Effect::kFails && effect != Effect::kNothing &&
                          effect != Effect::kImpossible;
      if (!writes) continue;
      const bool blind = effect != Effect::kReplaces && effect != Effect::kMayReplace;
      for (const Cell& cell : cells) {
        if (const auto found = facts_.find({cell.word, cell.fresh}); found != facts_.end())
          found->second.writers.insert(position);
        if (blind) blind_.insert(cell.word);
        if (const auto found = facts_.find({cell.word, cell.seen}); !blind && found != facts_.end())
          found->second.replacers.insert(position);
      }
    }
    return true;
  }

  const Record& record(std::int32_t position) {
    const auto [found, fresh] = records_.try_emplace(position);
    if (fresh) found->second.effect = words_.read(at(position), found->second.cells);
    return found->second;
  }

  [[nodiscard]] bool initial(const Version& version) const {
    for (std::size_t i = 1; i + 1 < content_.size(); i += 2)
      if (content_[i] == version.first) return content_[i + 1] == version.second;
    return content_[0] == version.second;
  }

  /// Whether a version is current at most once.
  [[nodiscard]] bool once(const Version& version) const {
    return facts_.at(version).writers.size() + (initial(version) ? 1 : 0) <= 1;
  }

  /// Whether an operation certainly took effect.
  bool certain(std::int32_t position) {
    return certain_.contains(position) || (!record(position).unknown() && columns_.certain(at(position)));
  }

  // -- links ---------------------------------------------------------------------------------------------------------

  /// Whether a link is forced, provided both its operations took effect and (for failures) it was chosen.
  bool holds(const Link& link) {
    const Version version{link.word, link.value};
    if (link.because == Because::kTime) {
      const std::array order{link.to, link.from};
      return link.from != link.to && check_times(columns_, order, condition_, false).flaw != Flaw::kNone;
    }
    const Facts& facts = facts_.at(version);
    const auto only_writer = [&](std::int32_t who) { return facts.writers.size() == 1 && facts.writers.contains(who); };
    if (link.from == kNone)
      return link.because == Because::kReadsFrom && facts.writers.empty() && !initial(version) &&
             record(link.to).saw(version);
    if (!once(version)) return false;
    switch (link.because) {
      case Because::kReadsFrom:
        return only_writer(link.from) && record(link.to).saw(version);
      case Because::kReplaced:
        return link.from != link.to && record(link.from).saw(version) && record(link.to).replaced(version);
      case Because::kFailedAfter:
        return record(link.from).replaced(version) && record(link.to).expected(version);
      case Because::kFailedBefore:
        return only_writer(link.to) && record(link.from).expected(version);
      case Because::kTime:
        break;
    }
    return false;
  }

  static bool closed(const Contradiction& contradiction) {
    const auto& links = contradiction.links;
    if (links.empty()) return false;
    if (links.size() == 1) return links[0].from == kNone;
    for (std::size_t i = 0; i < links.size(); ++i)
      if (links[i].to != links[(i + 1) % links.size()].from) return false;
    return true;
  }

  // -- explanations of failed operations -----------------------------------------------------------------------------

  /// All ways to explain a failed operation. False: there may be further ways, which cannot be enumerated.
  std::pair<std::vector<Way>, bool> ways_of(std::int32_t failed) {
    std::vector<Way> ways;
    if (record(failed).effect != Effect::kFails) return {ways, false};
    for (const Cell& cell : record(failed).cells) {
      const Version version{cell.word, cell.seen};
      const Facts& facts = facts_.at(version);
      const bool never = facts.writers.empty() && !initial(version);
      if (never || !once(version) || blind_.contains(cell.word)) return {ways, false};
      if (!facts.writers.empty()) ways.push_back({version, kNone});
      for (const std::int32_t replacer : facts.replacers) ways.push_back({version, replacer});
    }
    return {ways, true};
  }

  /// Whether some choice of ways, from the failed operation `next` on, leads to no contradiction.
  bool escapes(const std::vector<std::vector<Way>>& ways, std::size_t next) {
    tried_ += 1 + static_cast<std::int64_t>(refutation_.contradictions.size());
    if (tried_ > kMostWays) return true;
    if (runs_into_one()) return false;
    if (next == ways.size()) return true;
    for (const Way& way : ways[next]) {
      chosen_[next] = &way;
      if (escapes(ways, next + 1)) return true;
    }
    chosen_[next] = nullptr;
    return false;
  }

  bool runs_into_one() {
    std::set<std::int32_t> kept;  // needed by the chosen ways
    std::vector<std::int32_t> work;
    for (const Way* way : chosen_)
      if (way != nullptr && way->replacer != kNone) work.push_back(way->replacer);
    while (!work.empty()) {
      const std::int32_t position = work.back();
      work.pop_back();
      if (!kept.insert(position).second) continue;
      for (const Cell& cell : record(position).cells)
        if (const auto found = facts_.find({cell.word, cell.seen}); found != facts_.end() && once(found->first))
          work.insert(work.end(), found->second.writers.begin(), found->second.writers.end());
    }
    const auto present = [&](std::int32_t position) { return certain(position) || kept.contains(position); };
    const auto applies = [&](const Link& link) {
      if ((link.from != kNone && !present(link.from)) || !present(link.to)) return false;
      if (link.because == Because::kFailedAfter) return is_chosen(link.to, {{link.word, link.value}, link.from});
      if (link.because == Because::kFailedBefore) return is_chosen(link.from, {{link.word, link.value}, kNone});
      return true;
    };
    return std::any_of(refutation_.contradictions.begin(), refutation_.contradictions.end(),
                       [&](const auto& each) { return std::all_of(each.links.begin(), each.links.end(), applies); });
  }

  [[nodiscard]] bool is_chosen(std::int32_t failed, const Way& way) const {
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      if (refutation_.failed[i] == failed) return chosen_[i] != nullptr && *chosen_[i] == way;
    return false;
  }

  const histories::Columns& columns_;
  const Refutation& refutation_;
  specs::Words words_;
  std::span<const std::int64_t> content_;
  search::Condition condition_;
  std::span<const std::int32_t> positions_;
  std::map<Version, Facts> facts_;
  std::map<std::int32_t, Record> records_;
  std::set<std::int32_t> blind_;    // words written by operations that do not report the old value
  std::set<std::int32_t> certain_;  // operations with an unknown outcome that certainly took effect
  std::vector<const Way*> chosen_;
  std::int64_t tried_ = 0;
};

}  // namespace

Proof check_refutation(const graphs::Question& question, const Refutation& refutation) {
  if (question.condition == search::Condition::kBufferedDurable) return Proof::kBroken;  // a value may return
  return Examination(question, refutation).examine();
}

}  // namespace linpoint::verdicts
