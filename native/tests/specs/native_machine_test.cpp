// SPDX-License-Identifier: Apache-2.0
// Native machines: the steps of each kind; and the table that remembers steps.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/monitors/written_object.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::specs::kNoInteger;

constexpr std::int64_t kMostAdded = 1'073'741'824;  // 2^30

void registers_hold_a_value() {
  Object object("register");
  const Symbol write = object.op("write", {kA}, kNull);
  const Symbol told = object.op("write", {kA}, kYes);
  const Symbol impossible = object.op("write", {kA}, kB);
  const Symbol read = object.op("read", {}, kA);
  const Symbol read_null = object.op("read", {}, kNull);
  const Symbol swap = object.op("swap", {kB}, kA);
  const Symbol cas = object.op("cas", {kA, kB}, kYes);
  const Symbol failed = object.op("cas", {kA, kB}, kNo);
  const Symbol unobserved = object.op("cas", {kA, kB}, kNull);
  const Symbol any = object.any("swap", {kB});
  object.op("read", {}, kB);
  EXPECT(object.make());
  const State first = object.state({kNull});
  const State a = object.state({kA});
  const State b = object.state({kB});
  EXPECT(object.after(first, write) == a && object.after(first, told) == a);
  EXPECT(object.after(first, impossible) == Object::kRejected);
  EXPECT(object.after(first, read_null) == first && object.after(first, read) == Object::kRejected);
  EXPECT(object.after(a, swap) == b && object.after(b, swap) == Object::kRejected && object.after(first, any) == b);
  EXPECT(object.after(a, cas) == b && object.after(b, cas) == Object::kRejected);
  EXPECT(object.after(a, failed) == Object::kRejected && object.after(b, failed) == b);
  EXPECT(object.after(a, unobserved) == b && object.after(b, unobserved) == b);
  EXPECT(object.trait(read).reads && object.trait(read).determines);
  EXPECT(object.trait(failed).reads && !object.trait(failed).determines);
  EXPECT(object.trait(cas).determines && !object.trait(cas).reads);
  EXPECT(!object.trait(unobserved).determines && !object.trait(unobserved).reads);
}

/// Values that nobody looks for are one, so that histories of unique writes have few states.
void unseen_values_are_one() {
  Object object("register");
  const Symbol seen = object.op("write", {kA}, kNull);
  const Symbol other = object.op("write", {kB}, kNull);
  const Symbol another = object.op("write", {kC}, kNull);
  const Symbol read = object.op("read", {}, kA);
  const Symbol optional = object.any("write", {kB});
  const Symbol useful = object.any("write", {kA});
  EXPECT(object.make());
  const State first = object.state({kNull});
  EXPECT(object.after(first, other) == object.after(first, another));
  EXPECT(object.after(first, other) != object.after(first, seen));
  EXPECT(object.allows(first, {other, seen, read}) && !object.allows(first, {seen, another, read}));
  EXPECT(object.trait(optional).idle && !object.trait(useful).idle);
}

/// A compare-and-set that failed may have failed because of any value; one that may help has seen its old value.
void idle_is_what_helps_nobody() {
  Object object("register");
  object.op("cas", {kA, kB}, kNo);
  const Symbol write = object.any("write", {kC});
  EXPECT(object.make());
  EXPECT(!object.trait(write).idle);
  Object chain("register");
  chain.op("read", {}, kC);
  const Symbol last = chain.any("cas", {kB, kC});
  const Symbol first = chain.any("cas", {kA, kB});
  const Symbol astray = chain.any("cas", {kC, 6});
  EXPECT(chain.make());
  EXPECT(!chain.trait(last).idle && !chain.trait(first).idle && chain.trait(astray).idle);
}

