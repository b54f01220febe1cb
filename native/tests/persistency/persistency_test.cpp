// SPDX-License-Identifier: Apache-2.0
// The persistency model leaves just the crash images that a machine can leave.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "linpoint/persistency/crash_states.hpp"
#include "linpoint/persistency/persistence.hpp"
#include "tests/persistency/hand_written_trace.hpp"
#include "tests/persistency/persistent_machine.hpp"
#include "tests/support/harness.hpp"
#include "tests/support/seeded_random.hpp"

namespace {

using namespace linpoint::persistency;
using namespace linpoint::tests;

/// A Persistence with its least image, by writers.
struct Walk {
  explicit Walk(const std::vector<Event>& events, Mode mode) : trace(events), now(mode) { image.fill(-1); }

  void step() {
    now.advance(trace[at], static_cast<std::uint32_t>(at));
    for (const std::uint32_t event : now.settled()) write(image, event);
    ++at;
  }
  void write(Writers& to, std::uint32_t event) const {
    const unsigned units = units_of(trace[event].address, trace[event].size);
    for (std::size_t unit = 0; unit < kUnits; ++unit)
      if ((units >> unit & 1U) != 0) to[unit] = static_cast<std::int8_t>(event);
  }
  [[nodiscard]] Writers image_of(const CrashState& state) const {
    std::vector<Write> writes;
    collect_writes(now, trace, state, writes);
    Writers made = image;
    for (const Write& each : writes) write(made, each.event);
    return made;
  }

