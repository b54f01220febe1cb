// SPDX-License-Identifier: Apache-2.0
// What is read out of a trace: likely linearization points, lock words, racy pairs, flushes and fences that do nothing.
#include "linpoint/persistency/linearization_points.hpp"

#include <utility>
#include <vector>

#include "linpoint/persistency/persistence.hpp"
#include "linpoint/persistency/racy_pairs.hpp"
#include "tests/persistency/hand_written_trace.hpp"
#include "tests/support/harness.hpp"
#include "tests/support/seeded_random.hpp"

namespace {

using namespace linpoint::persistency;
using namespace linpoint::tests;

constexpr std::uint64_t kFlag = 0;
constexpr std::uint64_t kKey = 8;
constexpr std::uint64_t kValue = 16;
constexpr std::uint64_t kHead = 64;
constexpr std::uint64_t kNode = 128;
constexpr std::uint64_t kOther = 512;

std::vector<Rule> rules(const Script& script) { return find_points(script.events(), LockWords(script.events())).rules; }

std::size_t locks(const Script& script) { return LockWords(script.events()).words().size(); }

/// Figure 8(a) of the paper: a flag guards key and value.
void guarded_protection() {
  Script script;
  script.in(0).at(10).store(kKey, 7).at(11).store(kValue, 70).at(12).store(kFlag, 1, 1);
  script.in(1).at(20).read(kFlag, 1, 1).at(21).compare(1, 0).at(22).read(kValue, 70);
  const Points points = find_points(script.events(), LockWords(script.events()));
  EXPECT(points.rules[0] == Rule::kNone && points.rules[1] == Rule::kNone && points.rules[2] == Rule::kGuarded);
  EXPECT(points.is_point(2) && !points.is_point(1));
  EXPECT(points.stores == 3 && points.guarded == 1 && points.atomic == 0 && points.fresh == 0 && points.points == 1);
}

/// Who compares is the thread that has read, and not long after; what was read may be widened.
void what_comparisons_depend_on() {
  const auto guarded = [](const Script& script) { return rules(script).back() == Rule::kGuarded; };
  EXPECT(guarded(Script().read(kFlag, 5).compare(5, 9).store(kFlag)));
  EXPECT(guarded(Script().read(kFlag, 5).compare(9, 5).store(kFlag)));
  EXPECT(guarded(Script().read(kFlag, 5).compare(9, 5).store(kFlag + 4, 1, 4)));
  EXPECT(!guarded(Script().read(kFlag, 5, 4).compare(9, 5).store(kFlag + 4, 1, 4)));
  EXPECT(!guarded(Script().read(kFlag, 5).compare(9, 6).store(kFlag)));
  EXPECT(!guarded(Script().by(0).read(kFlag, 5).by(1).compare(9, 5).store(kFlag)));
  EXPECT(guarded(Script().read(kFlag, 0xff, 1).compare(0xffffffff, 3).store(kFlag, 1, 1)));
  EXPECT(guarded(Script().read(kFlag, 0xfe, 1).compare(3, ~std::uint64_t{1}).store(kFlag, 1, 1)));
  EXPECT(!guarded(Script().read(kFlag, 0x7e, 1).compare(3, ~std::uint64_t{1}).store(kFlag, 1, 1)));
  EXPECT(guarded(Script().read(kFlag, 5).read(kKey, 6).compare(5, 6).store(kFlag)));  // with each other
  EXPECT(guarded(Script().read(kFlag, 5).read(kKey, 6).compare(5, 6).store(kKey)));
  EXPECT(!guarded(Script().read(kFlag, 0).read(kKey, 1).read(kHead, 6).compare(6, 0).store(kFlag)));  // by chance
  Script forgotten;
  forgotten.read(kFlag, 5);
  for (std::uint64_t read = 0; read < 8; ++read) forgotten.read(kHead + 8 * read, 100 + read);
  EXPECT(!guarded(forgotten.compare(5, 9).store(kFlag)));
}

/// The same code guards other objects.
void guarding_code() {
  Script script;
  script.at(12).store(kFlag, 1, 1).store(kNode, 1, 1).at(13).store(kNode + 8);
  script.read(kFlag, 1, 1).compare(1, 0);
  const std::vector<Rule> found = rules(script);
  EXPECT(found[0] == Rule::kGuarded && found[1] == Rule::kGuarded && found[2] == Rule::kNone);
}

/// Figure 8(b): a node is allocated, initialised and linked.
void publish_after_initialisation() {
  Script script;
  script.in(0).allocate(kNode, 32).store(kNode, 5).update(kNode + 8, 1).update(kHead, kNode).store(kNode + 32);
  script.in(1).store(kNode + 8, 2).in(2).read(kNode, 5).compare(5, 5).store(kNode, 6);
  const Points points = find_points(script.events(), LockWords(script.events()));
  const std::vector<Rule> expected = {
      Rule::kNone, Rule::kFresh, Rule::kFresh, Rule::kAtomic,  Rule::kNone,
      Rule::kNone, Rule::kNone,  Rule::kNone,  Rule::kGuarded,
  };
  EXPECT(points.rules == expected);
  EXPECT(points.stores == 6 && points.atomic == 2 && points.guarded == 2 && points.suspected == 4);
  EXPECT(points.fresh == 2 && points.points == 2);
  EXPECT(rules(Script().in(0).allocate(kNode, 8).free(kNode).update(kNode)).back() == Rule::kAtomic);
  EXPECT(rules(Script().in(0).by(1).allocate(kNode, 8).by(0).update(kNode)).back() == Rule::kAtomic);
}

/// What a table that grows stores into its new body when that has taken over, and what hangs from there.
void published_within_an_operation() {
  Script script;
  script.in(0).allocate(kNode, 32).allocate(kOther, 32).store(kNode, kOther).update(kOther, 1).update(kNode + 8, 1);
  script.update(kHead, kNode).update(kOther + 8, 1).update(kNode + 8, 2);
  const std::vector<Rule> found = rules(script);
  EXPECT(found[2] == Rule::kFresh && found[3] == Rule::kFresh && found[4] == Rule::kFresh);
  EXPECT(found[5] == Rule::kAtomic && found[6] == Rule::kAtomic && found[7] == Rule::kAtomic);
  // Half of a pointer, and one to nowhere, publish nothing.
  EXPECT(rules(Script().in(0).allocate(kNode, 8).update(kHead, kNode, 4).update(kNode)).back() == Rule::kFresh);
  EXPECT(rules(Script().in(0).allocate(kNode, 8).update(kHead, kNode + 8).update(kNode)).back() == Rule::kFresh);
  // To publish is a point by itself, once; what an operation before has allocated was published long ago.
  EXPECT(rules(Script().in(0).allocate(kNode, 8).store(kHead, kNode)).back() == Rule::kPublishing);
  EXPECT(rules(Script().in(0).allocate(kNode, 8).store(kHead, kNode).store(kHead, kNode)).back() == Rule::kNone);
  EXPECT(rules(Script().in(0).allocate(kNode, 8).in(1).store(kHead, kNode)).back() == Rule::kNone);
  // Outside of operations as well.
  EXPECT(rules(Script().allocate(kNode, 8).update(kHead, kNode).update(kNode)).back() == Rule::kAtomic);
}

void lock_words() {
  EXPECT(locks(Script().in(0).update(kFlag, 1, 4).store(kFlag, 0, 4)) == 1);
  EXPECT(locks(Script().in(0).update(kFlag, 1, 4).exchange(kFlag, 0, 4)) == 1);
  EXPECT(locks(Script().in(0).update(kFlag, 1, 4).in(1).store(kFlag, 0, 4)) == 0);
  EXPECT(locks(Script().in(0).update(kFlag, 1, 4).store(kKey, 0, 4)) == 0);
  EXPECT(locks(Script().in(0).store(kFlag, 1, 4).store(kFlag, 0, 4)) == 0);
  EXPECT(locks(Script().in(0).update(kFlag, 1, 4).update(kFlag, 0, 4)) == 0);  // counts
  EXPECT(locks(Script().in(0).update(kFlag, 1).update(kFlag, 2).update(kFlag, 1).store(kFlag, 0)) == 0);
  EXPECT(locks(Script().in(0).exchange(kFlag, 1, 4).exchange(kFlag, 0, 4)) == 0);              // the flag of a log
  EXPECT(locks(Script().in(0).update(kFlag, 1).store(kFlag, 0).store(kFlag, 9)) == 0);         // data
  EXPECT(locks(Script().in(0).update(kHead, 9).in(1).update(kHead, 8).store(kHead, 0)) == 0);  // was not free
  EXPECT(locks(Script().update(kFlag, 1, 4).store(kFlag, 0, 4)) == 0);                         // in no operation
  EXPECT(locks(Script().in(0).update(kFlag, 1).in(1).store(kKey).in(0).store(kFlag, 0)) == 1);
  EXPECT(locks(Script().in(0).update(kFlag, 1).in(1).update(kFlag, 1).in(0).store(kFlag, 0)) == 1);  // contended
  EXPECT(locks(Script().in(0).lock(kFlag).unlock(kFlag)) == 1);
  Script elsewhere;
  elsewhere.in(0).add(Kind::kLock, kFlag, 0, 0).unlock(kFlag);
  EXPECT(locks(elsewhere) == 0);
  const Script script = std::move(Script().in(0).update(kFlag, 1, 4).store(kKey, 5).store(kFlag, 0, 4));
  EXPECT((rules(script) == std::vector<Rule>{Rule::kLock, Rule::kNone, Rule::kLock}));
  const LockWords words(script.events());
  EXPECT(words.words()[0].address == kFlag && words.words()[0].size == 4);
  EXPECT(words.covers(script.events()[0]) && !words.covers(script.events()[1]));
}

std::vector<Advice> advice(const Script& script, Mode mode = Mode::kAdr) {
  Persistence now(mode);
  Adviser adviser;
  std::uint32_t index = 0;
  for (const Event& event : script.events()) {
    now.advance(event, index++);
    adviser.observe(event, now);
  }
  return adviser.advice();
}

void redundant_flushes_and_fences() {
  EXPECT(advice(Script().store(kFlag).clwb(kFlag).sfence()).empty());
  EXPECT(advice(Script().store(kFlag).clflush(kFlag).sfence()).empty());
  EXPECT(advice(Script().non_temporal(kFlag).sfence()).empty());
  EXPECT(advice(Script().store(kFlag).mfence().update(kHead).update(kHead)).empty());
  EXPECT(advice(Script().failed_update(kHead).failed_update(kHead)).empty());
  const auto one = [](const Script& script, bool fence, std::uint64_t code, std::size_t redundant, std::size_t all,
                      Mode mode = Mode::kAdr) {
    const std::vector<Advice> found = advice(script, mode);
    return found.size() == 1 && found[0].fence == fence && found[0].code == code && found[0].redundant == redundant &&
           found[0].all == all;
  };
  EXPECT(one(Script().at(5).clwb(kFlag), false, 5, 1, 1));
  EXPECT(one(Script().store(kFlag).at(5).clwb(kFlag).at(6).clwb(kFlag).sfence(), false, 6, 1, 1));
  EXPECT(one(Script().store(kFlag).at(5).clwb(kFlag).sfence().clwb(kFlag).sfence(), false, 5, 1, 2));
  EXPECT(one(Script().store(kFlag).clflush(kFlag).at(6).clflush(kKey), false, 6, 1, 1));
  EXPECT(one(Script().at(5).non_temporal(kFlag).clwb(kFlag).at(6).sfence(), false, 5, 1, 1));
  EXPECT(one(Script().store(kFlag).at(7).sfence(), true, 7, 1, 1));
  EXPECT(one(Script().store(kFlag).clwb(kFlag).sfence().at(7).sfence(), true, 7, 1, 1));
  EXPECT(one(Script().store(kFlag).clwb(kFlag).by(1).at(7).sfence(), true, 7, 1, 1));
  EXPECT(one(Script().store(kFlag).at(4).clwb(kFlag).at(7).sfence(), false, 4, 1, 1, Mode::kEadr));
  // Another thread's flush waits for that thread's fence, and this one for its own.
  EXPECT(advice(Script().store(kFlag).clwb(kFlag).by(1).clwb(kFlag).sfence()).empty());
  EXPECT(advice(Script().store(kFlag).clwb(kFlag).store(kKey).clwb(kFlag).sfence()).empty());
}

std::vector<RacyPair> racy(const Script& script, Racing stores, std::size_t most = 100) {
  return find_racy_pairs(script.events(), find_points(script.events(), LockWords(script.events())), stores, most);
}

void racy_pairs() {
  Script script;
  script.in(0).at(1).store(kValue).at(2).update(kHead);               // 0, 1
  script.in(1).at(3).read(kHead).read(kValue);                        // 2, 3
  script.in(2).at(2).update(kHead);                                   // 4
  script.in(3).at(5).read(kHead + 4, 0, 4).at(6).read(kHead + 8, 0);  // 5, 6
  const std::vector<RacyPair> pairs = racy(script, Racing::kPoints);
  const auto is = [&](std::size_t at, std::uint32_t first, std::uint32_t second, std::uint32_t store) {
    return pairs[at].first == first && pairs[at].second == second && pairs[at].store == store;
  };
  // (2, 3) once, (2, 5) once, (2, 2) once; then again.
  EXPECT(pairs.size() == 6);
  EXPECT(is(0, 0, 1, 1) && pairs[0].access == 2);
  EXPECT(is(1, 2, 3, 4) && pairs[1].access == 5);
  EXPECT(is(2, 0, 2, 1) && pairs[2].access == 4);
  EXPECT(is(3, 2, 1, 4) && pairs[3].access == 2);
  EXPECT(is(4, 2, 0, 4));
  EXPECT(is(5, 0, 3, 1));
  EXPECT(racy(script, Racing::kPoints, 2).size() == 2);
  EXPECT(racy(script, Racing::kAllStores).size() == 7);  // and 0 with 1, by the plain store
  EXPECT(racy(Script().in(0).update(kHead).read(kHead), Racing::kPoints).empty());
  EXPECT(racy(Script().in(0).update(kHead).in(1).read(kHead + 8), Racing::kPoints).empty());
  EXPECT(racy(Script().in(0).store(kHead, 1, 4).in(1).read(kHead + 4, 1, 4), Racing::kAllStores).empty());
  EXPECT(racy(Script().in(0).update(kHead).in(1).failed_update(kHead), Racing::kPoints).size() == 1);
  EXPECT(racy(Script().update(kHead).in(1).read(kHead), Racing::kPoints).empty());
  const Script locked = std::move(Script().in(0).update(kHead).store(kHead, 0).in(1).update(kHead).store(kHead, 0));
  EXPECT(racy(locked, Racing::kAllStores).empty());
}

Script random_script(Dice& dice) {
  Script script;
  std::uint32_t operation = 0;
  for (std::size_t count = dice.pick(20); count > 0; --count) {
    if (dice.one_in(3)) ++operation;
    script.in(operation).at(1 + dice.pick(4));
    script.add(dice.one_in(2) ? Kind::kUpdate : Kind::kRead, 8 * dice.pick(3), 1, 8);
  }
  return script;
}

bool race(const Event& store, const Event& access) {
  return is_store(store.kind) && store.operation != access.operation && overlap(store, access);
}

/// Whether one of the pairs lets these places in the code meet. Those that differ only in how the second operation
/// accesses are one: it does both when it runs.
bool covered(const std::vector<Event>& trace, const std::vector<RacyPair>& pairs, const Event& store,
             const Event& access) {
  for (const RacyPair& pair : pairs) {
    const Event& paused = trace[pair.store];
    for (const Event& other : trace)
      if (paused.code == store.code && other.code == access.code && other.operation == pair.second &&
          overlap(other, paused))
        return true;
  }
  return false;
}

/// Every pair is what it says, and no two places that race are left out.
void random_pairs() {
  Dice dice(5);
  for (int round = 0; round < 2000 && !hopeless(); ++round) {
    const Script script = random_script(dice);
    const std::vector<Event>& trace = script.events();
    const std::vector<RacyPair> pairs = racy(script, Racing::kPoints, 1000);
    for (const RacyPair& pair : pairs) {
      EXPECT(race(trace[pair.store], trace[pair.access]));
      EXPECT(trace[pair.store].operation == pair.first && trace[pair.access].operation == pair.second);
    }
    for (const Event& store : trace)
      for (const Event& access : trace)
        if (race(store, access)) EXPECT(covered(trace, pairs, store, access));
  }
}

}  // namespace

int main() {
  guarded_protection();
  what_comparisons_depend_on();
  guarding_code();
  publish_after_initialisation();
  published_within_an_operation();
  lock_words();
  redundant_flushes_and_fences();
  racy_pairs();
  random_pairs();
  return finish();
}
