// SPDX-License-Identifier: Apache-2.0
#include "linpoint/frontiers/frontier_search.hpp"

#include <utility>

#include "frontiers/recording.hpp"
#include "linpoint/frontiers/refuted_part.hpp"

namespace linpoint::frontiers {

std::unique_ptr<FrontierSearch> search_for(Recording recording, const specs::Blueprint& blueprint, StopToken& stop) {
  const std::string& kind = blueprint.kind;
  if (kind == "queue") return queue_search(std::move(recording), stop);
  if (kind == "stack") return stack_search(std::move(recording), stop);
  if (kind == "priority-queue") return priority_queue_search(std::move(recording), stop);
  const bool counts = kind == "counter" || kind == "fetch-add" || kind == "semaphore" || kind == "multiset";
  return counts ? count_search(std::move(recording), blueprint, stop)
                : value_search(std::move(recording), blueprint, stop);
}

Exclusion exclusion(const histories::Columns& columns, const search::Problem& problem,
                    const specs::Blueprint& blueprint, std::span<const std::int64_t> content) {
  return read(columns, problem, blueprint, content).exclusion;
}

std::unique_ptr<FrontierSearch> frontier_search(const histories::Columns& columns, const search::Problem& problem,
                                                const specs::Blueprint& blueprint,
                                                std::span<const std::int64_t> content, StopToken& stop) {
  return search_for(read(columns, problem, blueprint, content).recording, blueprint, stop);
}

}  // namespace linpoint::frontiers