  const std::vector<Event>& trace;
  Persistence now;
  std::size_t at = 0;
  Writers image{};
};

/// Which stores are lost for certain in no crash at the end of a script: those that a least image has.
std::vector<bool> certain(const Script& script, Mode mode = Mode::kAdr) {
  Persistence now(mode);
  std::vector<bool> found(script.events().size(), false);
  std::uint32_t index = 0;
  for (const Event& event : script.events()) {
    now.advance(event, index++);
    for (const std::uint32_t each : now.settled()) {
      EXPECT(!found[each]);
      found[each] = true;
    }
  }
  return found;
}

/// Whether the stores at these events, and no others, are certain at the end.
bool just(const Script& script, const std::vector<std::size_t>& expected, Mode mode = Mode::kAdr) {
  std::vector<bool> wanted(script.events().size(), false);
  for (const std::size_t each : expected) wanted[each] = true;
  return certain(script, mode) == wanted;
}

constexpr std::uint64_t kX = 0;
constexpr std::uint64_t kBesideX = 8;
constexpr std::uint64_t kY = 64;
constexpr std::uint64_t kZ = 128;

void flushes_and_fences() {
  EXPECT(just(Script().store(kX), {}));
  EXPECT(just(Script().store(kX).sfence(), {}));
  EXPECT(just(Script().store(kX).clflush(kX), {0}));
  EXPECT(just(Script().store(kX).clflush(kBesideX), {0}));  // the whole line
  EXPECT(just(Script().store(kX).clflush(kY), {}));
  EXPECT(just(Script().clflush(kX).store(kX), {}));
  EXPECT(just(Script().store(kX).clwb(kX), {}));
  EXPECT(just(Script().store(kX).clwb(kX).sfence(), {0}));
  EXPECT(just(Script().store(kX).clwb(kX).mfence(), {0}));
  EXPECT(just(Script().store(kX).sfence().clwb(kX), {}));
  EXPECT(just(Script().clwb(kX).store(kX).sfence(), {}));
  EXPECT(just(Script().store(kX).clwb(kX).store(kX).sfence(), {0}));  // not what comes after the clwb
  EXPECT(just(Script().store(kX).clwb(kX).store(kBesideX).clwb(kX).sfence(), {0, 2}));
  EXPECT(just(Script().store(kX).store(kY).clwb(kY).clwb(kX).sfence(), {0, 1}));
  EXPECT(just(Script().store(kX).clwb(kX).sfence().store(kX).sfence(), {0}));  // once
  EXPECT(just(Script().store(kX).clwb(kX).store(kX).clflush(kX).sfence(), {0, 2}));
}

void threads() {
  EXPECT(just(Script().by(0).store(kX).clwb(kX).by(1).sfence(), {}));  // the fence of another
  EXPECT(just(Script().by(0).store(kX).clwb(kX).by(1).sfence().by(0).sfence(), {0}));
  EXPECT(just(Script().by(0).store(kX).by(1).clwb(kX).sfence(), {0}));  // the store of another
  EXPECT(just(Script().by(0).store(kX).by(1).clflush(kX), {0}));
  EXPECT(just(Script().by(0).store(kX).clwb(kX).by(1).store(kBesideX).clwb(kX).by(0).sfence(), {0}));
  EXPECT(just(Script().by(0).store(kX).clwb(kX).by(1).store(kBesideX).clwb(kX).sfence(), {0, 2}));
  EXPECT(just(Script().by(0).store(kX).by(1).store(kY).by(0).clwb(kX).clwb(kY).sfence(), {0, 1}));
}

void locked_instructions() {
  EXPECT(just(Script().store(kX).clwb(kX).update(kY), {0}));  // a fence, before its own store
  EXPECT(just(Script().store(kX).clwb(kX).exchange(kY), {0}));
  EXPECT(just(Script().store(kX).clwb(kX).failed_update(kY), {0}));
  EXPECT(just(Script().store(kX).clwb(kX).lock(kY), {0}));
  EXPECT(just(Script().store(kX).clwb(kX).unlock(kY), {}));
  EXPECT(just(Script().update(kX).clwb(kX).update(kX), {0}));
  EXPECT(just(Script().clwb(kX).update(kX), {}));
  EXPECT(just(Script().update(kX).clflush(kX), {0}));
  EXPECT(just(Script().by(0).store(kX).clwb(kX).by(1).update(kX), {}));
}

void non_temporal_stores() {
  EXPECT(just(Script().non_temporal(kX), {}));
  EXPECT(just(Script().non_temporal(kX).sfence(), {0}));
  EXPECT(just(Script().non_temporal(kX).update(kY), {0}));
  EXPECT(just(Script().non_temporal(kX).clflush(kX), {}));  // flushes are for caches
  EXPECT(just(Script().non_temporal(kX).clwb(kX).by(1).sfence(), {}));
  EXPECT(just(Script().store(kBesideX).non_temporal(kX).sfence(), {1}));
  EXPECT(just(Script().store(kBesideX).non_temporal(kX).clflush(kX), {0}));
  EXPECT(just(Script().store(kX).non_temporal(kX).sfence(), {0, 1}));     // what it overwrites has come before it
  EXPECT(just(Script().non_temporal(kX).store(kX).clflush(kX), {0, 1}));  // and the other way round
  EXPECT(just(Script().non_temporal(kX).by(1).read(kX), {0}));            // what others see has left the buffer
  EXPECT(just(Script().non_temporal(kX).read(kX), {}));
  EXPECT(just(Script().non_temporal(kX).store(kX).by(1).read(kX), {}));
  EXPECT(just(Script().non_temporal(kX).store(kX, 1, 4).by(1).read(kX), {0}));
  EXPECT(just(Script().non_temporal(kX).non_temporal(kBesideX).by(1).read(kBesideX), {1}));  // word by word
}

void persistent_caches() {
  constexpr Mode kMode = Mode::kEadr;
  EXPECT(just(Script().store(kX), {}, kMode));
  EXPECT(just(Script().store(kX).clflush(kX), {}, kMode));
  EXPECT(just(Script().store(kX).store(kY).sfence(), {0, 1}, kMode));
  EXPECT(just(Script().store(kX).sfence().store(kY), {0}, kMode));
  EXPECT(just(Script().store(kX).update(kY), {0, 1}, kMode));
  EXPECT(just(Script().by(0).store(kX).by(1).sfence(), {}, kMode));
  EXPECT(just(Script().by(0).store(kX).by(1).update(kY), {1}, kMode));
  EXPECT(just(Script().by(0).store(kX).by(1).update(kX), {0, 1}, kMode));
  EXPECT(just(Script().by(0).store(kX).store(kY).store(kZ).by(1).read(kY), {0, 1}, kMode));  // seen, hence persistent
  EXPECT(just(Script().by(0).store(kX).read(kX), {}, kMode));
  EXPECT(just(Script().by(0).store(kX).by(1).failed_update(kX), {0}, kMode));
  EXPECT(just(Script().non_temporal(kX).store(kY).sfence(), {0, 1}, kMode));
  EXPECT(just(Script().by(0).store(kX).by(1).store(kX).read(kX), {}, kMode));
  EXPECT(just(Script().by(0).store(kX).by(1).store(kX, 1, 4).read(kX), {0}, kMode));
  EXPECT(just(Script().by(0).store(kX).by(1).store(kX, 1, 4).sfence(), {0, 1}, kMode));
}

/// The crash states of the notes: what they keep, as (channel, prefix).
void made_states() {
  const Script script = std::move(Script().store(kX).store(kBesideX).store(kY).store(kX).store(kZ).clwb(kX));
  Walk walk(script.events(), Mode::kAdr);
  while (walk.at < 4) walk.step();
  EXPECT(incompletely_durable(walk.now, 3, kX) == (CrashState{4, false, {{kX, 3}}}));
  EXPECT(incompletely_durable(walk.now, 1, kBesideX) == (CrashState{4, false, {{kX, 2}}}));
  EXPECT(most(walk.now) == (CrashState{4, true, {}}));
  EXPECT(listed(walk.now, most(walk.now)) == (CrashState{4, false, {{kX, 3}, {kY, 1}}}));
  EXPECT(least(walk.now) == (CrashState{4, false, {}}));
  const CrashState state = incompletely_durable(walk.now, 1, kBesideX);
  EXPECT(has(walk.now, state, 0, kX) && has(walk.now, state, 1, kBesideX));
  EXPECT(!has(walk.now, state, 3, kX) && !has(walk.now, state, 2, kY) && !has(walk.now, state, 4, kZ));
  EXPECT(!feasible(walk.now, CrashState{4, false, {{kX, 4}}}));
  EXPECT(!feasible(walk.now, CrashState{3, false, {{kX, 1}}}));
  std::vector<Write> writes;
  collect_writes(walk.now, walk.trace, listed(walk.now, most(walk.now)), writes);
  EXPECT(writes.size() == 3 && writes[0].event == 1 && writes[1].event == 2 &&
         writes[2].event == 3);  // 0 is overwritten
  EXPECT(Exhaustive(walk.now).count() == 8);
  const std::uint64_t chosen[] = {kY, kZ};
  EXPECT(Exhaustive(walk.now, chosen).count() == 2);
}

/// As long as nothing is certain, the states that each store brings are all that there are at the end.
void states_of_stores() {
  const Script script = std::move(Script().store(kX).store(kBesideX).store(kY).store(kX).clwb(kX).sfence().store(kZ));
  Persistence now(Mode::kAdr);
  double count = 1;
  for (std::uint32_t at = 0; at < script.events().size(); ++at) {
    const Event& event = script.events()[at];
    now.advance(event, at);
    if (is_store(event.kind)) count += count_new(now, at, event.address);
    if (at == 3) EXPECT(count == 8 && Exhaustive(now).count() == 8);
  }
  EXPECT(count == 8 + 2);  // with the last one, y was kept or not; x is certain
}

/// The example of docs/explanation/persistency.md.
void documented_example() {
  const Script script = std::move(Script().store(kX).store(kBesideX).store(kY).clwb(kX).sfence());
  Walk walk(script.events(), Mode::kAdr);
  while (walk.at < 4) walk.step();
  EXPECT(Exhaustive(walk.now).count() == 6);
  walk.step();
  EXPECT(Exhaustive(walk.now).count() == 2);
}

/// A store can be made persistent by decree, with what the model cannot separate from it.
void repairs() {
  const Script script = std::move(Script().store(kX).store(kY).store(kBesideX).store(kX));
  Persistence now(Mode::kAdr);
  std::uint32_t index = 0;
  for (const Event& event : script.events()) {
    now.advance(event, index);
    if (index == 2) now.persist(2, kBesideX);
    if (index == 2) EXPECT(now.settled().size() == 2 && now.settled()[0] == 0 && now.settled()[1] == 2);
    ++index;
  }
  EXPECT(now.count(kX) == 1 && now.count(kY) == 1 && now.waiting() == 2);
  now.restart();
  EXPECT(now.waiting() == 0 && now.count(kX) == 0);
  now.advance(script.events()[0], 0);
  EXPECT(now.count(kX) == 1);
}

void many_states() {
  Script script;
  for (std::uint64_t line = 0; line < 70; ++line) script.store(line * kLineSize);
  Persistence now(Mode::kAdr);
  std::uint32_t index = 0;
  for (const Event& event : script.events()) now.advance(event, index++);
  EXPECT(Exhaustive(now).count() == ~std::uint64_t{0});  // 2^70
  CrashState state;
  Exhaustive all(now);
  EXPECT(all.next(state) && state == least(now));
  EXPECT(all.next(state) && state.kept.size() == 1);
}

void parts_of_stores() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  for_each_part(60, 10, [&](std::uint64_t address, std::uint64_t size) { parts.emplace_back(address, size); });
  EXPECT((parts == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{60, 4}, {64, 6}}));
}

