// SPDX-License-Identifier: Apache-2.0
// DL3: the effect of an operation is lost although another operation has seen it and returned (Fu et al.: Durinn, OSDI
// 2022, 5.3.3).
//
// Pairs of operations come from the trace: one stores what the other reads or writes. Generated workloads also contain,
// for each operation, reads of what it changes, to run concurrently with it. The operations before the first one come
// before both, without the second if it was among them; they count as written back. When the second has returned, the
// crash loses the stores of the first that have not been made durable.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "host/crash/paused_schedules.hpp"
#include "host/crash/test_session.hpp"
#include "host/pmdk/pmdk.hpp"
#include "linpoint/persistency/racy_pairs.hpp"

namespace linpoint::runtime::crash {

namespace {

/// Maximum number of pairs, and number of pairs tested together, the likeliest first.
constexpr std::size_t kMostPairs = 200'000;
constexpr std::size_t kAtOnce = 4'000;
/// Maximum number of hooks of each of the two: an operation that waits for the other one's lock would wait forever.
constexpr std::int64_t kFuel = 100'000;
/// A waiting operation makes no stores. It counts as waiting after this multiple of the trace's longest interval
/// without stores, plus this minimum.
constexpr std::int64_t kSilences = 4;
constexpr std::int64_t kLeastSilence = 5'000;
std::int64_t silence_of(const Session& session) { return kLeastSilence + kSilences * session.recorded.silence; }

/// Two operations of the workload, or one of the workload and one that runs concurrently with it.
struct Pair {
  std::size_t first = 0;
  unsigned second = 0;       ///< number of the operation
  std::uint32_t store = 0;   ///< of the first, counted from 1
  std::size_t left_out = 0;  ///< the place of the second where it comes before the first; else none
};

constexpr std::size_t kNone = ~std::size_t{0};

/// Adds reads concurrent with each place in the code that stores: often at first, then ever less often.
void add_reads(const Session& session, const std::vector<std::uint32_t>& numbers, std::vector<Pair>& pairs) {
  constexpr unsigned kOften = 8;
  const auto& workload = session.scenario.workload;
  std::map<unsigned, std::pair<std::size_t, std::vector<unsigned>>> reads;  // by the number of the operation they are
                                                                            // concurrent with
  for (const Scenario::Probe& read : session.scenario.reads)
    if (read.since < workload.size() && session.is_mine(read.since)) {
      auto& [place, those] = reads[workload[read.since]];
      place = read.since;
      those.push_back(read.number);
    }
  std::map<std::uint64_t, unsigned> counts;  // by code
  for (std::uint32_t at = 0; at < numbers.size(); ++at) {
    const auto found = reads.find(session.recorded.events[at].operation);
    if (numbers[at] == 0 || found == reads.end() || session.points.rules[at] == persistency::Rule::kLock) continue;
    if (options.points_only && !session.points.is_point(at)) continue;
    const unsigned count = ++counts[session.recorded.events[at].code];
    if (count > kOften && !std::has_single_bit(count)) continue;
    for (const unsigned read : found->second.second) pairs.push_back({found->second.first, read, numbers[at], kNone});
  }
}

/// The pairs, in the order in which they are to be tried.
std::vector<Pair> find_pairs(const Session& session) {
  const auto& workload = session.scenario.workload;
  std::map<unsigned, std::size_t> places;
  for (std::size_t place = 0; place < workload.size(); ++place) places[workload[place]] = place;
  // The index of each store within its operation, and the number of stores of each operation.
  std::vector<std::uint32_t> numbers(session.recorded.events.size(), 0);
  std::map<std::uint32_t, std::uint32_t> stores;
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const Event& event = session.recorded.events[at];
    if (persistency::is_store(event.kind)) numbers[at] = ++stores[event.operation];
  }
  std::vector<Pair> pairs;
  for (const unsigned beside : session.scenario.beside)
    for (std::size_t place = 0; place < workload.size(); ++place)
      for (std::uint32_t store = 1; store <= stores[workload[place]]; ++store)
        pairs.push_back({place, beside, store, kNone});
  add_reads(session, numbers, pairs);
  const auto racing = options.points_only ? persistency::Racing::kPoints : persistency::Racing::kAllStores;
  for (const persistency::RacyPair& racy :
       persistency::find_racy_pairs(session.recorded.events, session.points, racing, kMostPairs)) {
    const auto first = places.find(racy.first);
    const auto second = places.find(racy.second);
    if (first == places.end() || second == places.end() || first == second) continue;
    const std::size_t left_out = second->second < first->second ? second->second : kNone;
    pairs.push_back({first->second, racy.second, numbers[racy.store], left_out});
  }
  std::erase_if(pairs, [&](const Pair& pair) { return !session.is_mine(pair.first); });
  return pairs;
}

class Overlapping {
 public:
  explicit Overlapping(Session& session) : session_(session), walk_(session.walk.now().mode()) {}

  [[nodiscard]] bool prepare() { return images_.prepare(); }

  /// Runs all schedules of a plan; false if time is up.
  bool run(const Plan& plan) {
    // The process begins with an empty pool.
    session_.walk.restart();
    std::memset(the_pool.memory(), 0, std::max(images_.extent(), session_.images.extent()));
    images_.begin({});
    if (!schedules_.start(plan)) {
      qualify("no process could be created for concurrent operations");
      return false;
    }
    Overlap overlap;
    bool time = true;
    std::size_t seen = 0;
    while (time && schedules_.next(images_, overlap)) {
      ++seen;
      test(plan, overlap);
      time = session_.go_on();
    }
    schedules_.stop();
    if (time && seen < plan.schedules.size())
      qualify("some schedules of concurrent operations terminated their process");
    return time;
  }

