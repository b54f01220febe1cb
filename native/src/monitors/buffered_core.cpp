// SPDX-License-Identifier: Apache-2.0
// Delta debugging that uses the decision procedure itself, which is fast. Cost: O(k log n) decisions for k remaining
// operations, most of them on few operations.
//
// After removing all operations on a value (and on the values that replaced it), the remaining operations keep their
// order, and so do survivors: an operation that observed another value has the same write before it. So the remaining
// operations are a violation only if all are.
#include "monitors/buffered_core.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace linpoint::monitors {
namespace {

using histories::kNone;

/// Maximum number of decisions: with long chains of replaced values that must stay together, it would take too long.
constexpr int kMaxDecisions = 3'000;

/// An access of some key that can be removed, together with all that depend on it.
struct Member {
  std::size_t key;
  std::size_t access;
  std::int32_t source = kNone;  // the member that wrote the value it observed
};

class Shrinking {
 public:
  Shrinking(std::span<const KeyAccesses> keys, const EraGaps& gaps, search::StopToken& stop)
      : keys_(keys), gaps_(gaps), stop_(stop) {
    for (std::size_t key = 0; key < keys.size(); ++key) add(key);
    in_.assign(members_.size(), true);
  }

  BufferedCore run(std::span<const std::int32_t> evidence) {
    start_with(evidence);
    shrink([this](std::int32_t member) { return changes(access(member)); });
    shrink([this](std::int32_t member) { return !changes(access(member)); });
    BufferedCore core{reason_, {}};
    for (std::int32_t member = 0; member < size(); ++member)
      if (in_[at(member)]) core.operations.push_back(access(member).op);
    return core;
  }

 private:
  void add(std::size_t key) {
    const auto first = static_cast<std::int32_t>(members_.size());
    const std::vector<Access>& accesses = keys_[key].accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i)
      if (accesses[i].act != Act::kDiffers) members_.push_back({key, i});
    Slots makers(values_of(accesses), [](std::int32_t value) { return value; });
    for (std::int32_t member = first; member < size(); ++member)
      if (changes(access(member))) makers[access(member).now] = member;
    for (std::int32_t member = first; member < size(); ++member)
      if (observes(access(member))) members_[at(member)].source = makers[access(member).old];
  }

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(members_.size()); }
  [[nodiscard]] const Access& access(std::int32_t member) const {
    return keys_[members_[at(member)].key].accesses[members_[at(member)].access];
  }

  /// Tries the evidence operations with the writers of the values that they observed, and reads of all these values.
  void start_with(std::span<const std::int32_t> evidence) {
    const std::unordered_set<std::int32_t> told(evidence.begin(), evidence.end());
    std::vector<bool> few(members_.size());
    for (std::int32_t member = 0; member < size(); ++member) {
      if (!told.contains(access(member).op)) continue;
      for (std::int32_t each = member; each != kNone && !few[at(each)]; each = members_[at(each)].source)
        few[at(each)] = true;
    }
    for (std::int32_t member = 0; member < size(); ++member) {
      const std::int32_t source = members_[at(member)].source;
      if (access(member).act == Act::kRead && source != kNone && few[at(source)]) few[at(member)] = true;
    }
    if (!violates(few)) violates(std::vector<bool>(members_.size(), true));
  }

  /// Whether these operations are a violation; if so, they become the remaining ones.
  bool violates(std::vector<bool> in) {
    ++decisions_;
    std::vector<KeyAccesses> left(keys_.size());
    for (std::size_t key = 0; key < keys_.size(); ++key) left[key].first_value = keys_[key].first_value;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!in[i]) continue;
      const Member& member = members_[i];
      left[member.key].accesses.push_back(keys_[member.key].accesses[member.access]);
      left[member.key].eras.push_back(keys_[member.key].eras[member.access]);
    }
    std::erase_if(left, [](const KeyAccesses& key) { return key.accesses.empty(); });
    const std::optional<Found> found = SavedMoments(left, gaps_).find(stop_);
    if (!found || found->status != Status::kViolation) return false;
    reason_ = found->refuted.reason;
    in_ = std::move(in);
    return true;
  }

  /// Removes members that `chosen` selects, many at a time first, with all that depend on them.
  template <typename Chosen>
  void shrink(Chosen chosen) {
    std::vector<std::int32_t> tried;
    const auto collect = [&] {
      tried.clear();
      for (std::int32_t member = 0; member < size(); ++member)
        if (in_[at(member)] && chosen(member)) tried.push_back(member);
    };
    collect();
    for (std::size_t many = (tried.size() + 1) / 2; many > 0 && !enough();) {
      bool fewer = false;
      for (std::size_t first = 0; first < tried.size() && !enough(); first += many) {
        const auto end = std::min(first + many, tried.size());
        if (std::none_of(tried.begin() + static_cast<std::ptrdiff_t>(first),
                         tried.begin() + static_cast<std::ptrdiff_t>(end),
                         [&](std::int32_t member) { return in_[at(member)]; }))
          continue;
        fewer = violates(without(std::span(tried).subspan(first, end - first))) || fewer;
      }
      collect();
      if (many == 1 && !fewer) break;
      many = std::max<std::size_t>(1, std::min(many, tried.size()) / 2);
    }
  }

  [[nodiscard]] bool enough() const { return stop_.stopped() || decisions_ >= kMaxDecisions; }

  [[nodiscard]] std::vector<bool> without(std::span<const std::int32_t> dropped) const {
    std::vector<bool> left = in_;
    for (const std::int32_t member : dropped) left[at(member)] = false;
    std::vector<std::int32_t> path;
    std::vector<bool> known(members_.size());
    for (std::int32_t member = 0; member < size(); ++member) {
      std::int32_t each = member;
      for (; each != kNone && !known[at(each)] && left[at(each)]; each = members_[at(each)].source) {
        known[at(each)] = true;
        path.push_back(each);
      }
      const bool stays = each == kNone || left[at(each)];
      for (const std::int32_t on_path : path) left[at(on_path)] = stays;
      path.clear();
    }
    return left;
  }

  std::span<const KeyAccesses> keys_;
  const EraGaps& gaps_;
  search::StopToken& stop_;
  std::vector<Member> members_;
  std::vector<bool> in_;
  int decisions_ = 0;
  Reason reason_ = Reason::kNone;
};

}  // namespace

BufferedCore smallest_violation(std::span<const KeyAccesses> keys, const EraGaps& gaps,
                                std::span<const std::int32_t> evidence, search::StopToken& stop) {
  return Shrinking(keys, gaps, stop).run(evidence);
}

}  // namespace linpoint::monitors