void maps_hold_an_entry() {
  Object object("map");
  object.blueprint().key_argument = true;
  constexpr std::int32_t kKey = 9;
  const Symbol get_null = object.op("get", {kKey}, kNull);
  const Symbol get = object.op("get", {kKey}, kA);
  const Symbol put = object.op("put", {kKey, kA}, kNull);
  const Symbol put_null = object.op("put", {kKey, kNull}, kNull);
  const Symbol insert = object.op("insert", {kKey, kB}, kYes);
  const Symbol present = object.op("insert", {kKey, kB}, kNo);
  const Symbol erase = object.op("erase", {kKey}, kYes);
  const Symbol absent = object.op("delete", {kKey}, kNo);
  const Symbol remove = object.op("remove", {kKey}, kNull);  // not observed
  const Symbol contains = object.op("contains", {kKey}, kYes);
  const Symbol lacks = object.op("contains", {kKey}, kNo);
  const Symbol cas = object.op("cas", {kKey, kA, kB}, kYes);
  const Symbol cas_absent = object.op("cas", {kKey, kNull, kA}, kYes);
  const Symbol failed = object.op("cas", {kKey, kA, kB}, kNo);
  object.op("get", {kKey}, kB);
  EXPECT(object.make());
  const State none = object.state({});
  const State a = object.state({kA});
  const State b = object.state({kB});
  const State null = object.state({kNull});
  EXPECT(none != null);
  EXPECT(object.after(none, get_null) == none && object.after(null, get_null) == null);
  EXPECT(object.after(none, get) == Object::kRejected && object.after(a, get) == a);
  EXPECT(object.after(none, put) == a && object.after(b, put) == a && object.after(a, put_null) == null);
  EXPECT(object.after(none, insert) == b && object.after(a, insert) == Object::kRejected);
  EXPECT(object.after(a, present) == a && object.after(none, present) == Object::kRejected);
  EXPECT(object.after(a, erase) == none && object.after(none, erase) == Object::kRejected);
  EXPECT(object.after(none, absent) == none && object.after(null, absent) == Object::kRejected);
  EXPECT(object.after(none, remove) == none && object.after(a, remove) == none);
  EXPECT(object.after(null, contains) == null && object.after(none, contains) == Object::kRejected);
  EXPECT(object.after(none, lacks) == none && object.after(null, lacks) == Object::kRejected);
  EXPECT(object.after(a, cas) == b && object.after(b, cas) == Object::kRejected);
  EXPECT(object.after(none, cas_absent) == a && object.after(null, cas_absent) == a);
  EXPECT(object.after(none, failed) == none && object.after(a, failed) == Object::kRejected);
  EXPECT(!object.trait(get_null).determines);  // null or absent
  EXPECT(object.trait(absent).reads && object.trait(erase).determines && object.trait(insert).determines);
}

/// A key of its own leaves all arguments to the operation.
void keys_are_no_arguments() {
  const Columns columns =
      columns_of({{.ret = 0, .name = 0, .args = {kA}, .key = 7}, {.ret = 0, .name = 1, .result = kA, .key = 7}});
  Blueprint blueprint = blueprint_of("map", {"put", "get"});
  blueprint.key_argument = true;
  const std::vector<std::int32_t> exact{0, 1};
  const auto machine = native_machine(columns, blueprint, exact, {});
  StopToken stop;
  const auto steps = machine->steps(stop);
  const State a = machine->state(std::vector<std::int64_t>{kA});
  EXPECT(steps->step(machine->state({}), 0).front() == a);
  EXPECT(steps->step(a, 1).size() == 1);
}

/// Strings that grow: equal ones are one value, those that can never be seen are one as well.
void appends_make_strings() {
  Object object("map");
  object.blueprint().strings = {std::nullopt, std::nullopt, std::nullopt, "x", "y", "xy", "xyx", "", std::nullopt};
  constexpr std::int32_t kNumber = 8;
  const Symbol append_x = object.op("append", {kA}, kNull);
  const Symbol append_y = object.op("append", {kB}, kNull);
  const Symbol append_nothing = object.op("append", {7}, kNull);
  const Symbol put_xy = object.op("put", {kC}, kNull);
  const Symbol put_number = object.op("put", {kNumber}, kNull);
  const Symbol get_xyx = object.op("get", {}, 6);
  const Symbol get_null = object.op("get", {}, kNull);
  const Symbol contains = object.op("contains", {}, kYes);
  const Symbol erase = object.op("delete", {}, kYes);
  EXPECT(object.make());
  const State none = object.state({});
  EXPECT(object.allows(none, {append_x, append_y, append_x, get_xyx}));
  EXPECT(object.allows(none, {put_xy, append_nothing, append_x, get_xyx}));
  EXPECT(object.after(object.after(none, append_x), append_y) == object.after(none, put_xy));
  EXPECT(!object.allows(none, {append_x, append_y, get_xyx}));
  const State astray = object.after(none, append_y);  // nothing seen begins so
  EXPECT(object.after(object.after(object.after(none, append_x), append_x), append_x) == astray);
  EXPECT(object.after(astray, append_x) == astray && object.after(astray, contains) == astray);
  EXPECT(object.after(astray, get_null) == Object::kRejected);
  EXPECT(object.allows(astray, {erase, append_x, append_y, append_x, get_xyx}));
  EXPECT(!object.allows(none, {put_number, append_x}));
  EXPECT(object.allows(object.state({kA}), {append_y, append_x, get_xyx}));
}

