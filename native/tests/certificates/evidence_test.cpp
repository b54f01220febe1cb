// SPDX-License-Identifier: Apache-2.0
// What certifies monitors: replays on plain objects, and scopes, of which nothing that matters may be left out.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/monitors/monitored_history.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::specs::kNoInteger;
using linpoint::verdicts::Flaw;

// Replays

struct Written {
  std::string_view name;
  std::vector<std::int32_t> args;
  std::int32_t result = kNull;
};

/// The object allows all of these one after the other, and each of `wrong` is rejected behind them.
void object_takes(const std::string& kind, const std::vector<std::int64_t>& content, const std::vector<Written>& right,
                  const std::vector<Written>& wrong) {
  const auto recording = [&] {
    Recording made(kind);
    made.blueprint().integers = {kNoInteger, kNoInteger, kNoInteger, 10, 20, 30};
    made.blueprint().strings = {std::nullopt, std::nullopt, std::nullopt, "x", "xx", "y"};
    for (const Written& each : right) made.op(each.name, each.args, each.result);
    return made;
  };
  EXPECT(recording().accepts(content));
  for (const Written& each : wrong) {
    Recording with = recording();
    with.op(each.name, each.args, each.result);
    EXPECT(with.rejects_last(content));
  }
}

void plain_objects_take_what_is_legal_and_nothing_else() {
  object_takes("register", {kA},
               {{"read", {}, kA}, {"write", {kB}}, {"cas", {kB, kC}, kYes}, {"cas", {kB, kA}, kNo}, {"swap", {kB}, kC}},
               {{"read", {}, kC}, {"swap", {kA}, kC}, {"cas", {kB, kA}, kNo}, {"cas", {kA, kB}, kYes}});
  object_takes("map", {},
               {
                   {"get", {}, kNull},
                   {"contains", {}, kNo},
                   {"insert", {kA}, kYes},
                   {"insert", {kB}, kNo},
                   {"get", {}, kA},
                   {"delete", {}, kYes},
                   {"delete", {}, kNo},
                   {"put", {kB}},
                   {"cas", {kB, kC}, kYes},
                   {"cas", {kB, kA}, kNo},
                   {"contains", {}, kYes},
               },
               {
                   {"get", {}, kB},
                   {"get", {}, kNull},
                   {"insert", {kA}, kYes},
                   {"delete", {}, kNo},
                   {"contains", {}, kNo},
                   {"cas", {kC, kA}, kNo},
                   {"cas", {kA, kB}, kYes},
               });
  object_takes("map", {kA}, {{"append", {kA}}, {"get", {}, kB}, {"delete", {}, kYes}, {"append", {kC}}},
               {{"get", {}, kA}, {"get", {}, kNull}, {"delete", {}, kNo}});
  object_takes("map", {}, {{"cas", {kNull, kA}, kYes}, {"append", {kA}}, {"put", {kC}}, {"get", {}, kC}},
               {{"get", {}, kB}, {"cas", {kNull, kA}, kYes}});
  object_takes("set", {kA},
               {
                   {"contains", {kA}, kYes},
                   {"contains", {kB}, kNo},
                   {"add", {kA}, kNo},
                   {"add", {kB}, kYes},
                   {"remove", {kA}, kYes},
                   {"remove", {kA}, kNo},
               },
               {
                   {"contains", {kA}, kYes},
                   {"contains", {kB}, kNo},
                   {"add", {kB}, kYes},
                   {"add", {kA}, kNo},
                   {"remove", {kB}, kNo},
                   {"remove", {kA}, kYes},
               });
  object_takes("mutex", {0}, {{"acquire", {}}, {"try-acquire", {}, kNo}, {"release", {}}, {"try-acquire", {}, kYes}},
               {{"acquire", {}}, {"try-acquire", {}, kYes}});
  object_takes("mutex", {1}, {{"release", {}}}, {{"release", {}}, {"try-acquire", {}, kNo}});
  object_takes("counter", {10},
               {{"read", {}, kA}, {"add", {kA}}, {"read", {}, kB}, {"increment", {}}, {"decrement", {}}},
               {{"read", {}, kA}, {"read", {}, kC}});
  object_takes("fetch-add", {10}, {{"fetch-add", {kA}, kA}, {"fetch-add", {kA}, kB}},
               {{"fetch-add", {kA}, kA}, {"fetch-add", {kA}, kB}});
  object_takes("queue", {kA},
               {
                   {"enqueue", {kB}},
                   {"peek", {}, kA},
                   {"dequeue", {}, kA},
                   {"dequeue", {}, kB},
                   {"dequeue", {}, kNull},
                   {"peek", {}, kNull},
                   {"enqueue", {kB}},
                   {"enqueue", {kC}},
               },
               {{"dequeue", {}, kC}, {"peek", {}, kC}, {"dequeue", {}, kNull}, {"peek", {}, kNull}});
  object_takes("stack", {kA},
               {
                   {"push", {kB}},
                   {"peek", {}, kB},
                   {"pop", {}, kB},
                   {"pop", {}, kA},
                   {"pop", {}, kNull},
                   {"peek", {}, kNull},
                   {"push", {kB}},
                   {"push", {kC}},
               },
               {{"pop", {}, kB}, {"peek", {}, kB}, {"pop", {}, kNull}, {"peek", {}, kNull}});
  object_takes("priority-queue", {kB},
               {
                   {"insert", {kA}},
                   {"insert", {kC}},
                   {"peek", {}, kC},
                   {"delete-max", {}, kC},
                   {"delete-max", {}, kB},
                   {"peek", {}, kA},
               },
               {{"delete-max", {}, kB}, {"delete-max", {}, kNull}, {"peek", {}, kNull}});
}