  /// Returns the pool to the other tests.
  void leave() {
    std::memset(the_pool.memory(), 0, std::max(images_.extent(), session_.images.extent()));
    session_.images.copy_once();
  }

 private:
  void test(const Plan& plan, Overlap& overlap) {
    ++session_.conclusion.schedules;
    if (!overlap.feasible) {
      ++session_.conclusion.infeasible;
      return;
    }
    inner_.events.swap(overlap.events);
    walk_.begin(inner_.events, 0, overlap.cursor, session_.locks, images_);
    session_.heal_known(walk_);
    while (!walk_.at_end()) walk_.advance();
    Failure crash = crash_of(plan, overlap);
    // With and without everything that the second operation has stored itself.
    crash.state = persistency::least(walk_.now());
    const CrashState least = crash.state;
    walk_.now().for_each_line([&](std::uint64_t line) {
      for (const persistency::Waiting& each : walk_.now().waiting_in(line))
        if (each.thread == overlap.second_thread)
          if (const auto kept = walk_.now().place_of(each.index, each.address))
            persistency::keep(walk_.now(), crash.state, *kept);
    });
    const bool same = crash.state == least;
    if (!session_.test(walk_, inner_, crash) || same) return;
    crash.state = least;
    session_.test(walk_, inner_, crash);
  }

  [[nodiscard]] Failure crash_of(const Plan& plan, const Overlap& overlap) const {
    const Schedule& schedule = overlap.schedule;
    const auto& workload = session_.scenario.workload;
    const auto place = std::ranges::find(workload, schedule.first) - workload.begin();
    Failure crash = session_.crash_in(static_cast<std::size_t>(place), false);
    crash.kind = Class::kDl3;
    crash.context.done.emplace_back(schedule.second, overlap.result);
    crash.overlap = Failure::Overlapped{schedule.first, schedule.second, schedule.store};
    const bool plain = std::cmp_equal(schedule.place, place) &&
                       std::equal(workload.begin(), workload.begin() + place, plan.order.begin());
    crash.context.completed = schedule.place;
    if (!plain) {
      crash.context.order.assign(plan.order.begin(), plan.order.begin() + static_cast<std::ptrdiff_t>(schedule.place));
      crash.context.order_results = schedules_.results_before();
    }
    std::uint32_t stores = 0;
    for (std::uint32_t at = 0; at < inner_.events.size() && stores < schedule.store; ++at)
      if (persistency::is_store(inner_.events[at].kind) && ++stores == schedule.store) crash.sync = at;
    return crash;
  }

  Session& session_;
  Walk walk_;
  Images images_;
  Recorded inner_;
  Schedules schedules_;
};

/// Groups pairs with the same operations before them, by the operation left out.
std::vector<Plan> plans_of(const Session& session, std::span<const Pair> pairs) {
  std::map<std::size_t, Plan> plans;
  const auto& workload = session.scenario.workload;
  for (const Pair& pair : pairs) {
    Plan& plan = plans[pair.left_out];
    const std::size_t place = pair.left_out == kNone ? pair.first : pair.first - 1;
    plan.schedules.push_back({place, workload[pair.first], pair.second, pair.store});
  }
  std::vector<Plan> all;
  for (auto& [left_out, plan] : plans) {
    plan.order = workload;
    if (left_out != kNone) plan.order.erase(plan.order.begin() + static_cast<std::ptrdiff_t>(left_out));
    plan.fuel = kFuel;
    plan.silence = silence_of(session);
    std::ranges::sort(plan.schedules);
    plan.schedules.erase(std::unique(plan.schedules.begin(), plan.schedules.end()), plan.schedules.end());
    all.push_back(std::move(plan));
  }
  // The plan in which nothing is left out comes first: it has the greatest key.
  if (!all.empty()) std::rotate(all.begin(), all.end() - 1, all.end());
  return all;
}

}  // namespace

void overlap(Session& session) {
  if (pmdk::in_use()) {
    // The model has one transaction at a time: two of them would undo each other's stores.
    qualify("concurrent operations are not tested in programs that use PMDK");
    return;
  }
  Overlapping overlapping(session);
  if (!overlapping.prepare()) {
    qualify("out of memory for concurrent operations");
    return;
  }
  const std::vector<Pair> pairs = find_pairs(session);
  bool time = true;
  for (std::size_t from = 0; time && from < pairs.size(); from += kAtOnce) {
    const std::span some(pairs.data() + from, std::min(kAtOnce, pairs.size() - from));
    for (const Plan& plan : plans_of(session, some)) {
      session.operation = plan.schedules.front().place;
      time = overlapping.run(plan);
      if (!time) break;
    }
  }
  overlapping.leave();
}

void replay_overlap(Session& session) {
  Overlapping overlapping(session);
  if (!session.request.overlap || !overlapping.prepare()) return;
  const auto& [first, second, store] = *session.request.overlap;
  const auto& workload = session.scenario.workload;
  Plan plan;
  plan.order = session.request.prefix;
  if (!session.request.has_prefix) plan.order.assign(workload.begin(), std::ranges::find(workload, first));
  plan.fuel = kFuel;
  plan.silence = silence_of(session);
  plan.schedules.push_back({plan.order.size(), first, second, store});
  overlapping.run(plan);
  overlapping.leave();
}

}  // namespace linpoint::runtime::crash
