// SPDX-License-Identifier: Apache-2.0
// Searches over frontiers against the definition on random small recordings: verdicts, orders, where the shortest
// refuted start ends, pauses. Two arguments, a seed and a number of recordings of each kind, make it as long as you
// like.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/frontiers/written_recordings.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::frontiers::FrontierSearch;
using linpoint::frontiers::Numbering;
using linpoint::frontiers::search_for;
using linpoint::frontiers::Timeline;
using linpoint::search::Status;
using linpoint::search::StopReason;
using linpoint::search::StopToken;

constexpr std::uint64_t kNoLimit = UINT64_MAX / 2;

const std::vector<std::string> kKinds{"queue", "stack",   "priority-queue", "register",  "map",     "set",
                                      "mutex", "counter", "fetch-add",      "semaphore", "multiset"};

void print(const std::string& kind, const Recording& recording) {
  std::printf("  %s", kind.c_str());
  for (const std::int64_t each : recording.content) std::printf(" first %lld", static_cast<long long>(each));
  std::printf("\n");
  for (const Operation& each : recording.operations) {
    std::printf("  role %d value %d [%d, %d]", static_cast<int>(each.role), each.value, each.call,
                each.ret == kNoReturn ? -1 : each.ret);
    if (!recording.instructions.empty()) {
      const Instruction& op = recording.instructions[at(each.value)];
      std::printf(" code %d %d %d want %d amount %lld wanted %lld", static_cast<int>(op.code), op.first, op.second,
                  op.want, static_cast<long long>(op.amount), static_cast<long long>(op.wanted));
    }
    std::printf("\n");
  }
}

/// The start that ends with the last return before that of `last`; everything is open there if there is none.
std::int32_t end_before(const Recording& recording, std::int32_t last) {
  std::int32_t before = -1;
  for (const Operation& each : recording.operations)
    if (each.ret < recording.operations[at(last)].ret) before = std::max(before, each.ret);
  return before;
}

bool agrees(const std::string& kind, const Recording& recording, Dice& dice, bool look_at_starts) {
  StopToken stop;
  const auto blueprint = blueprint_of(kind, {});
  const auto search = search_for(recording, blueprint, stop);
  Status status = Status::kPaused;
  if (dice.one_in(4))
    while (status == Status::kPaused) status = search->run(1 + dice.pick(3));
  else
    status = search->run(kNoLimit);
  const bool expected = has_order(kind, recording);
  if (status != (expected ? Status::kLinearizable : Status::kViolation)) return false;
  if (!is_order(kind, recording, search->order(), expected)) return false;
  if (expected || !look_at_starts) return true;
  const std::int32_t last = search->last();
  if (has_order(kind, start_of(recording, recording.operations[at(last)].ret))) return false;
  const std::int32_t before = end_before(recording, last);
  return before < 0 || has_order(kind, start_of(recording, before));
}

void verdicts_are_those_of_the_definition(unsigned seed, std::size_t recordings) {
  for (const std::string& kind : kKinds) {
    Dice dice(seed);
    std::size_t refuted = 0;
    for (std::size_t round = 0; round < recordings && !hopeless(); ++round) {
      const RandomRecording random(kind, dice, round % 16 == 0 ? 12 : 9);
      const bool right = agrees(kind, random.recording, dice, round % 4 == 0);
      EXPECT(right);
      if (!right) {
        std::printf("  round %zu\n", round);
        print(kind, random.recording);
      }
      refuted += has_order(kind, random.recording) ? 0 : 1;
    }
    EXPECT(hopeless() || (refuted > recordings / 8 && refuted < recordings * 7 / 8));
  }
}

// Parts

