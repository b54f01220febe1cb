// SPDX-License-Identifier: Apache-2.0
#include "linpoint/frontiers/refuted_part.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "frontiers/recording.hpp"

namespace linpoint::frontiers {
namespace {

using Values = std::vector<std::int32_t>;

/// Removes values while the remaining operations stay refuted.
class Reduction {
 public:
  Reduction(Recording recording, const specs::Blueprint& blueprint, std::uint64_t allowance, StopToken& stop)
      : recording_(std::move(recording)), blueprint_(blueprint), left_(allowance), stop_(stop) {}

  /// The remaining operations. The last return is the end of the refuted part.
  std::vector<Operation> run() {
    Values values = all_values();
    const Values likely = values_at_the_end();
    if (likely.size() < values.size() && refuted(likely)) values = likely;
    for (std::size_t chunk = std::max<std::size_t>(1, values.size() / 2);; chunk = (chunk + 1) / 2) {
      const std::size_t before = values.size();
      for (std::size_t from = 0; from < values.size() && values.size() > 1 && left_ > 0;) {
        Values rest(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(from));
        const std::size_t to = std::min(values.size(), from + chunk);
        rest.insert(rest.end(), values.begin() + static_cast<std::ptrdiff_t>(to), values.end());
        if (refuted(rest))
          values = std::move(rest);
        else
          from = to;
      }
      if (left_ == 0 || (chunk == 1 && values.size() == before)) break;
    }
    return only(values);
  }

 private:
  [[nodiscard]] Values all_values() const {
    std::unordered_set<std::int32_t> values;
    for (const Operation& each : recording_.operations)
      if (each.value >= 0) values.insert(each.value);
    Values sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  /// The values of the operations that are open at the last return.
  [[nodiscard]] Values values_at_the_end() const {
    std::int32_t end = -1;
    for (const Operation& each : recording_.operations)
      if (each.ret != kNoReturn) end = std::max(end, each.ret);
    Values values;
    for (const Operation& each : recording_.operations)
      if (each.ret >= end && each.value >= 0) values.push_back(each.value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  [[nodiscard]] std::vector<Operation> only(const Values& values) const {
    std::vector<Operation> operations;
    for (const Operation& each : recording_.operations)
      if (each.value < 0 || std::binary_search(values.begin(), values.end(), each.value)) operations.push_back(each);
    return operations;
  }

  [[nodiscard]] bool refuted(const Values& values) {
    if (left_ == 0 || stop_.poll()) return false;
    Recording fewer{only(values), {}, {}, recording_.values};
    const auto search = search_for(std::move(fewer), blueprint_, stop_);
    const search::Status status = search->run(left_);
    left_ -= std::min(left_, search->configurations() + 1);
    return status == search::Status::kViolation;
  }

  Recording recording_;
  const specs::Blueprint& blueprint_;
  std::uint64_t left_;
  StopToken& stop_;
};

/// The operations called before `end`; those that return later may be left out, and looks among them are removed.
std::vector<Operation> cut(const std::vector<Operation>& operations, std::int32_t end, bool container) {
  std::vector<Operation> kept;
  for (Operation each : operations) {
    if (each.call > end) continue;
    if (each.ret > end) each.ret = kNoReturn;
    if (!container || each.ret != kNoReturn || each.role != Role::kLook) kept.push_back(each);
  }
  return kept;
}

}  // namespace

RefutedPart refuted_part(const histories::Columns& columns, const search::Problem& problem,
                         const specs::Blueprint& blueprint, std::span<const std::int64_t> content, std::int32_t last,
                         std::uint64_t allowance, StopToken& stop) {
  Recording recording = read(columns, problem, blueprint, content).recording;
  const auto found = std::ranges::find(recording.operations, last, &Operation::op);
  const bool container = recording.instructions.empty();
  recording.operations = cut(recording.operations, found->ret, container);
  // Initial content would have to be removed with its value.
  const bool reducible = container && content.empty();
  const std::vector<Operation> left =
      reducible ? Reduction(recording, blueprint, allowance, stop).run() : recording.operations;
  RefutedPart part;
  for (const Operation& each : left) {
    if (each.op == histories::kNone) continue;
    part.operations.push_back(each.op);
    if (each.ret == kNoReturn) part.open.push_back(each.op);
  }
  std::sort(part.operations.begin(), part.operations.end());
  std::sort(part.open.begin(), part.open.end());
  return part;
}

}  // namespace linpoint::frontiers
