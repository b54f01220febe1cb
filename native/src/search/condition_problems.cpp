// SPDX-License-Identifier: Apache-2.0
#include "linpoint/search/condition_problems.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "linpoint/histories/time_ranking.hpp"
#include "search/operation_times.hpp"

namespace linpoint::search {
namespace {

using histories::Chain;
using histories::Columns;
using histories::Crash;
using histories::kNoHint;
using histories::kNone;
using histories::Span;

void spell(Problem& problem, Symbol symbol, const specs::Trait& trait) {
  problem.symbol.push_back(symbol);
  problem.reads.push_back(trait.reads ? 1 : 0);
  problem.despairs.push_back(trait.despairs ? 1 : 0);
  problem.revives.push_back(trait.revives ? 1 : 0);
}

void reserve(Problem& problem, std::size_t size, bool with_symbols) {
  problem.position.reserve(size);
  problem.optional.reserve(size);
  for (auto* column : {&problem.call, &problem.ret}) column->reserve(size);
  if (!with_symbols) return;
  problem.symbol.reserve(size);
  for (auto* column : {&problem.reads, &problem.despairs, &problem.revives}) column->reserve(size);
}

/// Marks the operations that nothing overlaps and that leave only one state. Pairs may reach across such a moment.
void settle(Problem& problem, const specs::Machine& machine) {
  if (!problem.before.empty() || !problem.excluded.empty()) return;
  std::int64_t latest = -1;  // the latest return so far
  for (std::size_t op = 0; op < problem.size(); ++op) {
    const bool alone =
        latest < problem.call[op] && (op + 1 == problem.size() || problem.ret[op] < problem.call[op + 1]);
    if (alone && problem.optional[op] == 0 && machine.trait(problem.symbol[op]).determines) problem.settles[op] = 1;
    latest = std::max(latest, problem.ret[op]);
  }
}

/// Adds what a search needs to know of the steps.
void finish(Problem& problem, const specs::Machine& machine) {
  settle(problem, machine);
  problem.hopeless = machine.hopeless();
}

class Builder {
 public:
  Builder(const Columns& columns, const Part& part, Condition condition)
      : columns_(columns), part_(part), condition_(condition), times_(columns, part, condition) {
    position_.reserve(part.positions.size());
    optional_.reserve(part.positions.size());
    for (const std::int32_t position : part.positions) {
      position_.push_back(position);
      optional_.push_back(!columns.certain(at(position)) || relaxed(position) || times_.open(position) ? 1 : 0);
    }
  }

  Problem build(const Alphabet& alphabet, const specs::Machine* machine, State initial) {
    if (condition_ == Condition::kSequential)
      chain_processes();
    else
      rank();
    hints();
    Problem problem = sorted(alphabet, machine);
    problem.initial = initial;
    if (machine != nullptr) finish(problem, *machine);
    return problem;
  }

 private:
  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  [[nodiscard]] bool relaxed(std::int32_t position) const {
    return std::binary_search(part_.relaxed.begin(), part_.relaxed.end(), position);
  }

  void rank() {
    if (condition_ == Condition::kLinearizable && !columns_.skewed && part_.open.empty()) {
      take(histories::rank(columns_, position_));
      return;
    }
    std::vector<Span> spans;
    spans.reserve(position_.size());
    for (const std::int32_t position : position_) spans.push_back(times_.span(at(position)));
    if (columns_.skewed) {
      constrain(processes());
    } else if (condition_ == Condition::kRecoverable) {
      std::vector<Pair> implied;  // by the ranks
      implied.swap(before_);
      constrain(processes());
      implied.swap(before_);
    }
    if (condition_ == Condition::kBufferedDurable) add_eras(spans);
    if (columns_.skewed)  // ranks must ignore processes: their order is already in pairs
      for (Span& span : spans) span.process = kNone;
    take(histories::rank(spans));
  }

  void take(histories::Order order) {
    call_ = std::move(order.calls);
    ret_ = std::move(order.returns);
    constrain(order.chains);
  }

  /// Each era persists once and crashes at its end. A crash of the object spans the uncertainty of its time: the whole
  /// skew, or from the early returns at its time on. Then pairs make persists and crashes alternate.
  void add_eras(std::vector<Span>& spans) {
    using histories::Phase;
    std::int64_t started = OperationTimes::kStart;
    Phase recovery = histories::kRecovery;
    bool turns = columns_.skewed;
    std::int32_t before = kNone;
    const std::size_t operations = spans.size();
    for (const Crash& end : times_.ends()) {
      const bool wide = end.of_object() && columns_.skewed;
      const bool early = end.of_object() && !wide && returns_early(std::span(spans).first(operations), end.time);
      const Phase saved = wide              ? histories::kReturn
                          : end.of_object() ? histories::kObjectSaved
                                            : histories::kEarlyReturn;
      const Phase crash = wide ? histories::kCall : end.of_object() ? histories::kObjectCrash : histories::kCrash;
      const std::int64_t latest = end.of_object() ? end.end : end.time;
      turns = turns || early;
      spans.push_back({kNone, started, latest, recovery, saved});
      spans.push_back(
          {kNone, end.time, latest, early ? histories::kObjectCrashBegins : crash, wide ? histories::kReturn : crash});
      for (const std::int32_t pseudo : {kPersist, kCrashOperation}) {
        const auto index = static_cast<std::int32_t>(position_.size());
        position_.push_back(pseudo);
        optional_.push_back(0);
        if (turns && before != kNone) before_.push_back({before, index});
        before = index;
      }
      started = end.time;
      recovery = wide              ? histories::kCall
                 : early           ? histories::kObjectCrashBegins
                 : end.of_object() ? histories::kObjectRecovery
                                   : histories::kRecovery;
    }
  }