void a_frontier_and_a_set_of_operations_determine_each_other() {
  Dice dice(5);
  for (int round = 0; round < 200 && !hopeless(); ++round) {
    const RandomRecording random("queue", dice, 12);
    const std::vector<Operation>& operations = random.recording.operations;
    StopToken stop;
    const Timeline timeline(operations, linpoint::frontiers::everything(operations), stop);
    EXPECT(timeline.fits());
    linpoint::frontiers::Frontier frontier;
    std::vector<bool> in(operations.size());
    for (;;) {
      std::int32_t soonest = kNoReturn;
      for (std::size_t i = 0; i < in.size(); ++i)
        if (!in[i]) soonest = std::min(soonest, operations[i].ret);
      EXPECT(timeline.first_return(frontier) == soonest);
      EXPECT(timeline.complete(frontier) == (soonest == kNoReturn));
      std::vector<std::int32_t> candidates;
      for (const std::size_t slot : linpoint::frontiers::Bits(timeline.candidates(frontier)))
        candidates.push_back(timeline.at_slot(frontier, slot));
      std::sort(candidates.begin(), candidates.end());
      std::vector<std::int32_t> expected;
      for (std::size_t i = 0; i < in.size(); ++i)
        if (!in[i] && operations[i].call < soonest) expected.push_back(number(i));
      EXPECT(candidates == expected);
      for (std::size_t i = 0; i < in.size(); ++i)
        if (operations[i].call < soonest) EXPECT(timeline.contains(frontier, number(i)) == in[i]);
      if (candidates.empty()) break;
      const std::int32_t next = candidates[dice.pick(candidates.size())];
      timeline.insert(frontier, next);
      in[at(next)] = true;
    }
  }
}

void equal_frontiers_share_a_number() {
  StopToken stop;
  Numbering numbering(stop);
  for (std::int32_t row = 0; row < 100; ++row)
    for (std::uint64_t mask = 0; mask < 10; ++mask) EXPECT(numbering({row, mask}) == row * 10 + static_cast<int>(mask));
  EXPECT(numbering({42, 7}) == 427 && numbering.size() == 1000);
}

/// Adds of two values, all at a time, and removals one after the other that want them in an order that is not there.
Recording many_choices(std::size_t size) {
  Recording recording;
  std::int32_t rank = 0;
  for (std::size_t i = 0; i < size; ++i)
    recording.operations.push_back({Role::kAdd, number(i % 2), rank++, kNoReturn, number(i)});
  for (Operation& each : recording.operations) each.ret = rank++;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int32_t value = i + 1 == size ? 2 : number(i % 2);
    recording.operations.push_back({Role::kRemove, value, rank, rank + 1, number(size + i)});
    rank += 2;
  }
  recording.values = 3;
  return recording;
}

void memory_that_is_not_granted_refutes_nothing() {
  for (const std::string kind : {"queue", "stack", "priority-queue"}) {
    bool decided = false;
    for (std::size_t bytes = 0; bytes < 1U << 22U && !hopeless(); bytes += 1 + bytes / 3) {
      StopToken stop;
      stop.set_memory_limit(bytes);
      {
        const auto search = search_for(many_choices(12), blueprint_of(kind, {}), stop);
        const Status status = search->run(kNoLimit);
        EXPECT(status == Status::kViolation || (status == Status::kStopped && stop.reason() == StopReason::kMemory));
        decided = decided || status == Status::kViolation;
      }
      EXPECT(stop.memory() == 0);
    }
    EXPECT(decided);
  }
}

void a_request_ends_a_search() {
  for (const std::string kind : {"queue", "stack", "priority-queue"}) {
    StopToken stop;
    const auto search = search_for(many_choices(12), blueprint_of(kind, {}), stop);
    EXPECT(search->run(1) == Status::kPaused);
    stop.stop(StopReason::kRequest);
    EXPECT(search->run(kNoLimit) == Status::kStopped);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3) {
    verdicts_are_those_of_the_definition(static_cast<unsigned>(std::strtoul(arguments[1], nullptr, 10)),
                                         std::strtoul(arguments[2], nullptr, 10));
    return finish();
  }
  a_frontier_and_a_set_of_operations_determine_each_other();
  equal_frontiers_share_a_number();
  memory_that_is_not_granted_refutes_nothing();
  a_request_ends_a_search();
  verdicts_are_those_of_the_definition(1, 4000);
  return finish();
}
