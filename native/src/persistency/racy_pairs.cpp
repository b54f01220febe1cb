// SPDX-License-Identifier: Apache-2.0
#include "linpoint/persistency/racy_pairs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace linpoint::persistency {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct Candidate {
  std::uint64_t store_code = 0;
  std::uint64_t access_code = 0;
  std::uint32_t distance = 0;
  std::uint32_t store = 0;
  std::uint32_t access = 0;
  std::uint32_t round = 0;  ///< number of nearer pairs with the same places
};

/// The last access of one code location to a word, and the last one in a different operation.
struct Recent {
  std::uint64_t code = 0;
  std::uint32_t last = kNone;
  std::uint32_t other = kNone;
};

bool accesses(const Event& event) {
  const bool looks = event.kind == Kind::kRead || (event.kind == Kind::kFence && event.address != 0);
  return event.size > 0 && event.operation != kNoOperation && (looks || is_store(event.kind));
}

template <typename Each>
void for_each_word(const Event& event, Each&& each) {
  for_each_part(event.address, event.size, [&](std::uint64_t at, std::uint64_t) { each(word_of(at)); });
}

class Search {
 public:
  Search(std::span<const Event> trace, const Points& points, Racing stores) : trace_(trace) {
    racing_.assign(trace.size(), false);
    for (std::uint32_t at = 0; at < trace.size(); ++at) {
      if (!is_store(trace[at].kind) || !accesses(trace[at])) continue;
      racing_[at] = stores == Racing::kPoints ? points.is_point(at) : points.rules[at] != Rule::kLock;
      if (racing_[at]) for_each_word(trace[at], [&](std::uint64_t word) { words_[word]; });
    }
    for (std::uint32_t at = 0; at < trace.size(); ++at) {
      if (!accesses(trace[at])) continue;
      for_each_word(trace[at], [&](std::uint64_t word) {
        const auto found = words_.find(word);
        if (found != words_.end()) found->second.push_back(at);
      });
    }
    for (const auto& [word, events] : words_) {
      sweep(events);
      sweep({events.rbegin(), events.rend()});
    }
  }

  [[nodiscard]] std::vector<RacyPair> ranked(std::size_t most) {
    const auto by_places = [](const Candidate& each) {
      return std::tuple(each.store_code, each.access_code, each.distance, each.store, each.access);
    };
    std::sort(found_.begin(), found_.end(),
              [&](const Candidate& a, const Candidate& b) { return by_places(a) < by_places(b); });
    for (std::size_t at = 1; at < found_.size(); ++at) {
      const Candidate& nearer = found_[at - 1];
      if (nearer.store_code == found_[at].store_code && nearer.access_code == found_[at].access_code)
        found_[at].round = nearer.round + 1;
    }
    std::sort(found_.begin(), found_.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.round, a.distance, a.store, a.access) < std::tie(b.round, b.distance, b.store, b.access);
    });
    std::vector<RacyPair> pairs;
    std::set<std::tuple<std::uint32_t, std::uint32_t>> known;  // the store determines the first operation
    for (const Candidate& each : found_) {
      if (pairs.size() >= most) break;
      const std::uint32_t second = trace_[each.access].operation;
      if (known.emplace(each.store, second).second)
        pairs.push_back({trace_[each.store].operation, second, each.store, each.access});
    }
    return pairs;
  }

 private:
  /// Walks the accesses to a word in one direction.
  void sweep(const std::vector<std::uint32_t>& events) {
    std::vector<Recent> recent;
    for (const std::uint32_t event : events) {
      const Event& now = trace_[event];
      if (racing_[event]) {
        for (const Recent& each : recent)
          meet(event, trace_[each.last].operation != now.operation ? each.last : each.other);
      }
      const auto same = [&](const Recent& each) { return each.code == now.code; };
      auto place = std::find_if(recent.begin(), recent.end(), same);
      if (place == recent.end()) place = recent.insert(place, {now.code, kNone, kNone});
      if (place->last != kNone && trace_[place->last].operation != now.operation) place->other = place->last;
      place->last = event;
    }
  }

  void meet(std::uint32_t store, std::uint32_t access) {
    if (access == kNone || !overlap(trace_[store], trace_[access])) return;
    const std::uint32_t first = trace_[store].operation;
    const std::uint32_t second = trace_[access].operation;
    found_.push_back(
        {trace_[store].code, trace_[access].code, first < second ? second - first : first - second, store, access, 0});
  }

  std::span<const Event> trace_;
  std::vector<bool> racing_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> words_;  ///< racing words, with the events that access them
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<RacyPair> find_racy_pairs(std::span<const Event> trace, const Points& points, Racing stores,
                                      std::size_t most) {
  return Search(trace, points, stores).ranked(most);
}

}  // namespace linpoint::persistency