void a_full_queue_says_no_and_an_unknown_result_is_any() {
  Recording queue("queue");
  queue.blueprint().capacity = 1;
  queue.op("enqueue", {kA}, kYes);
  queue.op("enqueue", {kB}, kNo);
  queue.lost("dequeue", {});
  queue.op("enqueue", {kB}, kYes);
  EXPECT(queue.accepts({}));
  EXPECT(queue.replayed({0, 3}, {}) == 1);
  EXPECT(queue.replayed({1}, {}) == 0);
}

// Scopes

void of_a_container_other_values_can_be_left_out() {
  Recording queue("queue");
  const Positions one{queue.op("enqueue", {kA}), queue.op("dequeue", {}, kA)};
  const std::int32_t looks = queue.op("peek", {}, kA);
  const std::int32_t nothing = queue.op("dequeue", {}, kNull);
  const Positions other{queue.op("enqueue", {kB}), queue.op("peek", {}, kB)};
  EXPECT(queue.needed(one) == kNone);
  EXPECT(queue.needed({one[0]}) == one[1]);  // a removal of the value
  EXPECT(queue.needed({one[1]}) == one[0]);
  EXPECT(queue.needed({looks}) == one[0]);
  EXPECT(queue.needed({nothing}) == kNone);
  EXPECT(queue.needed({one[0], one[1], other[1]}) == other[0]);
  const std::int32_t unknown = queue.lost("dequeue", {});
  EXPECT(queue.needed(one) == unknown);  // it may have removed anything
  EXPECT(queue.needed({one[0], one[1], unknown}) == kNone);
  queue.blueprint().capacity = 9;  // which seven operations cannot fill
  EXPECT(queue.needed({one[0], one[1], unknown}) == kNone);
  queue.blueprint().capacity = 6;
  EXPECT(queue.needed({one[0], one[1], unknown}) == one[0]);
}

void of_a_register_what_a_value_was_made_from_cannot_be_left_out() {
  Recording cell("register");
  const std::int32_t write = cell.op("write", {kA});
  const std::int32_t swap = cell.op("swap", {kB}, kA);
  const std::int32_t cas = cell.op("cas", {kB, kC}, kYes);
  const std::int32_t read = cell.op("read", {}, kA);
  const std::int32_t same = cell.op("cas", {kA, kA}, kYes);
  const std::int32_t differs = cell.op("cas", {kA, kB}, kNo);
  EXPECT(cell.needed({read}) == write);
  EXPECT(cell.needed({write, read}) == kNone);  // what replaced it can
  EXPECT(cell.needed({swap}) == write);
  EXPECT(cell.needed({write, cas}) == swap);
  EXPECT(cell.needed({write, swap, cas}) == kNone);
  EXPECT(cell.needed({same}) == write);
  EXPECT(cell.needed({write, same}) == kNone);
  EXPECT(cell.needed({write, differs}) == differs);
  EXPECT(cell.needed({write, swap, cas, read, same, differs}) == kNone);  // everything
  EXPECT(cell.needed({write, swap}) == kNone);
  cell.lost("cas", {kNull, kA});
  EXPECT(cell.needed({write, read}) == differs + 1);
}

