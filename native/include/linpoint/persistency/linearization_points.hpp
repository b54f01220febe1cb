// SPDX-License-Identifier: Apache-2.0
// Likely linearization points, lock words, and advice on flushes and fences, from a trace.
//
// Points by the three rules of Fu et al.: Durinn (OSDI 2022), 5.2: what a locked instruction stores (atomic); stores to
// what comparisons depend on (guarded protection); and of those, not the stores into memory that was allocated in the
// same operation, until a pointer to it is stored elsewhere, which is a point as well (publish after initialisation).
// The paper follows data through code; here an address is a guardian if a value that was read there is compared soon
// after by the same thread, and so is what the same code stores elsewhere. The points rank and count, and are no proof
// of anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/persistency/persistence.hpp"
#include "linpoint/persistency/pool_trace.hpp"

namespace linpoint::persistency {

/// A word that is a lock: 0, then updated by a locked instruction, then stored 0 to in the same operation; and nothing
/// but 0 is stored to it otherwise. Or a mutex whose kLock has a size. Counters are not: they are decreased to 0.
struct LockWord {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
};

class LockWords {
 public:
  explicit LockWords(std::span<const Event> trace);
  [[nodiscard]] std::span<const LockWord> words() const { return words_; }  ///< by address
  [[nodiscard]] bool covers(const Event& store) const;                      ///< whether it writes to nothing else

 private:
  std::vector<LockWord> words_;
};

enum class Rule : std::uint8_t {
  kNone,        ///< no store, or one that no rule speaks of
  kAtomic,      ///< a point
  kGuarded,     ///< a point
  kPublishing,  ///< a point: leads others to memory of its own operation
  kFresh,       ///< into memory of its own operation that nobody else can reach: no point, whatever else it is
  kLock,        ///< to a lock word: no point
};

struct Points {
  std::vector<Rule> rules;     ///< for each event
  std::size_t stores = 0;      ///< all, without those to lock words
  std::size_t atomic = 0;      ///< of them by locked instructions, also into fresh memory
  std::size_t guarded = 0;     ///< of them to guardians, also atomic ones and into fresh memory
  std::size_t publishing = 0;  ///< of them that lead others to fresh memory, also atomic ones and those to guardians
  std::size_t suspected = 0;   ///< one or another: the points if fresh memory counted
  std::size_t fresh = 0;       ///< into fresh memory
  std::size_t points = 0;      ///< suspected and not fresh
  std::size_t locks = 0;       ///< stores to lock words

  [[nodiscard]] bool is_point(std::size_t event) const {
    return rules[event] == Rule::kAtomic || rules[event] == Rule::kGuarded || rules[event] == Rule::kPublishing;
  }
};

[[nodiscard]] Points find_points(std::span<const Event> trace, const LockWords& locks);

/// Of the flushes or fences of one place in the code, how many did nothing.
struct Advice {
  std::uint64_t code = 0;
  bool fence = false;  ///< else flush
  std::size_t redundant = 0;
  std::size_t all = 0;
};

/// Goes along with a Persistence: `observe` after each `advance`.
class Adviser {
 public:
  void observe(const Event& event, const Persistence& now);
  /// Where at least one did nothing, by code.
  [[nodiscard]] std::vector<Advice> advice() const;

 private:
  std::vector<Advice> places_;
};

}  // namespace linpoint::persistency
