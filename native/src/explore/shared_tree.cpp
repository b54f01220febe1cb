// SPDX-License-Identifier: Apache-2.0
#include "explore/shared_tree.hpp"

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

namespace linpoint::explore {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

}  // namespace

void GrowingSet::become(const ProcessSet& other) {
  for (auto& word : words_) word.store(0, kRelaxed);
  other.each([&](Process process) { insert(process); });
}

ProcessSet GrowingSet::copied() const {
  ProcessSet copy;
  for (Process process = 0; process < kMost; ++process)
    if (contains(process)) copy.insert(process);
  return copy;
}

Process GrowingSet::without(const GrowingSet& other) const {
  for (Process at = 0; at < kMost / kBits; ++at) {
    const std::uint64_t open = words_[at].load(kRelaxed) & ~other.words_[at].load(kRelaxed);
    if (open != 0) return at * kBits + static_cast<Process>(std::countr_zero(open));
  }
  return kNobody;
}

/// A lock between system processes, held only briefly.
class SharedTree::Locked {
 public:
  explicit Locked(Head& head) : head_(head) {
    while (head_.lock.exchange(1, kAcquire) != 0) std::this_thread::yield();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { head_.lock.store(0, kRelease); }

 private:
  Head& head_;
};

SharedTree::SharedTree(std::span<std::byte> memory, unsigned searches)
    : head_(reinterpret_cast<Head*>(memory.data())), searches_(searches) {
  constexpr std::size_t kBegin = (sizeof(Head) + alignof(Node) - 1) / alignof(Node) * alignof(Node);
  nodes_ = {reinterpret_cast<Node*>(memory.data() + kBegin), (memory.size() - kBegin) / sizeof(Node)};
}

void SharedTree::want(Number node, Process process) {
  if (process < GrowingSet::kMost)
    nodes_[node].wanted.insert(process);
  else
    give_up();
}

bool SharedTree::covers(Number node, Process process) const {
  return nodes_[node].wanted.contains(process) || nodes_[node].taken.contains(process);
}

Taken SharedTree::take(Node& node) {
  const Process open = node.wanted.without(node.taken);
  if (open == kNobody) return {};
  Taken taken{.process = open, .before = node.taken.copied()};
  node.taken.insert(open);
  return taken;
}

Taken SharedTree::take_or_leave(Number node) {
  const Locked locked(*head_);
  Taken taken = take(nodes_[node]);
  if (taken.process == kNobody) leave(node);
  return taken;
}

void SharedTree::leave(Number number) {
  Node& node = nodes_[number];
  if (--node.visitors > 0) return;
  node.used = false;
  node.parent = head_->free;
  head_->free = number + 1;
}

bool SharedTree::is_asked() const { return head_->idle.load(kRelaxed) > head_->offers.load(kRelaxed); }

SharedTree::Number SharedTree::fresh() {
  if (head_->free == 0) return head_->high++;
  const Number number = head_->free - 1;
  head_->free = nodes_[number].parent;
  return number;
}

bool SharedTree::share(std::vector<Number>& path, std::span<const PathState> states) {
  const Locked locked(*head_);
  if (nodes_.size() - head_->high < states.size()) return false;
  for (const PathState& state : states) {
    const Number number = fresh();
    Node& node = nodes_[number];
    node.parent = path.empty() ? kNone : path.back();
    node.depth = static_cast<Number>(path.size());
    node.visitors = 1;
    node.via = state.via;
    node.used = true;
    node.wanted.become(*state.wanted);
    node.taken.become(*state.asleep);
    node.taken.insert(state.chosen);
    path.push_back(number);
  }
  head_->offers.fetch_add(1, kRelaxed);
  return true;
}

std::optional<SharedTree::Work> SharedTree::look_for_work(bool& idle) {
  const Locked locked(*head_);
  Work work;
  if (head_->begun) {
    const std::optional<Number> number = shallowest_open();
    if (!number) {
      head_->offers.store(0, kRelaxed);
      if (!idle && head_->idle.fetch_add(1, kRelaxed) + 1 == searches_) head_->finished.store(1, kRelaxed);
      idle = true;
      return std::nullopt;
    }
    work = path_to(*number);
    Taken taken = take(nodes_[*number]);
    work.chosen.push_back(taken.process);
    work.asleep = std::move(taken.before);
  }
  head_->begun = true;
  if (head_->offers.load(kRelaxed) > 0) head_->offers.fetch_sub(1, kRelaxed);
  if (idle) head_->idle.fetch_sub(1, kRelaxed);
  idle = false;
  return work;
}

/// The open node that probably has the most work left: the one nearest to the root.
std::optional<SharedTree::Number> SharedTree::shallowest_open() const {
  std::optional<Number> best;
  for (Number number = 0; number < head_->high; ++number) {
    const Node& node = nodes_[number];
    if (!node.used || (best && nodes_[*best].depth <= node.depth)) continue;
    if (node.wanted.without(node.taken) != kNobody) best = number;
  }
  return best;
}

/// Adds a visitor to each node on the path.
SharedTree::Work SharedTree::path_to(Number last) {
  Work work;
  for (Number number = last; number != kNone; number = nodes_[number].parent) {
    Node& node = nodes_[number];
    ++node.visitors;
    work.path.push_back(number);
    if (node.parent != kNone) work.chosen.push_back(node.via);
  }
  std::reverse(work.path.begin(), work.path.end());
  std::reverse(work.chosen.begin(), work.chosen.end());
  return work;
}

bool SharedTree::over() const {
  return head_->stopped.load(kRelaxed) != 0 || head_->given_up.load(kRelaxed) != 0 ||
         head_->finished.load(kRelaxed) != 0;
}

void SharedTree::stop() { head_->stopped.store(1, kRelaxed); }
void SharedTree::give_up() { head_->given_up.store(1, kRelaxed); }
bool SharedTree::given_up() const { return head_->given_up.load(kRelaxed) != 0; }
void SharedTree::leave_out() { head_->left_out.store(1, kRelaxed); }

bool SharedTree::exhaustive() const {
  return head_->finished.load(kRelaxed) != 0 && head_->stopped.load(kRelaxed) == 0 &&
         head_->given_up.load(kRelaxed) == 0 && head_->left_out.load(kRelaxed) == 0;
}

}  // namespace linpoint::explore