  /// Whether an operation returns at this time because its process crashes.
  static bool returns_early(std::span<const Span> spans, std::int64_t time) {
    return std::any_of(spans.begin(), spans.end(), [&](const Span& each) {
      return each.ret == time && each.return_phase == histories::kEarlyReturn;
    });
  }

  /// Only the order within each process counts. Operations stay in the order of their calls, which finds answers
  /// sooner.
  void chain_processes() {
    std::vector<std::size_t> by_call(position_.size());
    std::iota(by_call.begin(), by_call.end(), 0);
    std::sort(by_call.begin(), by_call.end(),
              [&](std::size_t a, std::size_t b) { return call_of(a) != call_of(b) ? call_of(a) < call_of(b) : a < b; });
    call_.resize(by_call.size());
    for (std::size_t rank = 0; rank < by_call.size(); ++rank) call_[by_call[rank]] = static_cast<std::int64_t>(rank);
    ret_.assign(by_call.size(), kNever);
    constrain(processes());
  }

  [[nodiscard]] std::int64_t call_of(std::size_t index) const { return columns_.call[at(position_[index])]; }

  /// The operations of each process in order.
  [[nodiscard]] std::vector<Chain> processes() const {
    std::map<std::int32_t, Chain> chains;
    for (std::size_t i = 0; i < position_.size(); ++i)
      chains[columns_.process[at(position_[i])]].push_back(static_cast<std::int32_t>(i));
    std::vector<Chain> all;
    for (auto& [process, chain] : chains) {
      const auto end = [&](std::int32_t index) {
        const std::size_t op = at(position_[at(index)]);
        return columns_.certain(op) ? columns_.ret[op] : kNever;
      };
      std::sort(chain.begin(), chain.end(), [&](std::int32_t a, std::int32_t b) {
        return std::tuple(call_of(at(a)), end(a), a) < std::tuple(call_of(at(b)), end(b), b);
      });
      all.push_back(std::move(chain));
    }
    return all;
  }

  /// Pairs that keep each chain in order. Between certain operations, "before" suffices. An optional operation may be
  /// left out, so every later one up to the first certain one excludes it; and those wait for the last certain one
  /// before them.
  void constrain(const std::vector<Chain>& chains) {
    std::vector<std::pair<std::int64_t, std::int32_t>> waiting;  // with the time from which on
    for (const Chain& chain : chains) {
      std::int32_t certain = kNone;
      waiting.clear();
      for (const std::int32_t index : chain) {
        if (certain != kNone) before_.push_back({certain, index});
        for (const auto& [since, other] : waiting)
          if (since <= call_of(at(index))) excluded_.push_back({other, index});
        if (optional_[at(index)] == 0) {
          certain = index;
          std::erase_if(waiting, [&](const auto& each) { return each.first <= call_of(at(index)); });
        } else if (const std::int64_t since = times_.in_turn_since(at(position_[at(index)])); since != kNever) {
          waiting.emplace_back(since, index);
        }
      }
    }
  }

  /// Pairs for order hints: on one object (and in one era), a smaller hint takes effect before a larger one.
  void hints() {
    if (columns_.hint.empty()) return;
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> objects;
    for (std::size_t i = 0; i < position_.size(); ++i) {
      if (position_[i] < 0 || columns_.hint[at(position_[i])] == kNoHint) continue;
      const std::int32_t era = condition_ == Condition::kBufferedDurable ? times_.only_era(at(position_[i])) : 0;
      if (era != kNone) objects[{object(at(position_[i])), era}].push_back(static_cast<std::int32_t>(i));
    }
    for (auto& [object, members] : objects) hints_of(members);
  }

  [[nodiscard]] std::int32_t object(std::size_t op) const {
    if (columns_.key[op] != kNone || !part_.key_argument) return columns_.key[op];
    return columns_.arguments_of(op).front();
  }

  void hints_of(std::vector<std::int32_t>& members) {
    const auto hint = [&](std::int32_t index) { return columns_.hint[at(position_[at(index)])]; };
    std::sort(members.begin(), members.end(),
              [&](std::int32_t a, std::int32_t b) { return hint(a) != hint(b) ? hint(a) < hint(b) : a < b; });
    std::size_t group = 0;  // index of the first hint equal to the current one
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (hint(members[i]) != hint(members[group])) group = i;
      bool certain = false;  // an operation that certainly takes effect keeps everything before it in order
      for (std::size_t j = group; j-- > 0;) {
        if (certain && hint(members[j]) != hint(members[j + 1])) break;
        certain = certain || optional_[at(members[j])] == 0;
        order_by_hint(members[j], members[i]);
      }
    }
  }