Script random_script(Dice& dice) {
  Script script;
  const std::size_t lines = 1 + dice.pick(3);
  const bool non_temporal = dice.one_in(2);
  for (std::size_t count = 1 + dice.pick(8); count > 0; --count) {
    script.by(static_cast<unsigned>(dice.pick(2)));
    const std::uint64_t line = dice.pick(lines) * kLineSize;
    const unsigned size = dice.one_in(3) ? 8 : 4;
    const std::uint64_t address = line + (size == 8 ? 8 * dice.pick(2) : 4 * dice.pick(3));
    switch (dice.pick(12)) {
      case 0:
        script.clflush(line);
        break;
      case 1:
      case 2:
        script.clwb(line);
        break;
      case 3:
        script.sfence();
        break;
      case 4:
        script.update(address, 1, size);
        break;
      case 5:
        script.failed_update(address, size);
        break;
      case 6:
        script.read(address, 0, size);
        break;
      case 7:
      case 8:
        if (non_temporal) script.non_temporal(address, 1, size);
        break;
      default:
        if (size == 8 && dice.one_in(2))
          script.store(line + 4, 1, 8);  // across words
        else
          script.store(address, 1, size);
    }
  }
  return script;
}

void print(const Script& script, Mode mode, std::size_t position) {
  std::printf("%s, crash after %zu of:", mode == Mode::kAdr ? "adr" : "eadr", position);
  for (const Event& event : script.events())
    std::printf(" %u(%u: %llu+%u)", static_cast<unsigned>(event.kind), event.thread,
                static_cast<unsigned long long>(event.address), event.size);
  std::printf("\n");
}

