// SPDX-License-Identifier: Apache-2.0
// The operations on a memory and the versions of its words, which link them.
//
// A version is a value of one word; it is current at most once. Its writer comes before all its observers, and these
// come before its replacer. Operations are places among the given positions. Cost: O(kn), without hashing where few
// words share a value.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "graphs/real_time_order.hpp"
#include "linpoint/graphs/precedence.hpp"
#include "specs/memory_operations.hpp"

namespace linpoint::graphs {

/// The writer of a word's initial version.
inline constexpr std::int32_t kGenesis = -2;

struct Version {
  std::int32_t word;
  std::int32_t value;
  std::int32_t writer = kNone;
  std::int32_t replacer = kNone;
  std::int32_t readers = kNone;  // a list of cells, linked by their `fresh`
  std::int32_t unplaced = 0;     // readers that are not yet placed in an order
};

/// An operation's access to one word. For an observer, `fresh` is the next reader's cell.
struct VersionCell {
  std::int32_t seen;
  std::int32_t fresh;
  std::int32_t operation;
};

class Memory {
 public:
  Memory(const histories::Columns& columns, std::span<const std::int32_t> positions, const specs::Blueprint& blueprint,
         std::span<const std::int64_t> content);

  /// Reads all operations. Returns why the graph does not apply, if so, and the operation that excludes it.
  std::pair<Exclusion, std::int32_t> load(search::StopToken& stop, bool parallel);

  /// Keeps the operations with an unknown outcome whose values were observed, and transitively those they observed.
  void keep_seen();
  /// Appends the swaps among these, whose old values are unknown, to the ends of their words' chains. False: one word
  /// has several, and their order is unknown.
  bool join_swaps();

  /// An operation that certainly took effect although its outcome is unknown: `observer` observed its version.
  struct Kept {
    std::int32_t operation;
    std::int32_t observer;
    std::int32_t version;
  };
  /// Keeps an operation with an unknown outcome. What it observed must have been written, so its writers may be kept as
  /// well.
  void keep(const Kept& kept);
  /// Drops the operations kept beyond the first `count`.
  void drop_since(std::size_t count);
  /// In the order in which they were found: the observer of each certainly took effect, or was found before it.
  [[nodiscard]] const std::vector<Kept>& kept_unknown() const { return kept_unknown_; }
  /// A kept operation, if it is not among the first `first` ones; null otherwise.
  [[nodiscard]] const Kept* kept_unknown(std::int32_t operation, std::size_t first) const {
    const auto found = place_kept_.find(operation);
    return found == place_kept_.end() || found->second < first ? nullptr : &kept_unknown_[found->second];
  }

  struct Flaw {
    Reason reason;         // a fork or a dangling read
    std::int32_t version;  // the version concerned
    std::int32_t first;    // the operation that replaced or observed it
    std::int32_t second;   // the other operation that replaced it
  };
  /// The first fork found, whichever operations are kept; kNone: there is none.
  [[nodiscard]] const Flaw& fork() const { return fork_; }
  /// A version that was observed although no operation wrote it.
  [[nodiscard]] Flaw dangling() const;
  /// The same among the versions that one operation observed.
  [[nodiscard]] Flaw dangling(std::int32_t operation) const;

  [[nodiscard]] std::int32_t position(std::int32_t operation) const { return positions_[at(operation)]; }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(effects_.size()); }
  [[nodiscard]] specs::Effect effect(std::int32_t operation) const { return effects_[at(operation)]; }
  [[nodiscard]] bool kept(std::int32_t operation) const { return kept_[at(operation)] != 0; }
  [[nodiscard]] bool replaces(std::int32_t operation) const {
    const specs::Effect effect = effects_[at(operation)];
    return effect != specs::Effect::kSees && effect != specs::Effect::kFails;
  }
  [[nodiscard]] std::span<const VersionCell> cells(std::int32_t operation) const {
    const std::uint32_t first = first_cell_[at(operation)];
    return std::span(cells_).subspan(first, first_cell_[at(operation) + 1] - first);
  }
  [[nodiscard]] std::int32_t cell_number(const VersionCell& cell) const {
    return static_cast<std::int32_t>(&cell - cells_.data());
  }
  [[nodiscard]] const VersionCell& cell(std::int32_t number) const { return cells_[at(number)]; }
  VersionCell& cell(std::int32_t number) { return cells_[at(number)]; }
  [[nodiscard]] const Version& version(std::int32_t number) const { return versions_[at(number)]; }
  Version& version(std::int32_t number) { return versions_[at(number)]; }
  [[nodiscard]] const std::vector<std::int32_t>& failures() const { return failures_; }
  [[nodiscard]] const std::vector<std::int32_t>& unknown() const { return unknown_; }
  /// Whether there are swaps with an unknown outcome.
  [[nodiscard]] bool blind() const { return blind_; }
  /// An operation that certainly writes and does not report the value it overwrote; kNone if there is none.
  [[nodiscard]] std::int32_t blind_write() const { return blind_write_; }
  /// Counts the readers of all versions.
  void unplace_readers();

 private:
  /// The effects of consecutive operations.
  struct Some {
    std::vector<specs::Effect> effects;
    std::vector<std::size_t> first;  // offsets into cells, one more than there are operations
    std::vector<specs::Cell> cells;
  };
  [[nodiscard]] Some read(std::size_t from, std::size_t to) const;
  void reserve();
  std::int32_t version_of(std::int32_t word, std::int32_t value);
  std::int32_t initial_version(std::int32_t word);
  std::int32_t other_version(std::int32_t word, std::int32_t value);
  [[nodiscard]] std::int32_t initial_value(std::int32_t word) const;
  Exclusion add(std::int32_t operation, specs::Effect effect, std::span<const specs::Cell> cells);
  bool written(std::int32_t version, std::int32_t operation);
  void replaced(std::int32_t version, std::int32_t operation);
  /// An operation that observed a version, if any.
  [[nodiscard]] std::int32_t observer(const Version& version) const {
    return version.readers != kNone ? cells_[at(version.readers)].operation : version.replacer;
  }

  const histories::Columns& columns_;
  std::span<const std::int32_t> positions_;
  specs::Words words_;
  std::int32_t initial_;
  std::int32_t values_;                                         // an estimate of their number
  std::unordered_map<std::int32_t, std::int32_t> own_initial_;  // of words with an initial value of their own
  std::vector<specs::Effect> effects_;
  std::vector<std::uint8_t> kept_;
  std::vector<std::uint32_t> first_cell_;
  std::vector<VersionCell> cells_;
  std::vector<Version> versions_;
  std::vector<std::int32_t> by_word_;   // the first version of each word
  std::vector<std::int32_t> by_value_;  // a version with each value
  std::unordered_map<std::uint64_t, std::int32_t> others_;
  std::vector<std::int32_t> failures_;
  std::vector<std::int32_t> unknown_;
  std::vector<Kept> kept_unknown_;
  std::unordered_map<std::int32_t, std::size_t> place_kept_;  // the index of each of them
  bool blind_ = false;
  std::int32_t blind_write_ = kNone;
  std::int64_t unwritten_ = 0;  // versions that were observed before a writer was known
  bool placed_ = false;         // readers may have been placed since they were counted
  Flaw fork_{Reason::kNone, kNone, kNone, kNone};
};

}  // namespace linpoint::graphs