void of_an_entry_deletes_make_it_absent() {
  Recording entry("map");
  const std::int32_t put = entry.op("put", {kA});
  const std::int32_t deletes = entry.op("delete", {}, kYes);
  const std::int32_t absent = entry.op("get", {}, kNull);
  const std::int32_t no = entry.op("delete", {}, kNo);
  const std::int32_t lacks = entry.op("contains", {}, kNo);
  const std::int32_t inserts = entry.op("insert", {kB}, kYes);
  for (const std::int32_t each : {absent, no, lacks, inserts}) EXPECT(entry.needed({each}) == deletes);
  EXPECT(entry.needed({deletes, absent, no, lacks}) == kNone);
  EXPECT(entry.needed({put}) == kNone);
  for (const auto& differing :
       {Written{"contains", {}, kYes}, Written{"insert", {kC}, kNo}, Written{"cas", {kC, kA}, kNo}}) {
    const std::int32_t op = entry.op(differing.name, differing.args, differing.result);
    EXPECT(entry.needed({put}) == kNone);
    EXPECT(entry.needed({put, op}) == op);
  }
  const std::int32_t cas = entry.op("cas", {kNull, kC}, kYes);
  EXPECT(entry.needed({cas}) == deletes);
}

void of_a_set_other_elements_can_be_left_out_and_of_a_lock_or_count_no_change() {
  Recording set("set");
  const std::int32_t add = set.op("add", {kA}, kYes);
  const std::int32_t removes = set.op("remove", {kA}, kYes);
  const std::int32_t again = set.op("remove", {kA}, kNo);
  set.op("add", {kB}, kYes);
  const std::int32_t has = set.op("contains", {kA}, kYes);
  EXPECT(set.needed({add, removes}) == kNone);
  for (const std::int32_t each : {removes, again, has}) EXPECT(set.needed({each}) == add);
  EXPECT(set.needed({add, again}) == removes);
  Recording lock("mutex");
  const std::int32_t acquire = lock.op("acquire", {});
  const std::int32_t fails = lock.op("try-acquire", {}, kNo);
  const std::int32_t tries = lock.op("try-acquire", {}, kYes);
  EXPECT(lock.needed({acquire, tries}) == kNone);
  EXPECT(lock.needed({acquire, fails}) == tries);
  EXPECT(lock.needed({fails, tries}) == acquire);
  Recording counter("counter");
  counter.blueprint().integers = {0, 0, 0, 1, 2, 3};
  counter.op("increment", {});
  const std::int32_t count = counter.op("read", {}, kA);
  counter.op("read", {}, kB);
  EXPECT(counter.needed({0, count}) == kNone);
  EXPECT(counter.needed({count}) == 0);
}

void a_scope_has_only_operations_of_its_object() {
  Recording queue("queue");
  for (const std::int32_t value : {kA, kB, kC}) queue.op("enqueue", {value});
  EXPECT(queue.flaw({0, 2}, {0}) == Flaw::kNone);
  EXPECT(queue.flaw({0, 2}, {0, 1}) == Flaw::kNotThere);
  EXPECT(queue.flaw({0, 2}, {0, 2}) == Flaw::kNone);
}

}  // namespace

int main() {
  plain_objects_take_what_is_legal_and_nothing_else();
  a_full_queue_says_no_and_an_unknown_result_is_any();
  of_a_container_other_values_can_be_left_out();
  of_a_register_what_a_value_was_made_from_cannot_be_left_out();
  of_an_entry_deletes_make_it_absent();
  of_a_set_other_elements_can_be_left_out_and_of_a_lock_or_count_no_change();
  a_scope_has_only_operations_of_its_object();
  return finish();
}
