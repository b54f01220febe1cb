// SPDX-License-Identifier: Apache-2.0
// The values of a container: the operations that added, removed and observed each, and when it was certainly inside.
//
// Times are tightened: an add ends at the latest when its value was observed; a removal starts at the earliest when the
// last observer was called. A value that no operation removed is removed after the last gap. Duplicates are matched if
// times allow a single matching; else `guessed` is set, and a refutation may rest on a wrong guess. Cost: O(n), and O(n
// log n) with duplicates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "monitors/intervals.hpp"

namespace linpoint::monitors {

/// An operation of a container, as an add, a removal or an observation.
enum class Role : std::uint8_t { kAdd, kRemove, kObserve };

struct Handling {
  Role role;
  bool optional;
  std::int32_t op;  // kNone: a value of the initial content
  std::int32_t value;
  Interval owns;
};

struct Observation {
  std::int32_t op;
  Interval owns;
};

struct Value {
  std::int32_t number;
  std::int32_t add;      // operation, or kNone for an initial value
  std::int32_t removal;  // operation, or kNone if no operation removed it
  Interval added;
  Interval removed;
  std::int32_t first_observation;
  std::int32_t observations;
  std::int32_t seen_first = histories::kNone;  // observed it before its add returned, and so shows that it was inside
  std::int32_t seen_last = histories::kNone;   // was called to observe it after its removal was

  /// The gaps in which it is certainly inside; none if `first` > `last`.
  [[nodiscard]] Interval inside() const { return {added.last + 1, removed.first - 1}; }
};

class Contents {
 public:
  /// An answer if one is already found, such as a value removed twice.
  std::optional<Found> read(std::span<const Handling> handlings, std::span<const Observation> empties,
                            std::int32_t gaps);

  [[nodiscard]] const std::vector<Value>& values() const { return values_; }
  [[nodiscard]] std::span<const Observation> observations(const Value& value) const {
    return std::span(observations_).subspan(at(value.first_observation), at(value.observations));
  }
  [[nodiscard]] std::span<const Observation> empties() const { return empties_; }
  [[nodiscard]] bool observed() const { return !observations_.empty(); }
  [[nodiscard]] std::int32_t gaps() const { return gaps_; }
  [[nodiscard]] bool guessed() const { return guessed_; }

  /// A refutation by some values (numbers in `values()`) and, in addition, operations that found the container empty.
  [[nodiscard]] Found refuted(Reason reason, std::vector<std::int32_t> evidence, std::span<const std::int32_t> values,
                              std::span<const std::int32_t> empties = {}) const;

  /// For each gap, the next gap from there on in which nothing is certainly inside.
  [[nodiscard]] std::vector<std::int32_t> next_free() const;
  /// The violation by an operation that found the container empty while values were certainly inside.
  [[nodiscard]] Found not_empty(const Observation& empty) const;
  /// Values among `candidates` whose certain stays together cover the gaps of an operation, as few as possible.
  [[nodiscard]] std::vector<std::int32_t> cover(const Interval& owns, std::span<const std::int32_t> candidates) const;

  /// Adds the operations of a value that show when it was certainly inside.
  void tell(std::int32_t value, std::vector<std::int32_t>& evidence) const;
  /// The observations of a value with the earliest end and the latest start.
  [[nodiscard]] std::vector<std::int32_t> extremes(std::int32_t value) const;

 private:
  struct Group {
    std::int32_t value;
    std::int32_t first = histories::kNone;  // handlings, linked
    std::int32_t last = histories::kNone;
    std::int32_t adds = 0;
    std::int32_t removals = 0;
  };

  /// Operations on one value that was added more than once.
  struct Duplicates {
    std::vector<std::int32_t> adds;      // by call
    std::vector<std::int32_t> removals;  // by return
    std::vector<std::int32_t> observers;
    std::vector<std::int32_t> removal_of;                 // of each add
    std::vector<std::vector<std::int32_t>> observers_of;  // of each add
  };

  void group();
  std::optional<Found> settle(const Group& group);
  std::optional<Found> match(const Group& group);
  std::optional<Found> match_removals(Duplicates& equal, std::int32_t number);
  std::optional<Found> match_observers(Duplicates& equal, std::int32_t number);
  [[nodiscard]] const Interval& owns(std::int32_t handling) const { return handlings_[at(handling)].owns; }
  std::optional<Found> finish(Value value, std::span<const std::int32_t> observers);
  [[nodiscard]] Found refuted_group(Reason reason, std::vector<std::int32_t> evidence, std::int32_t number) const;

  std::span<const Handling> handlings_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> next_;  // of each handling, the next one of its value
  std::vector<Value> values_;
  std::vector<Observation> observations_;
  std::vector<Observation> empties_;
  std::int32_t gaps_ = 0;
  bool guessed_ = false;
};

Found decide_queue(const Contents& contents);
/// The only monitor that may take long enough to be stopped.
Found decide_stack(const Contents& contents, search::StopToken& stop);
/// `priorities` is indexed by the numbers of values.
Found decide_priority_queue(const Contents& contents, std::span<const std::int64_t> priorities);

}  // namespace linpoint::monitors
