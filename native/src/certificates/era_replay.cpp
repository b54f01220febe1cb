// SPDX-License-Identifier: Apache-2.0
#include "linpoint/certificates/era_replay.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "certificates/plain_objects.hpp"

namespace linpoint::verdicts {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// The crashes that end eras, at most one per time, and the eras in which an operation may take effect.
class Eras {
 public:
  explicit Eras(const histories::Columns& columns) : columns_(columns) {
    std::map<std::int64_t, histories::Crash> ends;
    for (const histories::Crash& crash : columns.crashes)
      if (crash.ends_era() && (crash.of_everything() || !ends.contains(crash.time))) ends[crash.time] = crash;
    for (const auto& [time, crash] : ends) {
      std::vector<End>& kind = crash.of_object() ? object_ : everything_;
      kind.push_back({time, crash.end, count_++});
    }
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  /// An operation called before a crash of everything lies before it, and one called at its time or later after it. For
  /// a crash of the object alone, an operation that returned before it lies before it, and one called after it lies
  /// after it, whatever the clocks.
  [[nodiscard]] bool allow(std::size_t op, std::size_t era) const {
    const std::int64_t call = columns_.call[op];
    const auto until = [](const std::vector<End>& ends, std::int64_t time, auto by) {
      return std::partition_point(ends.begin(), ends.end(), [&](const End& each) { return each.*by <= time; });
    };
    const auto next = until(everything_, call, &End::time);
    if (next != everything_.begin() && era <= (next - 1)->number) return false;
    if (next != everything_.end() && era > next->number) return false;
    const auto past = until(object_, call - 1, &End::latest);
    if (past != object_.begin() && era <= (past - 1)->number) return false;
    if (!columns_.certain(op)) return true;
    const auto later = until(object_, columns_.skewed_return(op), &End::time);
    return later == object_.end() || era <= later->number;
  }

 private:
  struct End {
    std::int64_t time;
    std::int64_t latest;
    std::size_t number;
  };
  const histories::Columns& columns_;
  std::vector<End> everything_;
  std::vector<End> object_;
  std::size_t count_ = 0;
};

/// Objects that a crash restores to the moment at which they were last saved.
class SavedObjects {
 public:
  SavedObjects(const specs::Blueprint& blueprint, std::span<const std::vector<std::int64_t>> contents) {
    for (const std::vector<std::int64_t>& content : contents) current_.push_back(plain_object(blueprint, content));
    saved_.resize(contents.size());
  }

  bool take(std::size_t object, const specs::Instruction& op, bool survives) {
    if (!survives && saved_[object] == nullptr) {
      saved_[object] = current_[object]->copy();
      touched_.push_back(object);
    }
    return current_[object]->take(op);
  }

  void crash() {
    for (const std::size_t object : touched_) current_[object] = std::move(saved_[object]);
    touched_.clear();
  }

 private:
  std::vector<std::unique_ptr<PlainObject>> current_;
  std::vector<std::unique_ptr<PlainObject>> saved_;  // of the objects that were changed since the saved moment
  std::vector<std::size_t> touched_;
};

}  // namespace

Finding check_eras(const histories::Columns& columns, const EraOrder& witness, const specs::Blueprint& blueprint,
                   std::span<const std::int32_t> object_of, std::span<const std::vector<std::int64_t>> contents) {
  const Eras eras(columns);
  const std::size_t crashes = eras.count();
  if (witness.eras.size() != crashes || witness.survivors.size() != crashes) return {Flaw::kSurvivors};
  SavedObjects objects(blueprint, contents);
  const specs::Compiler compiler(columns, blueprint);
  std::size_t first = 0;
  for (std::size_t era = 0; era <= crashes; ++era) {
    const bool crashed = era < crashes;
    const std::size_t left = witness.order.size() - first;
    const std::size_t members = crashed ? at(witness.eras[era]) : left;
    const std::size_t survivors = crashed ? at(witness.survivors[era]) : left;
    if (members > left || survivors > members) return {Flaw::kSurvivors};
    for (std::size_t i = 0; i < members; ++i) {
      const std::int32_t position = witness.order[first + i];
      if (!eras.allow(at(position), era)) return {Flaw::kEarlierEra, position};
      const auto op = compiler.compile(at(position), !columns.certain(at(position)));
      if (!op || !objects.take(at(object_of[at(position)]), *op, i < survivors)) return {Flaw::kRejected, position};
    }
    objects.crash();
    first += members;
  }
  return {};
}

}  // namespace linpoint::verdicts
