// SPDX-License-Identifier: Apache-2.0
// Steps that are remembered and shared: asked once, answered without memory too, the same on every thread.
#include "linpoint/specs/transition_table.hpp"

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/monitors/written_object.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::search::StopReason;
using linpoint::specs::TransitionTable;

void tables_ask_once() {
  StopToken stop;
  {
    int asked = 0;
    TransitionTable table(
        [&](State state, Symbol symbol, std::vector<State>& out) {
          ++asked;
          for (Symbol i = 0; i < symbol % 4; ++i) out.push_back(state + i);
        },
        stop);
    constexpr int kStates = 300;
    constexpr int kSymbols = 8;
    for (int round = 0; round < 2; ++round)
      for (State state = 0; state < kStates; ++state)
        for (Symbol symbol = 0; symbol < kSymbols; ++symbol) {
          const auto states = table.step(state, symbol);
          EXPECT(states.size() == static_cast<std::size_t>(symbol % 4));
          for (std::size_t i = 0; i < states.size(); ++i) EXPECT(states[i] == state + static_cast<State>(i));
        }
    EXPECT(asked == kStates * kSymbols);
    EXPECT(stop.memory() > 0);
  }
  EXPECT(stop.memory() == 0);
}

void a_table_without_memory_still_answers() {
  StopToken stop;
  stop.set_memory_limit(0);
  TransitionTable table([](State state, Symbol, std::vector<State>& out) { out.push_back(state + 1); }, stop);
  for (State state = 0; state < 1000; ++state) EXPECT(table.step(state, 0).front() == state + 1);
  EXPECT(stop.reason() == StopReason::kMemory);
}

/// Steps of one machine on two threads number states alike; what they hold is given back.
void steps_share_their_states() {
  const Columns columns = columns_of({
      {.ret = 0, .name = 0, .args = {kA}},
      {.ret = 0, .name = 0, .args = {kB}},
      {.ret = 0, .name = 1, .result = kA},
      {.ret = 0, .name = 1, .result = kB},
  });
  const std::vector<std::int32_t> exact{0, 1, 2, 3};
  for (const auto& [kind, names] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"stack", {"push", "pop"}},
           {"queue", {"enqueue", "dequeue"}},
       }) {
    const auto machine = native_machine(columns, blueprint_of(kind, names), exact, {});
    constexpr std::size_t kPushes = 400;
    const auto walk = [&](StopToken& stop, std::vector<State>& states) {
      const auto steps = machine->steps(stop);
      State state = machine->state({});
      for (std::size_t i = 0; i < kPushes; ++i) {
        state = steps->step(state, (i / 3) % 2 == 0 ? 0 : 1).front();
        states.push_back(state);
      }
      EXPECT(stop.memory() > 0);
    };
    StopToken one;
    StopToken two;
    std::vector<State> here;
    std::vector<State> there;
    std::thread other([&] { walk(two, there); });
    walk(one, here);
    other.join();
    EXPECT(here == there);
    EXPECT(one.memory() == 0 && two.memory() == 0);
  }
}

}  // namespace

int main() {
  tables_ask_once();
  a_table_without_memory_still_answers();
  steps_share_their_states();
  return finish();
}
