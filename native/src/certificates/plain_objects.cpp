// SPDX-License-Identifier: Apache-2.0
#include "certificates/plain_objects.hpp"

#include <deque>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace linpoint::verdicts {
namespace {

using specs::Blueprint;
using specs::Code;
using specs::Instruction;
using specs::kAny;

class PlainRegister final : public PlainObject {
 public:
  PlainRegister(const Blueprint& blueprint, std::span<const std::int64_t> content)
      : PlainObject(blueprint), value_(static_cast<std::int32_t>(content[0])) {}
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override { return std::make_unique<PlainRegister>(*this); }
  bool take(const Instruction& op) override {
    const std::int32_t before = value_;
    if (op.code == Code::kCas) {
      const bool same = value_ == op.first;
      if (same) value_ = op.second;
      return op.allows(truth(same));
    }
    if (op.code == Code::kWrite || op.code == Code::kSwap) value_ = op.first;
    return op.code == Code::kWrite || ((op.code == Code::kRead || op.code == Code::kSwap) && op.allows(before));
  }

 private:
  std::int32_t value_;
};

class PlainEntry final : public PlainObject {
 public:
  PlainEntry(const Blueprint& blueprint, std::span<const std::int64_t> content) : PlainObject(blueprint) {
    if (!content.empty()) put(static_cast<std::int32_t>(content[0]));
  }
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override { return std::make_unique<PlainEntry>(*this); }
  bool take(const Instruction& op) override {
    const bool present = present_;
    switch (op.code) {
      case Code::kGet:
        return looks_like(op.want);
      case Code::kPut:
        put(op.first);
        return true;
      case Code::kInsert:
        if (!present) put(op.first);
        return op.allows(truth(!present));
      case Code::kDelete:
        present_ = false;
        text_.reset();
        return op.allows(truth(present));
      case Code::kContains:
        return op.allows(truth(present));
      case Code::kCasEntry: {
        const bool same = looks_like(op.first);
        if (same) put(op.second);
        return op.allows(truth(same));
      }
      case Code::kAppend:
        return append(op.first);
      default:
        return false;
    }
  }

 private:
  void put(std::int32_t value) {
    present_ = true;
    value_ = value;
    text_.reset();
  }
  /// Appends to an absent value as to an empty string; false for any other value that is not a string.
  bool append(std::int32_t value) {
    std::optional<std::string> before = "";
    if (present_) before = text_ ? text_ : string(value_);
    const std::optional<std::string> more = string(value);
    if (!before || !more) return false;
    text_ = *before + *more;
    present_ = true;
    return true;
  }
  [[nodiscard]] std::optional<std::string> string(std::int32_t value) const {
    return blueprint().strings[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] bool looks_like(std::int32_t wanted) const {
    if (wanted == kAny) return true;
    if (!present_) return wanted == null();
    return text_ ? string(wanted) == text_ : wanted == value_;
  }

  bool present_ = false;
  std::int32_t value_ = 0;
  std::optional<std::string> text_;  // replaces the value once something was appended
};

class PlainSet final : public PlainObject {
 public:
  PlainSet(const Blueprint& blueprint, std::span<const std::int64_t> content) : PlainObject(blueprint) {
    for (const std::int64_t element : content) elements_.insert(static_cast<std::int32_t>(element));
  }
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override { return std::make_unique<PlainSet>(*this); }
  bool take(const Instruction& op) override {
    switch (op.code) {
      case Code::kAdd:
        return op.allows(truth(elements_.insert(op.first).second));
      case Code::kRemove:
        return op.allows(truth(elements_.erase(op.first) == 1));
      case Code::kHas:
        return op.allows(truth(elements_.contains(op.first)));
      default:
        return false;
    }
  }

 private:
  std::unordered_set<std::int32_t> elements_;
};

class PlainMutex final : public PlainObject {
 public:
  PlainMutex(const Blueprint& blueprint, std::span<const std::int64_t> content)
      : PlainObject(blueprint), held_(content[0] != 0) {}
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override { return std::make_unique<PlainMutex>(*this); }
  bool take(const Instruction& op) override {
    const bool held = held_;
    held_ = op.code != Code::kRelease;
    switch (op.code) {
      case Code::kAcquire:
        return !held;
      case Code::kRelease:
        return held;
      case Code::kTryAcquire:
        return op.allows(truth(!held));
      default:
        return false;
    }
  }

 private:
  bool held_;
};

class PlainCounter final : public PlainObject {
 public:
  PlainCounter(const Blueprint& blueprint, std::span<const std::int64_t> content)
      : PlainObject(blueprint), count_(content[0]) {}
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override { return std::make_unique<PlainCounter>(*this); }
  bool take(const Instruction& op) override {
    const bool agrees = op.want == kAny || op.wanted == count_;
    switch (op.code) {
      case Code::kCount:
        count_ += op.amount;
        return true;
      case Code::kFetchAdd:
        count_ += op.amount;
        return agrees;
      default:
        return op.code == Code::kReadCount && agrees;
    }
  }