void sets_hold_an_element() {
  Object object("set");
  const Symbol add = object.op("add", {kA}, kYes);
  const Symbol again = object.op("add", {kA}, kNo);
  const Symbol remove = object.op("remove", {kA}, kYes);
  const Symbol gone = object.op("remove", {kA}, kNo);
  const Symbol has = object.op("contains", {kA}, kYes);
  const Symbol lacks = object.op("contains", {kA}, kNo);
  const Symbol any = object.any("add", {kA});
  EXPECT(object.make());
  const State out = object.state({});
  const State in = object.state({kYes});
  EXPECT(object.after(out, add) == in && object.after(in, add) == Object::kRejected);
  EXPECT(object.after(in, again) == in && object.after(out, again) == Object::kRejected);
  EXPECT(object.after(in, remove) == out && object.after(out, remove) == Object::kRejected);
  EXPECT(object.after(out, gone) == out && object.after(in, gone) == Object::kRejected);
  EXPECT(object.after(in, has) == in && object.after(out, has) == Object::kRejected);
  EXPECT(object.after(out, lacks) == out && object.after(in, lacks) == Object::kRejected);
  EXPECT(object.after(in, any) == in && object.after(out, any) == in);
}

void mutexes_are_held_once() {
  Object object("mutex");
  const Symbol acquire = object.op("acquire", {}, kNull);
  const Symbol release = object.op("release", {}, kYes);
  const Symbol got = object.op("try-acquire", {}, kYes);
  const Symbol missed = object.op("try-acquire", {}, kNo);
  EXPECT(object.make());
  const State free = object.state({0});
  const State held = object.state({1});
  EXPECT(object.after(free, acquire) == held && object.after(held, acquire) == Object::kRejected);
  EXPECT(object.after(held, release) == free && object.after(free, release) == Object::kRejected);
  EXPECT(object.after(free, got) == held && object.after(held, got) == Object::kRejected);
  EXPECT(object.after(held, missed) == held && object.after(free, missed) == Object::kRejected);
}

void counters_count_integers() {
  Object object("counter");
  object.blueprint().integers = {kNoInteger, kNoInteger, kNoInteger, 5, -5, kMostAdded};
  const Symbol up = object.op("increment", {}, kNull);
  const Symbol down = object.op("decrement", {}, kNull);
  const Symbol add = object.op("add", {kA}, kNull);
  const Symbol most = object.op("add", {kC}, kNull);
  const Symbol read = object.op("read", {}, kA);
  const Symbol negative = object.op("read", {}, kB);
  const Symbol nonsense = object.op("read", {}, kYes);
  const Symbol any = object.any("read", {});
  EXPECT(object.make());
  const State zero = object.state({0});
  EXPECT(object.allows(zero, {add, read, up, down, read}) && !object.allows(zero, {up, read}));
  EXPECT(object.allows(object.state({-6}), {up, negative}));
  EXPECT(object.after(object.after(zero, up), down) == zero && object.after(zero, any) == zero);
  EXPECT(object.after(zero, nonsense) == Object::kRejected);
  EXPECT(object.after(zero, most) == object.state({kMostAdded}));
  EXPECT(object.trait(read).reads && object.trait(read).determines && !object.trait(up).determines);
}

/// Where native steps do not know what to do there is no machine.
void what_is_not_covered_has_no_machine() {
  for (const std::int64_t amount : {kNoInteger, kMostAdded + 1, -kMostAdded - 1}) {
    Object counter("counter");
    counter.blueprint().integers = {kNoInteger, kNoInteger, kNoInteger, amount};
    counter.op("add", {kA}, kNull);
    EXPECT(!counter.make());
    Object loosely("counter");
    loosely.blueprint().integers = {kNoInteger, kNoInteger, kNoInteger, amount};
    loosely.any("add", {kA});
    EXPECT(!loosely.make());
  }
  Object unknown("register");
  unknown.op("increment", {}, kNull);
  EXPECT(!unknown.make());
  Object kind("heap");
  kind.op("push", {kA}, kNull);
  EXPECT(!kind.make());
  EXPECT(Object("register").make());  // nothing is covered by nothing
}

