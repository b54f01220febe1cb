// SPDX-License-Identifier: Apache-2.0
#include "specs/native_operation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace linpoint::specs {
namespace {

/// How a recorded result is compared; see `Returns` of the Python specs.
enum class Returns : std::uint8_t { kValue, kObservation, kSuccess, kNothing };

struct Entry {
  std::string_view kind;
  std::string_view name;
  Code code;
  Returns returns;
};

constexpr std::array kTable{
    Entry{"register", "read", Code::kRead, Returns::kValue},
    Entry{"register", "write", Code::kWrite, Returns::kNothing},
    Entry{"register", "cas", Code::kCas, Returns::kSuccess},
    Entry{"register", "swap", Code::kSwap, Returns::kValue},
    Entry{"map", "get", Code::kGet, Returns::kValue},
    Entry{"map", "put", Code::kPut, Returns::kNothing},
    Entry{"map", "insert", Code::kInsert, Returns::kSuccess},
    Entry{"map", "delete", Code::kDelete, Returns::kSuccess},
    Entry{"map", "erase", Code::kDelete, Returns::kSuccess},
    Entry{"map", "remove", Code::kDelete, Returns::kSuccess},
    Entry{"map", "append", Code::kAppend, Returns::kNothing},
    Entry{"map", "cas", Code::kCasEntry, Returns::kSuccess},
    Entry{"map", "contains", Code::kContains, Returns::kObservation},
    Entry{"set", "add", Code::kAdd, Returns::kSuccess},
    Entry{"set", "remove", Code::kRemove, Returns::kSuccess},
    Entry{"set", "contains", Code::kHas, Returns::kObservation},
    Entry{"mutex", "acquire", Code::kAcquire, Returns::kNothing},
    Entry{"mutex", "release", Code::kRelease, Returns::kNothing},
    Entry{"mutex", "try-acquire", Code::kTryAcquire, Returns::kSuccess},
    Entry{"queue", "enqueue", Code::kEnqueue, Returns::kNothing},
    Entry{"queue", "dequeue", Code::kDequeue, Returns::kValue},
    Entry{"queue", "peek", Code::kFront, Returns::kValue},
    Entry{"stack", "push", Code::kPush, Returns::kNothing},
    Entry{"stack", "pop", Code::kPop, Returns::kValue},
    Entry{"stack", "peek", Code::kTop, Returns::kValue},
    Entry{"deque", "push-front", Code::kPushFront, Returns::kNothing},
    Entry{"deque", "push-back", Code::kPush, Returns::kNothing},
    Entry{"deque", "pop-front", Code::kDequeue, Returns::kValue},
    Entry{"deque", "pop-back", Code::kPop, Returns::kValue},
    Entry{"priority-queue", "insert", Code::kPush, Returns::kNothing},
    Entry{"priority-queue", "delete-max", Code::kPop, Returns::kValue},
    Entry{"priority-queue", "peek", Code::kTop, Returns::kValue},
    Entry{"counter", "increment", Code::kCount, Returns::kNothing},
    Entry{"counter", "decrement", Code::kCount, Returns::kNothing},
    Entry{"counter", "add", Code::kCount, Returns::kNothing},
    Entry{"counter", "read", Code::kReadCount, Returns::kValue},
    Entry{"fetch-add", "fetch-add", Code::kFetchAdd, Returns::kValue},
    Entry{"semaphore", "acquire", Code::kAcquire, Returns::kNothing},
    Entry{"semaphore", "release", Code::kRelease, Returns::kNothing},
    Entry{"semaphore", "try-acquire", Code::kTryAcquire, Returns::kSuccess},
    Entry{"multiset", "add", Code::kAdd, Returns::kNothing},
    Entry{"multiset", "remove", Code::kRemove, Returns::kSuccess},
    Entry{"multiset", "count", Code::kReadCount, Returns::kValue},
};

/// The maximum amounts by which a counter may change per step, and in total: up to these, integers and floats count
/// alike.
constexpr std::int64_t kMostAdded = 1'073'741'824;          // 2^30
constexpr std::int64_t kMostInAll = 4'503'599'627'370'496;  // 2^52

/// Records the required result. False if the spec never returns it.
bool wants(Instruction& instruction, Returns returns, std::int32_t result, const Blueprint& blueprint) {
  const bool null = result == blueprint.constants.null;
  if (returns == Returns::kNothing) return null || result == blueprint.constants.yes;
  if (returns != Returns::kSuccess || !null) instruction.want = result;
  return true;
}

bool counts(Instruction& instruction, std::string_view name, const Blueprint& blueprint, std::int64_t most) {
  const auto integer = [&](std::int32_t value) { return blueprint.integers[static_cast<std::size_t>(value)]; };
  if (instruction.code != Code::kCount && instruction.want != kAny) {
    instruction.wanted = integer(instruction.want);
    if (instruction.wanted == kNoInteger) instruction.code = Code::kImpossible;
  }
  if (instruction.code == Code::kReadCount || instruction.code == Code::kImpossible) return true;
  if (name == "increment" || name == "decrement") {
    instruction.amount = name == "increment" ? 1 : -1;
    return true;
  }
  instruction.amount = integer(instruction.first);
  return instruction.amount != kNoInteger && instruction.amount <= most && instruction.amount >= -most;
}

}  // namespace

Compiler::Compiler(const histories::Columns& columns, const Blueprint& blueprint)
    : columns_(columns),
      blueprint_(blueprint),
      most_added_(std::min(kMostAdded, kMostInAll / (static_cast<std::int64_t>(columns.size()) + 1))) {
  for (const std::string& name : blueprint.names) {
    const auto* const entry = std::find_if(kTable.begin(), kTable.end(), [&](const Entry& each) {
      return each.kind == blueprint.kind && each.name == name;
    });
    entries_.push_back(entry == kTable.end() ? histories::kNone : static_cast<std::int32_t>(entry - kTable.begin()));
  }
}

std::optional<Instruction> Compiler::compile(std::size_t position, bool loose) const {
  const std::int32_t place = entries_[static_cast<std::size_t>(columns_.name[position])];
  if (place == histories::kNone) return std::nullopt;
  const Entry& entry = kTable[static_cast<std::size_t>(place)];
  Instruction instruction{.code = entry.code};
  auto arguments = columns_.arguments_of(position);
  if (blueprint_.key_argument && columns_.key[position] == histories::kNone) arguments = arguments.subspan(1);
  if (!arguments.empty()) instruction.first = arguments[0];
  if (arguments.size() > 1) instruction.second = arguments[1];
  const bool bounded = entry.code == Code::kEnqueue && blueprint_.capacity;
  if (!loose && !wants(instruction, bounded ? Returns::kSuccess : entry.returns, columns_.result[position], blueprint_))
    return Instruction{};
  const bool counter = entry.code == Code::kCount || entry.code == Code::kReadCount || entry.code == Code::kFetchAdd;
  if (counter && !counts(instruction, entry.name, blueprint_, most_added_)) return std::nullopt;
  return instruction;
}

}  // namespace linpoint::specs
