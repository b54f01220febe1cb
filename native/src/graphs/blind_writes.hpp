// SPDX-License-Identifier: Apache-2.0
// Places the blind writes of memories, which do not report the value they overwrote, among the other operations.
//
// Every value is written to a word at most once. Let r have observed what w wrote to a word, and let v also write that
// word. Then w before v implies r before v, and v before r implies v before w. Starting from the order of time and of
// observed values, these two rules are applied until nothing new follows. If an operation comes before itself there is
// no order, since the rules hold in every order. If any two writes of each word are ordered by then, the relation is a
// partial order, and each of its total orders is a legal run: between w and r no operation writes the word. Otherwise
// two writes are put in the order of their calls and the rules are applied again. An assumption that leads immediately
// to a contradiction is reversed; permanently, if there was no earlier assumption. The result is undecided if both
// directions lead to a contradiction under earlier assumptions.
//
// Failed operations are ignored: they have no effect, so a contradiction among the others is one of all. Guarantee: an
// order is a legal run of the operations without the failed ones; the core of a contradiction, with the operations that
// wrote the values it observed, has no order by itself. Cost: O(n^2 / 64) for each edge that follows, 2 n^2 bits of
// memory. The problem is NP-complete. Source: the rules are those of polygraphs (Papadimitriou, The serializability of
// concurrent database updates, 1979).
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "graphs/real_time_order.hpp"
#include "graphs/version_graph.hpp"
#include "linpoint/graphs/precedence.hpp"
#include "linpoint/search/stop_token.hpp"

namespace linpoint::graphs {

/// Rows of bits.
class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(std::size_t rows, std::size_t bits) : words_((bits + 63) / 64), bits_(rows * words_) {}
  [[nodiscard]] std::span<const std::uint64_t> row(std::int32_t index) const {
    return std::span(bits_).subspan(at(index) * words_, words_);
  }
  [[nodiscard]] std::span<std::uint64_t> row(std::int32_t index) {
    return std::span(bits_).subspan(at(index) * words_, words_);
  }
  [[nodiscard]] bool has(std::int32_t index, std::int32_t bit) const {
    return ((row(index)[at(bit) / 64] >> (at(bit) % 64)) & 1U) != 0;
  }
  void set(std::int32_t index, std::int32_t bit) { row(index)[at(bit) / 64] |= std::uint64_t{1} << (at(bit) % 64); }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

class BlindWrites {
 public:
  enum class Answer : std::uint8_t { kOrdered, kContradiction, kUndecided, kStopped };
  /// With more operations than this, it would take too much memory.
  static constexpr std::size_t kMostOperations = 8192;

  /// Takes the kept operations; `memory` must have no forks and no values that no operation wrote.
  BlindWrites(const Memory& memory, const Timing& timing);

  Answer run(search::StopToken& stop);
  /// An order of the operations, as places.
  [[nodiscard]] std::vector<std::int32_t> order() const;
  /// The operations of a contradiction, as places.
  [[nodiscard]] std::vector<std::int32_t> core() const;

 private:
  /// Why an edge exists: recorded, or implied because `first` already comes before `second` (kNone: unconditionally),
  /// or assumed.
  enum class Kind : std::uint8_t { kRecorded, kFollows, kAssumed, kRefuted };
  struct Edge {
    std::int32_t from;
    std::int32_t to;
    Kind kind;
    std::int32_t first = kNone;
    std::int32_t second = kNone;  // of a refuted assumption: the index of its core
  };
  struct Closure {
    BitMatrix after;   // successors of each
    BitMatrix before;  // predecessors of each
    std::vector<Edge> edges;
    std::vector<std::vector<std::int32_t>> out;  // edges by their source
    bool assumes = false;
  };
  struct Seen {
    std::int32_t writer;  // kNone: the initial value
    std::int32_t word;
    std::vector<std::int32_t> seers;
  };
  using Core = std::set<std::int32_t>;
  using Pair = std::pair<std::int32_t, std::int32_t>;

  void read_versions();
  [[nodiscard]] bool record(Closure& closure);
  [[nodiscard]] bool add(Closure& closure, const Edge& edge);
  [[nodiscard]] bool saturate(Closure& closure);
  [[nodiscard]] bool overwritten_later(Closure& closure, const Seen& seen, std::int32_t seer);
  [[nodiscard]] bool overwritten_earlier(Closure& closure, const Seen& seen, std::int32_t seer);
  [[nodiscard]] bool undecided(const Closure& closure, Pair& pair) const;
  [[nodiscard]] bool apart(const Closure& closure, const Pair& pair) const;
  void explain(const Closure& closure, const Edge& last);
  void explain_edge(const Closure& closure, const Edge& edge, std::size_t number);
  void explain_path(const Closure& closure, std::int32_t from, std::int32_t to, std::size_t edges);
  [[nodiscard]] std::int32_t number_of(std::int32_t place) const { return number_[at(place)]; }

  const Memory& memory_;
  const Timing& timing_;
  std::vector<std::int32_t> places_;                   // of the operations
  std::vector<std::int32_t> number_;                   // index of each place among them
  std::vector<std::int32_t> by_call_;                  // the operations in the order of their calls
  std::vector<std::int64_t> calls_;                    // in that order
  std::vector<Seen> seen_;                             // of each version
  BitMatrix writers_;                                  // of each word
  std::vector<std::vector<std::int32_t>> writers_of_;  // the same in the order of their calls
  Closure closure_;
  std::vector<Core> refuted_;  // the cores of refuted assumptions
  Core core_;
  std::set<std::size_t> explained_;
  std::vector<Pair> first_pairs_;  // to be ordered before all others
  search::StopToken* stop_ = nullptr;
};

/// Decides a memory by placing its blind writes, as far as possible. By the rules of the paper it is not possible.
Outcome decide_blind_writes(const Memory& memory, const Timing& timing, Rules rules, search::StopToken& stop);

}  // namespace linpoint::graphs