void queues_are_first_in_first_out() {
  Object object("queue");
  const Symbol a = object.op("enqueue", {kA}, kNull);
  const Symbol b = object.op("enqueue", {kB}, kYes);
  const Symbol c = object.op("enqueue", {kC}, kNull);
  const Symbol null = object.op("enqueue", {kNull}, kNull);
  const Symbol take_a = object.op("dequeue", {}, kA);
  const Symbol take_b = object.op("dequeue", {}, kB);
  const Symbol empty = object.op("dequeue", {}, kNull);
  const Symbol peek_b = object.op("peek", {}, kB);
  const Symbol take = object.any("dequeue", {});
  EXPECT(object.make());
  const State none = object.state({});
  EXPECT(object.allows(none, {empty, a, b, take_a, peek_b, take_b, empty}));
  EXPECT(!object.allows(none, {a, b, take_b}) && !object.allows(none, {a, empty}) && !object.allows(none, {take_a}));
  EXPECT(object.allows(none, {a, c, b, take, take, take_b}));
  EXPECT(object.after(none, take) == none);
  EXPECT(object.after(object.after(none, null), empty) == none && object.after(none, null) != none);
  EXPECT(object.allows(object.state({kA, kB}), {take_a, take_b, empty}));
  EXPECT(object.after(object.after(none, a), b) == object.state({kA, kB}));
  EXPECT(object.trait(peek_b).reads && !object.trait(empty).reads);
}

void a_full_queue_says_no() {
  Object object("queue");
  object.blueprint().capacity = 2;
  const Symbol yes = object.op("enqueue", {kA}, kYes);
  const Symbol no = object.op("enqueue", {kA}, kNo);
  const Symbol unobserved = object.op("enqueue", {kA}, kNull);
  const Symbol take = object.op("dequeue", {}, kA);
  EXPECT(object.make());
  const State none = object.state({});
  const State full = object.state({kA, kA});
  EXPECT(object.allows(none, {yes, yes, no, take, yes, no}));
  EXPECT(!object.allows(none, {yes, no}) && !object.allows(none, {yes, yes, yes}));
  EXPECT(object.after(full, unobserved) == full && object.after(object.after(none, unobserved), unobserved) == full);
  EXPECT(object.trait(no).reads && !object.trait(yes).reads && !object.trait(unobserved).reads);
}

void stacks_are_last_in_first_out() {
  Object object("stack");
  const Symbol a = object.op("push", {kA}, kNull);
  const Symbol b = object.op("push", {kB}, kNull);
  const Symbol pop_a = object.op("pop", {}, kA);
  const Symbol pop_b = object.op("pop", {}, kB);
  const Symbol empty = object.op("pop", {}, kNull);
  const Symbol peek_a = object.op("peek", {}, kA);
  const Symbol pop = object.any("pop", {});
  EXPECT(object.make());
  const State none = object.state({});
  EXPECT(object.allows(none, {empty, a, b, pop_b, peek_a, pop_a, empty}));
  EXPECT(!object.allows(none, {a, b, pop_a}) && !object.allows(none, {a, empty}));
  EXPECT(object.allows(object.state({kB, kA}), {pop_a, pop_b, empty}));
  EXPECT(object.after(none, pop) == none && object.allows(none, {a, b, pop, peek_a}));
  EXPECT(object.after(object.after(none, a), b) == object.state({kA, kB}));
}

}  // namespace

int main() {
  registers_hold_a_value();
  unseen_values_are_one();
  idle_is_what_helps_nobody();
  maps_hold_an_entry();
  keys_are_no_arguments();
  appends_make_strings();
  sets_hold_an_element();
  mutexes_are_held_once();
  counters_count_integers();
  what_is_not_covered_has_no_machine();
  queues_are_first_in_first_out();
  a_full_queue_says_no();
  stacks_are_last_in_first_out();
  return finish();
}
