// SPDX-License-Identifier: Apache-2.0
#include "linpoint/certificates/era_replay.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "certificates/plain_objects.hpp"

namespace linpoint::verdicts {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// The crashes that end eras, one for each time.
std::vector<histories::Crash> ends_of_eras(const histories::Columns& columns) {
  std::vector<histories::Crash> ends;
  for (const histories::Crash& crash : columns.crashes)
    if (crash.process == histories::kNone && (ends.empty() || ends.back().time != crash.time)) ends.push_back(crash);
  return ends;
}

/// Whether an operation may take effect before a crash, and after it.
bool may_precede(const histories::Columns& columns, std::size_t op, const histories::Crash& crash) {
  return columns.call[op] < crash.time;
}
bool may_follow(const histories::Columns& columns, std::size_t op, const histories::Crash& crash) {
  return crash.time <= columns.call[op];
}

/// Objects that a crash takes back to the moment at which they were last saved.
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
  std::vector<std::unique_ptr<PlainObject>> saved_;  // of those that were changed since the saved moment
  std::vector<std::size_t> touched_;
};

}  // namespace

Finding check_eras(const histories::Columns& columns, const EraOrder& witness, const specs::Blueprint& blueprint,
                   std::span<const std::int32_t> object_of, std::span<const std::vector<std::int64_t>> contents) {
  const std::vector<histories::Crash> crashes = ends_of_eras(columns);
  if (witness.eras.size() != crashes.size() || witness.survivors.size() != crashes.size()) return {Flaw::kSurvivors};
  SavedObjects objects(blueprint, contents);
  const specs::Compiler compiler(columns, blueprint);
  std::size_t first = 0;
  for (std::size_t era = 0; era <= crashes.size(); ++era) {
    const bool crashed = era < crashes.size();
    const std::size_t left = witness.order.size() - first;
    const std::size_t members = crashed ? at(witness.eras[era]) : left;
    const std::size_t survivors = crashed ? at(witness.survivors[era]) : left;
    if (members > left || survivors > members) return {Flaw::kSurvivors};
    for (std::size_t i = 0; i < members; ++i) {
      const std::int32_t position = witness.order[first + i];
      if (crashed && !may_precede(columns, at(position), crashes[era])) return {Flaw::kEarlierEra, position};
      if (era > 0 && !may_follow(columns, at(position), crashes[era - 1])) return {Flaw::kEarlierEra, position};
      const auto op = compiler.compile(at(position), !columns.certain(at(position)));
      if (!op || !objects.take(at(object_of[at(position)]), *op, i < survivors)) return {Flaw::kRejected, position};
    }
    objects.crash();
    first += members;
  }
  return {};
}

}  // namespace linpoint::verdicts