 private:
  std::int64_t count_;
};

class PlainSemaphore final : public PlainObject {
 public:
  PlainSemaphore(const Blueprint& blueprint, std::span<const std::int64_t> content)
      : PlainObject(blueprint), permits_(content[0]) {}
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override { return std::make_unique<PlainSemaphore>(*this); }
  bool take(const Instruction& op) override {
    const bool some = permits_ > 0;
    switch (op.code) {
      case Code::kRelease:
        ++permits_;
        return true;
      case Code::kAcquire:
        --permits_;
        return some;
      case Code::kTryAcquire:
        if (some) --permits_;
        return op.allows(truth(some));
      default:
        return false;
    }
  }

 private:
  std::int64_t permits_;
};

class PlainMultiset final : public PlainObject {
 public:
  PlainMultiset(const Blueprint& blueprint, std::span<const std::int64_t> content) : PlainObject(blueprint) {
    for (std::size_t i = 0; i + 1 < content.size(); i += 2)
      counts_[static_cast<std::int32_t>(content[i])] = content[i + 1];
  }
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override { return std::make_unique<PlainMultiset>(*this); }
  bool take(const Instruction& op) override {
    std::int64_t& count = counts_[op.first];
    const bool some = count > 0;
    switch (op.code) {
      case Code::kAdd:
        ++count;
        return true;
      case Code::kRemove:
        if (some) --count;
        return op.allows(truth(some));
      default:
        return op.code == Code::kReadCount && (op.want == kAny || op.wanted == count);
    }
  }

 private:
  std::unordered_map<std::int32_t, std::int64_t> counts_;
};

/// A queue, a stack or a deque.
class PlainDeque final : public PlainObject {
 public:
  PlainDeque(const Blueprint& blueprint, std::span<const std::int64_t> content) : PlainObject(blueprint) {
    for (const std::int64_t item : content) items_.push_back(static_cast<std::int32_t>(item));
  }
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override { return std::make_unique<PlainDeque>(*this); }
  bool take(const Instruction& op) override {
    switch (op.code) {
      case Code::kEnqueue: {
        const bool full = blueprint().capacity && std::cmp_greater_equal(items_.size(), *blueprint().capacity);
        if (!full) items_.push_back(op.first);
        return op.allows(truth(!full));
      }
      case Code::kPush:
        items_.push_back(op.first);
        return true;
      case Code::kPushFront:
        items_.push_front(op.first);
        return true;
      case Code::kDequeue:
      case Code::kFront: {
        const bool agrees = op.allows(items_.empty() ? null() : items_.front());
        if (op.code == Code::kDequeue && !items_.empty()) items_.pop_front();
        return agrees;
      }
      case Code::kPop:
      case Code::kTop: {
        const bool agrees = op.allows(items_.empty() ? null() : items_.back());
        if (op.code == Code::kPop && !items_.empty()) items_.pop_back();
        return agrees;
      }
      default:
        return false;
    }
  }

 private:
  std::deque<std::int32_t> items_;
};

class PlainPriorityQueue final : public PlainObject {
 public:
  PlainPriorityQueue(const Blueprint& blueprint, std::span<const std::int64_t> content) : PlainObject(blueprint) {
    for (const std::int64_t item : content) push(static_cast<std::int32_t>(item));
  }
  [[nodiscard]] std::unique_ptr<PlainObject> copy() const override {
    return std::make_unique<PlainPriorityQueue>(*this);
  }
  bool take(const Instruction& op) override {
    if (op.code == Code::kPush) {
      push(op.first);
      return true;
    }
    if (op.code != Code::kPop && op.code != Code::kTop) return false;
    const bool agrees = op.allows(items_.empty() ? null() : items_.top().second);
    if (op.code == Code::kPop && !items_.empty()) items_.pop();
    return agrees;
  }

 private:
  void push(std::int32_t value) { items_.emplace(blueprint().integers[static_cast<std::size_t>(value)], value); }
  std::priority_queue<std::pair<std::int64_t, std::int32_t>> items_;
};

}  // namespace

std::unique_ptr<PlainObject> plain_object(const Blueprint& blueprint, std::span<const std::int64_t> content) {
  const std::string& kind = blueprint.kind;
  if (kind == "register") return std::make_unique<PlainRegister>(blueprint, content);
  if (kind == "map") return std::make_unique<PlainEntry>(blueprint, content);
  if (kind == "set") return std::make_unique<PlainSet>(blueprint, content);
  if (kind == "multiset") return std::make_unique<PlainMultiset>(blueprint, content);
  if (kind == "semaphore") return std::make_unique<PlainSemaphore>(blueprint, content);
  if (kind == "mutex") return std::make_unique<PlainMutex>(blueprint, content);
  if (kind == "counter" || kind == "fetch-add") return std::make_unique<PlainCounter>(blueprint, content);
  if (kind == "queue" || kind == "stack" || kind == "deque") return std::make_unique<PlainDeque>(blueprint, content);
  return std::make_unique<PlainPriorityQueue>(blueprint, content);
}

}  // namespace linpoint::verdicts
