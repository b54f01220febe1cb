// SPDX-License-Identifier: Apache-2.0
#include "frontiers/recording.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace linpoint::frontiers {
namespace {

using histories::kNone;
using specs::Code;
using specs::Instruction;
using specs::kAny;

class Reader {
 public:
  Reader(const histories::Columns& columns, const search::Problem& problem, const specs::Blueprint& blueprint,
         std::span<const std::int64_t> content)
      : problem_(problem), blueprint_(blueprint), content_(content), compiler_(columns, blueprint) {}

  Reading read() {
    const std::string& kind = blueprint_.kind;
    constexpr std::array<std::string_view, 3> kContainers{"queue", "stack", "priority-queue"};
    constexpr std::array<std::string_view, 8> kOthers{"register", "map",       "set",       "mutex",
                                                      "counter",  "fetch-add", "semaphore", "multiset"};
    const bool container = std::ranges::find(kContainers, kind) != kContainers.end();
    if (!container && std::ranges::find(kOthers, kind) == kOthers.end()) return excluded(Exclusion::kKind);
    if (!problem_.before.empty() || !problem_.excluded.empty()) return excluded(Exclusion::kConstrained);
    if (blueprint_.capacity && std::cmp_less(*blueprint_.capacity, problem_.size() + content_.size()))
      return excluded(Exclusion::kCapacity);
    for (std::size_t op = 0; op < problem_.size(); ++op) latest_call_ = std::max(latest_call_, problem_.call[op]);
    if (container && std::ranges::find(content_, blueprint_.constants.null) != content_.end())
      return excluded(Exclusion::kNull);
    if (container && !std::ranges::all_of(content_, [&](std::int64_t value) { return has_priority(value); }))
      return excluded(Exclusion::kOperation);
    if (container) put_inside();
    for (std::size_t op = 0; op < problem_.size(); ++op) {
      if (optional(op) && problem_.ret[op] != histories::kNever && problem_.ret[op] < latest_call_)
        return excluded(Exclusion::kDeadline);
      const std::optional<Instruction> what = compiler_.compile(at(problem_.position[op]), optional(op));
      if (!what) return excluded(Exclusion::kOperation);
      const Exclusion why = container ? handle(op, *what) : instruct(op, *what);
      if (why != Exclusion::kNone) return excluded(why);
    }
    if (Timeline::width(reading_.recording.operations) > kMostSlots) return excluded(Exclusion::kWidth);
    if (kind == "priority-queue") rank_values();
    return std::move(reading_);
  }

 private:
  [[nodiscard]] bool optional(std::size_t op) const { return problem_.optional[op] != 0; }

  static Reading excluded(Exclusion why) {
    Reading reading;
    reading.exclusion = why;
    return reading;
  }

  /// Initial values were added one after the other, before all operations.
  void put_inside() {
    for (const std::int64_t value : content_) {
      const std::int32_t call = offset_;
      offset_ += 2;
      reading_.recording.operations.push_back({Role::kAdd, static_cast<std::int32_t>(value), call, call + 1, kNone});
    }
  }

  void keep(std::size_t op, Role role, std::int32_t value) {
    const bool returns = !optional(op);
    reading_.recording.operations.push_back(
        {role, value, offset_ + static_cast<std::int32_t>(problem_.call[op]),
         returns ? offset_ + static_cast<std::int32_t>(problem_.ret[op]) : kNoReturn, number(op)});
  }

  Exclusion handle(std::size_t op, const Instruction& what) {
    const std::int32_t null = blueprint_.constants.null;
    switch (what.code) {
      case Code::kEnqueue:
      case Code::kPush:
        if (what.first == null) return Exclusion::kNull;
        if (!has_priority(what.first)) return Exclusion::kOperation;
        // An unbounded queue always accepts.
        if (what.want != kAny && what.want != blueprint_.constants.yes) return Exclusion::kOperation;
        keep(op, Role::kAdd, what.first);
        return Exclusion::kNone;
      case Code::kDequeue:
      case Code::kPop:
        if (what.want == null)
          keep(op, Role::kLook, kNothing);
        else
          keep(op, Role::kRemove, what.want == kAny ? kAnything : what.want);
        return Exclusion::kNone;
      case Code::kFront:
      case Code::kTop:
        if (!optional(op)) keep(op, Role::kLook, what.want == null ? kNothing : what.want);
        return Exclusion::kNone;
      default:
        return Exclusion::kOperation;
    }
  }

  /// For a priority queue, whether a value is comparable with others; NaN is not.
  [[nodiscard]] bool has_priority(std::int64_t value) const {
    return blueprint_.kind != "priority-queue" ||
           blueprint_.integers[static_cast<std::size_t>(value)] != specs::kNoInteger;
  }

  /// Records an operation by the number of its effect.
  Exclusion instruct(std::size_t op, Instruction what) {
    if (what.code == Code::kAppend) return Exclusion::kOperation;
    const bool elements = blueprint_.kind == "set" || blueprint_.kind == "multiset";
    if (elements && element_ != kNone && what.first != element_) return Exclusion::kOperation;  // more than one element
    if (elements) element_ = what.first;
    const bool looks = what.code == Code::kRead || what.code == Code::kGet || what.code == Code::kContains ||
                       what.code == Code::kHas || what.code == Code::kReadCount;
    if (optional(op) && looks) return Exclusion::kNone;
    const bool tries = what.code == Code::kTryAcquire || what.code == Code::kRemove;
    if (optional(op) && tries && counts_permits())
      what.want = blueprint_.constants.yes;  // otherwise it changed
                                             // nothing
    const auto form = std::tuple(what.code, what.first, what.second, what.want, what.amount);
    const auto [found, fresh] = labels_.try_emplace(form, number(labels_.size()));
    if (fresh) reading_.recording.instructions.push_back(what);
    keep(op, Role::kAdd, found->second);
    return Exclusion::kNone;
  }

  [[nodiscard]] bool counts_permits() const { return blueprint_.kind == "semaphore" || blueprint_.kind == "multiset"; }

  /// Replaces the values of a priority queue by their ranks, including values that were never added.
  void rank_values() {
    std::vector<std::pair<std::int64_t, std::int32_t>> values;
    for (const Operation& each : reading_.recording.operations)
      if (each.value >= 0) values.emplace_back(blueprint_.integers[at(each.value)], each.value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const auto rank = [&](std::int32_t value) {
      const std::pair wanted(blueprint_.integers[at(value)], value);
      return number(static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), wanted) - values.begin()));
    };
    for (Operation& each : reading_.recording.operations)
      if (each.value >= 0) each.value = rank(each.value);
    reading_.recording.values = number(values.size());
  }

  const search::Problem& problem_;
  const specs::Blueprint& blueprint_;
  std::span<const std::int64_t> content_;
  specs::Compiler compiler_;
  std::int64_t latest_call_ = -1;
  std::int32_t offset_ = 0;
  std::int32_t element_ = kNone;
  std::map<std::tuple<Code, std::int32_t, std::int32_t, std::int32_t, std::int64_t>, std::int32_t> labels_;
  Reading reading_;
};

}  // namespace

Reading read(const histories::Columns& columns, const search::Problem& problem, const specs::Blueprint& blueprint,
             std::span<const std::int64_t> content) {
  Reading reading = Reader(columns, problem, blueprint, content).read();
  reading.recording.content.assign(content.begin(), content.end());
  return reading;
}

}  // namespace linpoint::frontiers
