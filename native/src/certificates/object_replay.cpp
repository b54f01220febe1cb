// SPDX-License-Identifier: Apache-2.0
#include "linpoint/certificates/object_replay.hpp"

#include <algorithm>
#include <future>

#include "certificates/plain_objects.hpp"
#include "linpoint/certificates/memory_evidence.hpp"
#include "specs/native_operation.hpp"

namespace linpoint::verdicts {

using specs::Blueprint;

Finding check_replay(const histories::Columns& columns, std::span<const std::int32_t> order, const Blueprint& blueprint,
                     std::span<const std::int64_t> content) {
  if (blueprint.kind == "mwcas") return check_words(columns, order, blueprint, content);
  const auto replayed = plain_object(blueprint, content);
  const specs::Compiler compiler(columns, blueprint);
  for (const std::int32_t position : order) {
    const auto op =
        compiler.compile(static_cast<std::size_t>(position), !columns.certain(static_cast<std::size_t>(position)));
    if (!op || !replayed->take(*op)) return {Flaw::kRejected, position};
  }
  return {};
}

Finding check_witness(const histories::Columns& columns, std::span<const std::int32_t> positions,
                      std::span<const std::int32_t> order, search::Condition condition, const Blueprint& blueprint,
                      std::span<const std::int64_t> content, bool parallel) {
  const auto times = [&]() -> Finding {
    if (const Finding found = check_members(columns, positions, order, true); found.flaw != Flaw::kNone) return found;
    return check_times(columns, order, condition, blueprint.key_argument);
  };
  const bool inside = std::all_of(order.begin(), order.end(), [&](std::int32_t position) {
    return position >= 0 && static_cast<std::size_t>(position) < columns.size();
  });
  if (parallel && inside && order.size() > histories::kWorthAThread) {
    std::future<Finding> others = std::async(std::launch::async, times);
    const Finding replayed = check_replay(columns, order, blueprint, content);
    const Finding found = others.get();
    return found.flaw != Flaw::kNone ? found : replayed;
  }
  if (const Finding found = times(); found.flaw != Flaw::kNone) return found;
  return check_replay(columns, order, blueprint, content);
}

}  // namespace linpoint::verdicts