/// Of an image, the units of some lines.
Writers only(Writers image, unsigned lines) {
  for (std::size_t unit = 0; unit < kUnits; ++unit)
    if ((lines >> (unit / kUnitsOfLine) & 1U) == 0) image[unit] = -1;
  return image;
}

/// Chosen lines have all the images that they have among all states.
void expect_choice(const Walk& walk, const Images& images, unsigned lines) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t line = 0; line < 3; ++line)
    if ((lines >> line & 1U) != 0) chosen.push_back(line * kLineSize);
  Images wanted;
  for (const Writers& image : images) wanted.insert(only(image, lines));
  Images made;
  CrashState state;
  for (Exhaustive some(walk.now, chosen); some.next(state);) {
    const Writers image = walk.image_of(state);
    EXPECT(images.contains(image));
    made.insert(only(image, lines));
  }
  EXPECT(made == wanted);
}

/// DL1 keeps a store, and no state that keeps it keeps less.
void expect_smallest(const Walk& walk, const std::vector<CrashState>& states) {
  for (std::uint32_t store = 0; store < walk.at; ++store) {
    if (!is_store(walk.trace[store].kind)) continue;
    const std::uint64_t address = walk.trace[store].address;
    const CrashState smallest = incompletely_durable(walk.now, store, address);
    EXPECT(feasible(walk.now, smallest) && has(walk.now, smallest, store, address));
    for (const CrashState& state : states) {
      if (!has(walk.now, state, store, address)) continue;
      for (const Kept& kept : smallest.kept) EXPECT(prefix_of(walk.now, state, kept.channel) >= kept.prefix);
    }
  }
}

void expect_moment(const Walk& walk, const Images& images, unsigned lines) {
  Images made;
  std::vector<CrashState> states;
  CrashState state;
  Exhaustive all(walk.now);
  while (all.next(state)) {
    EXPECT(feasible(walk.now, state));
    made.insert(walk.image_of(state));
    states.push_back(state);
  }
  EXPECT(!all.next(state));
  EXPECT(walk.now.bound() ? all.count() >= states.size() : all.count() == states.size());
  EXPECT(made == images);
  EXPECT(!states.empty() && states.front() == least(walk.now));
  EXPECT(!states.empty() && states.back() == listed(walk.now, most(walk.now)));
  Writers everything;
  everything.fill(-1);
  for (std::uint32_t event = 0; event < walk.at; ++event)
    if (is_store(walk.trace[event].kind)) walk.write(everything, event);
  EXPECT(walk.image_of(most(walk.now)) == everything);
  expect_choice(walk, images, lines);
  expect_smallest(walk, states);
}

void random_traces(unsigned seed, int rounds) {
  Dice dice(seed);
  std::size_t images = 0;
  std::size_t bound = 0;
  for (int round = 0; round < rounds && !hopeless(); ++round) {
    const Script script = random_script(dice);
    const auto lines = static_cast<unsigned>(1 + dice.pick(6));
    for (const Mode mode : {Mode::kAdr, Mode::kEadr}) {
      const PersistentMachine machine(script.events(), mode);
      Walk walk(script.events(), mode);
      for (;;) {
        const int before = failures;
        expect_moment(walk, machine.images(walk.at), lines);
        images += machine.images(walk.at).size();
        bound += walk.now.bound() ? 1 : 0;
        if (failures > before) print(script, mode, walk.at);
        if (walk.at == walk.trace.size()) break;
        walk.step();
      }
    }
  }
  std::printf("%zu images at random, %zu moments with bound channels\n", images, bound);
  EXPECT(bound > 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const bool given = arguments.size() == 3;
  flushes_and_fences();
  threads();
  locked_instructions();
  non_temporal_stores();
  persistent_caches();
  made_states();
  states_of_stores();
  documented_example();
  repairs();
  many_states();
  parts_of_stores();
  random_traces(given ? static_cast<unsigned>(std::strtoul(arguments[1], nullptr, 10)) : 23,
                given ? static_cast<int>(std::strtol(arguments[2], nullptr, 10)) : 8000);
  return finish();
}