  void order_by_hint(std::int32_t first, std::int32_t second) {
    if (ret_[at(first)] < call_[at(second)]) return;  // times already imply it
    (optional_[at(first)] == 0 ? before_ : excluded_).push_back({first, second});
  }

  /// A problem for times alone has neither; a history without operations has no symbols, but may have crashes.
  static bool spelled(const Alphabet& alphabet, const specs::Machine* machine) {
    return machine != nullptr || !alphabet.exact.empty();
  }

  /// The problem with its operations in the order of their calls, without irrelevant ones.
  Problem sorted(const Alphabet& alphabet, const specs::Machine* machine) const {
    const std::int64_t latest = call_.empty() ? -1 : *std::max_element(call_.begin(), call_.end());
    std::vector<std::int32_t> by_call(static_cast<std::size_t>(latest + 1), kNone);  // ranks are distinct and dense
    for (std::size_t i = 0; i < position_.size(); ++i)
      by_call[static_cast<std::size_t>(call_[i])] = static_cast<std::int32_t>(i);
    Problem problem;
    reserve(problem, position_.size(), spelled(alphabet, machine));
    std::vector<std::int32_t> number(position_.size(), kNone);
    for (const std::int32_t old : by_call) {
      if (old == kNone) continue;
      const Symbol symbol = symbol_of(at(old), alphabet);
      const specs::Trait trait = machine == nullptr ? specs::Trait{} : machine->trait(symbol);
      if (optional_[at(old)] != 0 && (trait.reads || trait.idle)) continue;
      number[at(old)] = static_cast<std::int32_t>(problem.size());
      problem.position.push_back(position_[at(old)]);
      problem.call.push_back(call_[at(old)]);
      problem.ret.push_back(ret_[at(old)]);
      problem.optional.push_back(optional_[at(old)]);
      if (spelled(alphabet, machine)) spell(problem, symbol, trait);
    }
    const auto renumber = [&](const std::vector<Pair>& pairs, std::vector<Pair>& out) {
      for (const Pair& pair : pairs) {
        const Pair found{number[at(pair.first)], number[at(pair.second)]};
        if (found.first != kNone && found.second != kNone) out.push_back(found);
      }
    };
    renumber(before_, problem.before);
    renumber(excluded_, problem.excluded);
    problem.settles.resize(problem.symbol.size());
    return problem;
  }

  [[nodiscard]] Symbol symbol_of(std::size_t index, const Alphabet& alphabet) const {
    const std::int32_t position = position_[index];
    if (position == kPersist) return alphabet.persist;
    if (position == kCrashOperation) return alphabet.crash;
    if (alphabet.exact.empty()) return 0;  // it will not be used
    const bool loose = optional_[index] != 0 && !times_.open(position);
    return loose ? alphabet.loose[at(position)] : alphabet.exact[at(position)];
  }

  const Columns& columns_;
  const Part& part_;
  Condition condition_;
  OperationTimes times_;
  std::vector<std::int32_t> position_;
  std::vector<std::uint8_t> optional_;
  std::vector<std::int64_t> call_;
  std::vector<std::int64_t> ret_;
  std::vector<Pair> before_;
  std::vector<Pair> excluded_;
};

}  // namespace

Alphabet alphabet(const histories::Classes& exact, const histories::Classes& loose) {
  Alphabet made{exact.of, loose.of};
  const auto first = static_cast<Symbol>(exact.first.size());
  for (Symbol& symbol : made.loose) symbol += first;
  made.persist = first + static_cast<Symbol>(loose.first.size());
  made.crash = made.persist + 1;
  return made;
}

Problem build(const Columns& columns, const Part& part, Condition condition, const Alphabet& alphabet,
              const specs::Machine* machine, State initial) {
  return Builder(columns, part, condition).build(alphabet, machine, initial);
}

Problem with_steps(const Problem& timed, const Alphabet& alphabet, const specs::Machine& machine, State initial) {
  Problem problem;
  reserve(problem, timed.size(), true);
  for (std::size_t op = 0; op < timed.size(); ++op) {
    const bool optional = timed.optional[op] != 0;
    const Symbol symbol = (optional ? alphabet.loose : alphabet.exact)[static_cast<std::size_t>(timed.position[op])];
    const specs::Trait trait = machine.trait(symbol);
    if (optional && (trait.reads || trait.idle)) continue;
    problem.position.push_back(timed.position[op]);
    problem.call.push_back(timed.call[op]);
    problem.ret.push_back(timed.ret[op]);
    problem.optional.push_back(timed.optional[op]);
    spell(problem, symbol, trait);
  }
  problem.settles.resize(problem.size());
  problem.initial = initial;
  finish(problem, machine);
  return problem;
}

}  // namespace linpoint::search
