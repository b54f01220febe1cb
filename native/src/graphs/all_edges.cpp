// SPDX-License-Identifier: Apache-2.0
#include "linpoint/graphs/all_edges.hpp"

#include <algorithm>
#include <numeric>

#include "graphs/version_graph.hpp"

namespace linpoint::graphs {
namespace {

using specs::Effect;

class Drawing {
 public:
  Drawing(const Timing& timing, const Memory& memory) : timing_(timing), memory_(memory) {}

  std::vector<Link> draw(TimeEdges times) {
    for (std::int32_t op = 0; op < memory_.size(); ++op) {
      if (!memory_.kept(op)) continue;
      kept_.push_back(op);
      for (const VersionCell& cell : memory_.cells(op))
        if (cell.seen != kNone) add_edges_of(op, cell.seen);
    }
    std::sort(kept_.begin(), kept_.end(),
              [&](std::int32_t a, std::int32_t b) { return timing_.call[at(a)] < timing_.call[at(b)]; });
    if (times == TimeEdges::kMinimal) add_minimal();
    if (times == TimeEdges::kAll) add_all();
    return std::move(links_);
  }

 private:
  void add_edges_of(std::int32_t op, std::int32_t seen) {
    const Version& version = memory_.version(seen);
    if (memory_.effect(op) == Effect::kFails) {
      if (version.replacer != kNone) add(version.replacer, op, Because::kFailedAfter, seen);
      return;
    }
    if (version.writer != kNone) add(version.writer, op, Because::kReadsFrom, seen);
    if (version.replacer != kNone && version.replacer != op) add(op, version.replacer, Because::kReplaced, seen);
  }

  void add(std::int32_t from, std::int32_t to, Because because, std::int32_t version) {
    Link link{from < 0 ? kNone : memory_.position(from), memory_.position(to), because};
    if (version != kNone) {
      link.word = memory_.version(version).word;
      link.value = memory_.version(version).value;
    }
    links_.push_back(link);
  }

  [[nodiscard]] std::int64_t call(std::size_t index) const { return timing_.call[at(kept_[index])]; }
  [[nodiscard]] std::int64_t ret(std::size_t index) const { return timing_.ret[at(kept_[index])]; }

  /// The first operation, by call, that was called after this one returned.
  [[nodiscard]] std::size_t first_after(std::size_t index) const {
    const auto found =
        std::upper_bound(kept_.begin(), kept_.end(), ret(index),
                         [&](std::int64_t time, std::int32_t op) { return time < timing_.call[at(op)]; });
    return static_cast<std::size_t>(found - kept_.begin());
  }

  void add_minimal() {
    for (std::size_t op = 0; op < kept_.size(); ++op) {
      std::int64_t earliest = search::kNever;
      for (std::size_t other = first_after(op); other < kept_.size() && call(other) < earliest; ++other) {
        add(kept_[op], kept_[other], Because::kTime, kNone);
        earliest = std::min(earliest, ret(other));
      }
    }
  }

  void add_all() {
    for (std::size_t op = 0; op < kept_.size(); ++op)
      for (std::size_t other = first_after(op); other < kept_.size(); ++other)
        add(kept_[op], kept_[other], Because::kTime, kNone);
  }

  const Timing& timing_;
  const Memory& memory_;
  std::vector<std::int32_t> kept_;
  std::vector<Link> links_;
};

}  // namespace

std::vector<Link> edges(const Question& question, TimeEdges times) {
  Memory memory(question.columns, question.positions, question.blueprint, question.content);
  search::StopToken stop;
  if (memory.load(stop, false).first != Exclusion::kNone || memory.blind_write() != kNone) return {};
  memory.keep_seen();
  const Timing timing(question.columns, question.positions, question.condition, Rules::kPaper);
  return Drawing(timing, memory).draw(times);
}

bool acyclic(std::size_t operations, std::span<const Link> links) {
  std::vector<std::size_t> first(operations + 1);
  for (const Link& link : links)
    if (link.from != kNone) ++first[at(link.from) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  std::vector<std::int32_t> to(first.back());
  for (const Link& link : links)
    if (link.from != kNone) to[next[at(link.from)]++] = link.to;
  enum class Colour : std::uint8_t { kWhite, kGrey, kBlack };
  std::vector<Colour> colour(operations, Colour::kWhite);
  std::copy(first.begin(), first.end() - 1, next.begin());
  std::vector<std::int32_t> path;
  for (std::size_t root = 0; root < operations; ++root) {
    if (colour[root] != Colour::kWhite) continue;
    path.push_back(static_cast<std::int32_t>(root));
    colour[root] = Colour::kGrey;
    while (!path.empty()) {
      const std::size_t here = at(path.back());
      if (next[here] == first[here + 1]) {
        colour[here] = Colour::kBlack;
        path.pop_back();
        continue;
      }
      const std::int32_t other = to[next[here]++];
      if (colour[at(other)] == Colour::kGrey) return false;
      if (colour[at(other)] == Colour::kBlack) continue;
      colour[at(other)] = Colour::kGrey;
      path.push_back(other);
    }
  }
  return true;
}

}  // namespace linpoint::graphs
