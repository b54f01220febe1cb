// SPDX-License-Identifier: Apache-2.0
#include "host/crash/crash_messages.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>

#include "host/base/result_qualifications.hpp"
#include "host/protocol/message_writer.hpp"

namespace linpoint::runtime::crash {

namespace {

using persistency::Kind;

static_assert(std::size(kFamilies) == static_cast<std::size_t>(Family::kLock) + 1);

constexpr std::size_t kMostStores = 64;
constexpr std::size_t kMostFrames = 32;
/// JSON has no infinity.
constexpr double kMostStates = 1e300;

const char* kind_of(const Event& event) {
  if (event.kind == Kind::kNonTemporal) return "non-temporal";
  return persistency::is_update(event.kind) ? "update" : "store";
}

std::string hex(const Event& event) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t at = 0; at < event.size; ++at) {
    const auto byte = std::to_integer<unsigned>(event.value[at]);
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

std::size_t count(std::span<const Event> events, bool (*is)(Kind)) {
  return static_cast<std::size_t>(std::ranges::count_if(events, [is](const Event& event) { return is(event.kind); }));
}

/// Stores of the operation up to the crash; the last ones if there are many.
std::vector<std::uint32_t> around(const Walk& walk, const Recorded& recorded, const Failure& failure) {
  std::vector<std::uint32_t> stores;
  std::uint32_t at = std::min(failure.state.position, static_cast<std::uint32_t>(recorded.events.size()));
  while (at > 0 && stores.size() < kMostStores) {
    const Event& event = recorded.events[--at];
    if (!failure.earlier && event.kind == Kind::kCall && event.operation == failure.operation) break;
    const bool own = failure.earlier || event.operation == failure.operation;
    if (persistency::is_store(event.kind) && own) stores.push_back(at);
  }
  static_cast<void>(walk);
  std::ranges::reverse(stores);
  return stores;
}

/// The last flush between a lost store and the store that must wait for it, provided that the operation flushes other
/// lines then, and never this one: the place where the flush was forgotten.
std::uint32_t missed_by(const Recorded& recorded, const Cause& cause, std::uint32_t position) {
  if (cause.family != Family::kLost || cause.root == kNoEvent) return kNoEvent;
  const Event& lost = recorded.events[cause.root];
  std::uint32_t last = kNoEvent;
  const std::uint32_t end = std::min({cause.before, position, static_cast<std::uint32_t>(recorded.events.size())});
  for (std::uint32_t at = cause.root + 1; at < end; ++at) {
    const Event& event = recorded.events[at];
    if (!persistency::is_flush(event.kind)) continue;
    if (persistency::line_of(event.address) == persistency::line_of(lost.address)) return kNoEvent;
    if (event.operation == lost.operation) last = at;
  }
  return last;
}

}  // namespace

void CrashMessageWriter::put_place(Json& json, std::uint64_t code) const {
  const std::size_t module = code == 0 ? CodePlaces::kNone : places_.of(code);
  if (module == CodePlaces::kNone) {
    json.null();
    return;
  }
  json.open('[').value(module).value(code - places_.all()[module].base).close(']');
}

void CrashMessageWriter::put_modules(Json& json) const {
  json.key(field::kModules).open('[');
  for (const CodePlaces::Module& module : places_.all())
    json.open('{').field(field::kPath, module.path).field(field::kBase, module.base).close('}');
  json.close(']');
}

void CrashMessageWriter::put_sites(Json& json, const Recorded& recorded, const persistency::Points& points) const {
  struct Site {
    std::size_t stores = 0;
    std::size_t points = 0;
  };
  std::map<std::uint64_t, Site> sites;
  for (std::size_t at = 0; at < recorded.events.size(); ++at) {
    const Event& event = recorded.events[at];
    if (!persistency::is_store(event.kind) || points.rules[at] == persistency::Rule::kLock) continue;
    Site& site = sites[event.code];
    ++site.stores;
    site.points += points.is_point(at) ? 1 : 0;
  }
  json.key(field::kSites).open('[');
  for (const auto& [code, site] : sites) {
    json.open('[');
    put_place(json, code);
    json.value(site.stores).value(site.points).close(']');
  }
  json.close(']');
}

void CrashMessageWriter::send_traced(const Recorded& recorded, const Outcome& outcome,
                                     const persistency::Points& points, std::size_t locks) const {
  MessageWriter writer(message::kTraced);
  Json& json = writer.json;
  json.field(field::kEnded, name_of(outcome.ended)).field(field::kMessage, outcome.message);
  json.key(field::kPlace);
  put_place(json, outcome.place);
  json.key(field::kResults).open('[');
  for (std::size_t each = 0; each < outcome.results.size(); ++each)
    json.open('[').raw(outcome.results[each]).close(']');
  json.close(']').field(field::kEvents, recorded.events.size());
  json.field(field::kStores, count(recorded.events, persistency::is_store));
  json.field(field::kFlushes, count(recorded.events, persistency::is_flush));
  json.field(field::kFences, count(recorded.events, persistency::is_fence));
  json.field(field::kAllocations, count(recorded.events, [](Kind kind) { return kind == Kind::kAllocate; }));
  json.key(field::kPoints).open('{').field(field::kAtomic, points.atomic).field(field::kGuarded, points.guarded);
  json.field(field::kPublishing, points.publishing)
      .field(field::kFresh, points.fresh)
      .field(field::kStores, points.points)
      .close('}');
  json.field(field::kEdges, recorded.edges).field(field::kLocks, locks);
  char states[32];
  static_cast<void>(std::snprintf(states, sizeof states, "%.9g", std::min(recorded.states, kMostStates)));
  json.key(field::kStates).raw(states);
  put_sites(json, recorded, points);
  put_modules(json);
  writer.send();
}

void CrashMessageWriter::put_callers(Json& json, const Recorded& recorded, std::uint32_t event) const {
  std::uint32_t frame = event < recorded.frames_of_events.size() ? recorded.frames_of_events[event] : 0;
  for (std::size_t depth = 0; frame != 0 && depth < kMostFrames; ++depth) {
    const Recorder::Frame& each = recorded.frames[frame];
    if (places_.of(each.caller) != CodePlaces::kNone) put_place(json, each.caller);
    frame = each.outer;
  }
}

void CrashMessageWriter::put_store(Json& json, const Walk& walk, const Recorded& recorded, const CrashState& state,
                                   std::uint32_t event) const {
  const Event& store = recorded.events[event];
  json.open('{').field(field::kEvent, event).key(field::kOperation);
  if (store.operation == persistency::kNoOperation)
    json.null();
  else
    json.value(store.operation);
  json.field(field::kThread, store.thread).key(field::kPlace);
  put_place(json, store.code);
  json.key(field::kStack).open('[');
  put_callers(json, recorded, event);
  json.close(']')
      .field(field::kAddress, store.address)
      .field(field::kSize, unsigned{store.size})
      .field(field::kValue, hex(store));
  json.field(field::kLine, persistency::line_of(store.address));
  const bool happened = event < walk.position();
  json.field(field::kPersisted, happened && !walk.is_lock(event) && !walk.now().place_of(event, store.address));
  json.field(field::kKept,
             happened && !walk.is_lock(event) && persistency::has(walk.now(), state, event, store.address));
  json.field(field::kKind, kind_of(store)).close('}');
}

void CrashMessageWriter::put_store_or_null(Json& json, Name name, const Walk& walk, const Recorded& recorded,
                                           const CrashState& state, std::uint32_t event) const {
  json.key(name);
  if (event == kNoEvent)
    json.null();
  else
    put_store(json, walk, recorded, state, event);
}

void CrashMessageWriter::send_violation(std::size_t group, const Walk& walk, const Recorded& recorded,
                                        const Failure& failure, const Cause& cause, const Oracle& oracle,
                                        const Outcome& outcome) const {
  MessageWriter writer(message::kViolation);
  Json& json = writer.json;
  json.field(field::kGroup, group);
  oracle.put(json, failure.kind, failure.context, outcome);
  const std::uint32_t position = failure.earlier ? failure.earlier->position : failure.state.position;
  json.field(field::kConfirmed, true).field(field::kEvent, position).key(field::kOperation);
  if (failure.operation == persistency::kNoOperation)
    json.null();
  else
    json.value(failure.operation);
  json.key(field::kState).open('[');
  for (const persistency::Kept& kept : failure.earlier ? failure.earlier->kept : walk.reported_state(failure.state))
    json.open('[').value(kept.channel).value(kept.prefix).close(']');
  json.close(']');
  put_store_or_null(json, field::kSync, walk, recorded, failure.state, failure.sync);
  put_store_or_null(json, field::kRoot, walk, recorded, failure.state, cause.root);
  json.key(field::kAlso).open('[');
  for (const std::uint32_t store : cause.also) put_store(json, walk, recorded, failure.state, store);
  json.close(']');
  put_store_or_null(json, field::kBefore, walk, recorded, failure.state, cause.before);
  json.key(field::kMissedBy).open('[');
  const std::uint32_t missed = failure.earlier ? kNoEvent : missed_by(recorded, cause, position);
  if (missed != kNoEvent) {
    put_place(json, recorded.events[missed].code);
    put_callers(json, recorded, missed);
  }
  json.close(']');
  json.field(field::kFamily, kFamilies[static_cast<std::size_t>(cause.family)]);
  json.field(field::kProven, cause.proven).key(field::kStores).open('[');
  for (const std::uint32_t store : around(walk, recorded, failure))
    put_store(json, walk, recorded, failure.state, store);
  json.close(']').field(field::kLock, failure.lock).key(field::kDl3);
  if (failure.overlap) {
    const auto& [first, second, store] = *failure.overlap;
    json.open('{').field(field::kFirst, first).field(field::kSecond, second).field(field::kStore, store).close('}');
  } else {
    json.null();
  }
  writer.send();
}

void CrashMessageWriter::send_progress(std::uint64_t tests, std::size_t operation, std::size_t operations) {
  MessageWriter writer(message::kProgress);
  Json& json = writer.json;
  json.field(field::kTests, tests).field(field::kOperation, operation);
  json.field(field::kOperations, operations);
  writer.send();
}

void CrashMessageWriter::send_result(const Conclusion& conclusion) const {
  MessageWriter writer(message::kResult);
  Json& json = writer.json;
  json.field(field::kEnded, conclusion.ended).field(field::kReason, conclusion.reason);
  json.key(field::kTests).open('{');
  for (std::size_t each = 0; each < kClasses; ++each)
    json.entry(name_of(static_cast<Class>(each))).value(conclusion.counts.tests[each]);
  json.close('}')
      .field(field::kDuplicates, conclusion.counts.duplicates)
      .field(field::kRetests, conclusion.counts.retests);
  json.field(field::kSchedules, conclusion.schedules).field(field::kInfeasible, conclusion.infeasible);
  json.key(field::kGroups).open('[');
  for (std::size_t each = 0; each < conclusion.groups.size(); ++each) {
    const Group& group = conclusion.groups[each];
    json.open('{').field(field::kGroup, each).field(field::kCount, group.count).key(field::kClasses).open('[');
    for (std::size_t kind = 0; kind < kClasses; ++kind)
      if (group.classes[kind]) json.value(name_of(static_cast<Class>(kind)));
    json.close(']').close('}');
  }
  json.close(']').key(field::kQualified).open('[');
  for (const std::string& sentence : qualified) json.value(sentence);
  json.close(']').key(field::kAdvice).open('[');
  for (const persistency::Advice& advice : conclusion.advice) {
    json.open('{').field(field::kKind, advice.fence ? "fence" : "flush").key(field::kPlace);
    put_place(json, advice.code);
    json.field(field::kCount, advice.redundant).close('}');
  }
  char seconds[32];
  static_cast<void>(std::snprintf(seconds, sizeof seconds, "%.6f", conclusion.seconds));
  json.close(']').field(field::kExhaustive, conclusion.exhaustive).key(field::kSeconds).raw(seconds);
  put_modules(json);
  writer.send();
}

}  // namespace linpoint::runtime::crash
