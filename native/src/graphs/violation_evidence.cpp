// SPDX-License-Identifier: Apache-2.0
#include "graphs/violation_evidence.hpp"

#include <algorithm>

namespace linpoint::graphs {

Link Evidence::link(std::int32_t from, std::int32_t to, Because because, std::int32_t version) const {
  Link found{from == kNone ? kNone : memory_.position(from), memory_.position(to), because};
  if (version == kNone) return found;
  found.word = memory_.version(version).word;
  found.value = memory_.version(version).value;
  return found;
}

Contradiction Evidence::circular(const Circle& circle) const {
  Contradiction found;
  for (std::size_t i = 0; i < circle.steps.size(); ++i) {
    const auto& step = circle.steps[i];
    const auto& next = circle.steps[(i + 1) % circle.steps.size()];
    found.links.push_back(link(step.operation, next.operation, step.because, step.version));
  }
  return found;
}

Contradiction Evidence::flawed(const Memory::Flaw& flaw) const {
  Contradiction found;
  if (flaw.reason == Reason::kDanglingRead) {
    found.links.push_back(link(kNone, flaw.first, Because::kReadsFrom, flaw.version));
  } else {
    found.links.push_back(link(flaw.first, flaw.second, Because::kReplaced, flaw.version));
    found.links.push_back(link(flaw.second, flaw.first, Because::kReplaced, flaw.version));
  }
  return found;
}

Refutation Evidence::refutation(std::vector<Contradiction> contradictions, const std::vector<std::int32_t>& failed,
                                bool connected, std::size_t certain) const {
  Refutation refutation;
  refutation.reason = connected ? reason(contradictions) : Reason::kDisconnectedFailure;
  if (connected && !failed.empty()) refutation.reason = Reason::kCycle;
  refutation.kept = kept(contradictions, certain);
  refutation.contradictions = std::move(contradictions);
  for (const std::int32_t each : failed) refutation.failed.push_back(memory_.position(each));
  return refutation;
}

Reason Evidence::reason(const std::vector<Contradiction>& contradictions) {
  if (contradictions.size() != 1) return Reason::kCycle;
  const auto& links = contradictions[0].links;
  if (links.size() == 1) return Reason::kDanglingRead;
  const auto count = [&](Because because) {
    return std::count_if(links.begin(), links.end(), [&](const Link& each) { return each.because == because; });
  };
  if (links.size() == 2 && count(Because::kReplaced) == 2) return Reason::kFork;
  if (links.size() == 2 && count(Because::kReadsFrom) == 1 && count(Because::kTime) == 1)
    return Reason::kReadBeforeWrite;
  return Reason::kCycle;
}

/// Why the operations with an unknown outcome in these contradictions certainly took effect.
std::vector<Link> Evidence::kept(const std::vector<Contradiction>& contradictions, std::size_t certain) const {
  std::vector<std::int32_t> wanted;
  for (const Contradiction& each : contradictions)
    for (const Link& one : each.links) wanted.insert(wanted.end(), {one.from, one.to});
  std::vector<Link> links;
  const auto& all = memory_.kept_unknown();
  for (std::size_t k = std::min(certain, all.size()); k-- > 0;) {  // observers come before the operations they observed
    const Link mine = link(all[k].operation, all[k].observer, Because::kReadsFrom, all[k].version);
    if (std::find(wanted.begin(), wanted.end(), mine.from) == wanted.end()) continue;
    links.push_back(mine);
    wanted.push_back(mine.to);
  }
  return links;
}

}  // namespace linpoint::graphs
