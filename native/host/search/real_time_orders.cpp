// SPDX-License-Identifier: Apache-2.0
#include "host/search/real_time_orders.hpp"

#include <algorithm>
#include <utility>

#include "host/protocol/message_writer.hpp"
#include "host/search/search_messages.hpp"

namespace linpoint::runtime {

namespace {

constexpr char kBetween = '\x1f';

/// Maximum number of orders per run; beyond it, a result without findings proves less.
constexpr std::size_t kMostOrders = 200'000;

std::string results_of(const OperationLog& run, std::string_view stuck) {
  std::string text(stuck);
  for (const TestedOperation& operation : run.all()) {
    text += kBetween;
    if (!operation.returned) text += operation.called ? '?' : '-';
    if (operation.returned) text += '=';
    text += operation.result;
  }
  text += kBetween;
  return text;
}

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// For events of different threads.
bool comes_before(const VisibleEvent& one, const VisibleEvent& other, const explore::Explorer& explorer) {
  const std::uint64_t into = other.step != kNoStep ? other.step : other.after;
  if (into == kNoStep) return false;
  const auto leads = [&](std::uint64_t from) { return from != kNoStep && explorer.happened_before(from, into); };
  return one.step != kNoStep ? leads(one.step) : leads(one.before) || leads(one.flush);
}

}  // namespace

void put_results(Json& json, const OperationLog& run) {
  json.key(field::kResults).open('[');
  for (const TestedOperation& operation : run.all()) {
    json.open('[');
    if (operation.returned) json.raw(operation.result);
    json.close(']');
  }
  json.close(']');
}

/// Operations that have not returned are left out: only their calls are known.
void Histories::collect(const OperationLog& run) {
  for (auto& thread : threads_) thread.clear();
  const auto& all = run.all();
  for (std::uint32_t number = 0; number < all.size(); ++number) {
    const TestedOperation& operation = all[number];
    if (operation.thread == 0 || !operation.returned) continue;
    if (threads_.size() <= operation.thread) threads_.resize(operation.thread + 1);
    auto& thread = threads_[operation.thread];
    const bool alone = operation.first == operation.last;
    thread.push_back({operation.first, number, true, alone});
    if (!alone) thread.push_back({operation.last, number, false, true});
  }
}

void Histories::relate(const OperationLog& run, const explore::Explorer& explorer) {
  relation_.clear();
  const auto& events = run.events();
  for (const auto& mine : threads_)
    for (const Point& point : mine)
      for (const auto& theirs : threads_) {
        if (&mine == &theirs) continue;
        for (const Point& other : theirs)
          relation_ += comes_before(events[point.event], events[other.event], explorer) ? '1' : '0';
      }
}

/// The set of points: two runs may have the same relation between different points.
std::string Histories::shape() const {
  std::string text;
  for (const auto& thread : threads_) {
    for (const Point& point : thread) {
      if (point.first) text += '(';
      if (point.last) text += ')';
    }
    text += '|';
  }
  return text;
}

/// A state of the search: the number of points of each thread that are passed, what follows about real time, and the
/// path.
struct Histories::Search {
  std::vector<std::size_t> passed;
  Counts returned;  ///< operations of each thread
  Counts known;     ///< for each operation that was called: the number of each thread's operations that had returned
  EventOrder order;
  std::vector<std::vector<Counts>> before;  ///< for each point: the number of each thread's points that come before it
  std::unordered_set<std::string> seen;
  const std::string* results = nullptr;
  std::vector<EventOrder>* found = nullptr;

  [[nodiscard]] bool can_pass(std::size_t thread) const {
    const Counts& needed = before[thread][passed[thread]];
    return std::equal(passed.begin(), passed.end(), needed.begin(), [](auto has, auto needs) { return has >= needs; });
  }
  void pass(std::size_t thread, const Point& point) {
    const std::size_t first = point.operation * passed.size();
    for (std::size_t other = 0; point.first && other < passed.size(); ++other)
      known[first + other] = other == thread ? 0 : returned[other];
    if (point.first) order.push_back(2 * point.operation);
    if (point.last) order.push_back(2 * point.operation + 1);
    if (point.last) ++returned[thread];
    ++passed[thread];
  }
};

void Histories::find_orders(const std::string& results, std::vector<EventOrder>& found) {
  Search state;
  state.passed.resize(threads_.size());
  state.returned.resize(threads_.size());
  std::size_t operations_there = 0;
  for (const auto& thread : threads_)
    for (const Point& point : thread) operations_there = std::max<std::size_t>(operations_there, point.operation + 1);
  state.known.resize(operations_there * threads_.size());
  state.results = &results;
  state.found = &found;
  state.before.resize(threads_.size());
  for (std::size_t thread = 0; thread < threads_.size(); ++thread)
    state.before[thread].assign(threads_[thread].size(), Counts(threads_.size()));
  // The points of a thread that come before a point are its first ones.
  std::size_t at = 0;
  for (std::size_t mine = 0; mine < threads_.size(); ++mine)
    for (std::uint32_t point = 0; point < threads_[mine].size(); ++point)
      for (std::size_t theirs = 0; theirs < threads_.size(); ++theirs) {
        if (mine == theirs) continue;
        for (Counts& before : state.before[theirs])
          if (relation_[at++] == '1') before[mine] = std::max(before[mine], point + 1);
      }
  search(state);
}

void Histories::search(Search& state) {
  if (state.found->size() >= kMostOrders) {
    qualify("an explored run has more real-time orders than were checked");
    return;
  }
  bool over = true;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    if (state.passed[thread] == threads_[thread].size()) continue;
    over = false;
    if (!state.can_pass(thread)) continue;
    const Point& point = threads_[thread][state.passed[thread]];
    const Counts known = state.known;
    const std::size_t length = state.order.size();
    state.pass(thread, point);
    if (state.seen.insert(bytes_of(state.known) + bytes_of(state.passed)).second) search(state);
    --state.passed[thread];
    if (point.last) --state.returned[thread];
    state.order.resize(length);
    state.known = known;
  }
  if (over && ordered_.insert(*state.results + bytes_of(state.known)).second) state.found->push_back(state.order);
}

void Histories::add(const OperationLog& run, const explore::Explorer& explorer, std::string_view stuck) {
  collect(run);
  relate(run, explorer);
  std::string results = results_of(run, stuck);
  if (!related_.insert(results + shape() + relation_).second) return;
  std::vector<EventOrder> found;
  find_orders(results, found);
  if (found.empty()) return;
  MessageWriter writer(message::kHistory);
  Json& json = writer.json;
  json.field(field::kScenario, options.scenario);
  put_results(json, run);
  json.key(field::kCalled).open('[');
  for (const TestedOperation& operation : run.all()) json.value(operation.called);
  json.close(']').key(field::kOrders).open('[');
  for (const EventOrder& order : found) {
    json.open('[');
    for (const std::uint32_t event : order) json.value(event);
    json.close(']');
  }
  json.close(']');
  put_schedule(json, explorer.deviations());
  json.field(field::kPreemptions, explorer.preemptions());
  json.field(field::kSchedules, explorer.progress().runs).field(field::kStuck, stuck);
  writer.send();
}

}  // namespace linpoint::runtime
