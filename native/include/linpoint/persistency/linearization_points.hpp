// SPDX-License-Identifier: Apache-2.0
// Likely linearization points, lock words, and advice on flushes and fences, from a trace.
//
// Points follow the three rules of Fu et al.: Durinn (OSDI 2022), 5.2. Candidates are stores by locked instructions
// (atomic) and stores to locations that comparisons depend on (guarded protection). Among these, stores into memory
// that was allocated in the same operation do not count, until a pointer to it is stored elsewhere; that store is a
// point as well (publish after initialisation). The paper follows data flow through code. Here an address is a guardian
// if a value read there is compared soon after by the same thread, and so are addresses that the same code stores to
// elsewhere. The points serve ranking and counting, and prove nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/persistency/persistence.hpp"
#include "linpoint/persistency/pool_trace.hpp"

namespace linpoint::persistency {

/// A word that is a lock: initially 0, then updated by a locked instruction, then set to 0 in the same operation;
/// otherwise nothing but 0 is stored to it. Or a mutex whose kLock has a size. Counters do not qualify: they are
/// decremented to 0.
struct LockWord {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
};

class LockWords {
 public:
  explicit LockWords(std::span<const Event> trace);
  [[nodiscard]] std::span<const LockWord> words() const { return words_; }  ///< by address
  [[nodiscard]] bool covers(const Event& store) const;                      ///< whether it writes only to lock words

 private:
  std::vector<LockWord> words_;
};

enum class Rule : std::uint8_t {
  kNone,        ///< not a store, or one that no rule covers
  kAtomic,      ///< a point
  kGuarded,     ///< a point
  kPublishing,  ///< a point: makes memory of its own operation reachable for other threads
  kFresh,       ///< into memory of its own operation that no other thread can reach: not a point, whatever else it is
  kLock,        ///< to a lock word: not a point
};

struct Points {
  std::vector<Rule> rules;     ///< for each event
  std::size_t stores = 0;      ///< all, without those to lock words
  std::size_t atomic = 0;      ///< of these: by locked instructions, also into fresh memory
  std::size_t guarded = 0;     ///< of these: to guardians, also atomic ones and into fresh memory
  std::size_t publishing = 0;  ///< of these: making fresh memory reachable, also atomic ones and those to guardians
  std::size_t suspected = 0;   ///< at least one of the above: the points if fresh memory counted
  std::size_t fresh = 0;       ///< into fresh memory
  std::size_t points = 0;      ///< suspected and not fresh
  std::size_t locks = 0;       ///< stores to lock words

  [[nodiscard]] bool is_point(std::size_t event) const {
    return rules[event] == Rule::kAtomic || rules[event] == Rule::kGuarded || rules[event] == Rule::kPublishing;
  }
};

[[nodiscard]] Points find_points(std::span<const Event> trace, const LockWords& locks);

/// For the flushes or fences at one place in the code: how many had no effect.
struct Advice {
  std::uint64_t code = 0;
  bool fence = false;  ///< else a flush
  std::size_t redundant = 0;
  std::size_t all = 0;
};

/// Runs along with a Persistence: call `observe` after each `advance`.
class Adviser {
 public:
  void observe(const Event& event, const Persistence& now);
  /// Places where at least one had no effect, by code.
  [[nodiscard]] std::vector<Advice> advice() const;

 private:
  std::vector<Advice> places_;
};

}  // namespace linpoint::persistency
