// SPDX-License-Identifier: Apache-2.0
#include "specs/memory_operations.hpp"

#include <algorithm>
#include <span>

namespace linpoint::specs {
namespace {

using histories::Lists;

/// The tokens of a list, its length first; empty if the value is not a list.
std::span<const std::int32_t> tokens_of(const histories::Columns& columns, std::int32_t value) {
  if (value > Lists::kFirst || !columns.lists) return {};
  return (*columns.lists)[static_cast<std::size_t>(Lists::kFirst - value)];
}

bool is_list(std::int32_t token) { return token <= Lists::kFirst && token > Lists::kFirstObject; }

}  // namespace

Words::Words(const histories::Columns& columns, const Blueprint& blueprint)
    : columns_(columns), blueprint_(blueprint), register_(blueprint.kind == "register"), compiler_(columns, blueprint) {
  for (const std::string& name : blueprint.names) {
    Kind kind = Kind::kOther;
    if (name == "read") kind = Kind::kRead;
    if (name == "mwcas") kind = Kind::kCas;
    if (name == "mwswap") kind = Kind::kSwap;
    if (name == "mwwrite") kind = Kind::kWrite;
    kinds_.push_back(kind);
  }
}

std::size_t Words::width(Kind kind) {
  if (kind == Kind::kRead) return 1;
  return kind == Kind::kCas ? 3 : 2;
}

bool Words::read_cells(std::size_t position, Kind kind, std::vector<Cell>& cells) const {
  cells.clear();
  const auto arguments = columns_.arguments_of(position);
  if (arguments.size() != 1 || kind == Kind::kOther) return false;
  const auto tokens = tokens_of(columns_, arguments[0]);
  if (tokens.empty() || !is_list(tokens[0])) return false;
  const auto count = static_cast<std::size_t>(Lists::kFirst - tokens[0]);
  const std::size_t wide = width(kind);
  const std::size_t stride = wide == 1 ? 1 : wide + 1;
  if (tokens.size() != 1 + count * stride) return false;
  cells.resize(count);
  const std::int32_t* at = tokens.data() + 1;
  for (Cell& cell : cells) {
    if (wide > 1 && *at++ != Lists::list_of(static_cast<std::int32_t>(wide))) return false;
    if (std::any_of(at, at + wide, [](std::int32_t token) { return token < 0; })) return false;
    cell.word = at[0];
    cell.seen = kind == Kind::kCas ? at[1] : kAny;
    cell.fresh = wide == 1 ? kAny : at[wide - 1];
    at += wide;
  }
  return true;
}

bool Words::fits(std::size_t position, std::vector<Cell>& cells) const {
  const Kind kind = kinds_[static_cast<std::size_t>(columns_.name[position])];
  if (!read_cells(position, kind, cells)) return false;
  if (kind == Kind::kRead) return true;
  constexpr std::size_t kFew = 16;
  if (cells.size() <= kFew) {
    for (std::size_t i = 1; i < cells.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (cells[i].word == cells[j].word) return false;
    return true;
  }
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.word < b.word; });
  return std::adjacent_find(cells.begin(), cells.end(),
                            [](const Cell& a, const Cell& b) { return a.word == b.word; }) == cells.end();
}

Effect Words::read(std::size_t position, std::vector<Cell>& cells) const {
  if (register_) return of_register(position, cells);
  const Kind kind = kinds_[static_cast<std::size_t>(columns_.name[position])];
  if (!read_cells(position, kind, cells)) return Effect::kUnclear;
  if (!columns_.certain(position)) {
    if (kind == Kind::kRead) return Effect::kNothing;
    return kind == Kind::kCas ? Effect::kMayReplace : Effect::kMaySwap;
  }
  if (kind == Kind::kCas) return of_cas(position, cells);
  if (kind == Kind::kWrite) {
    const std::int32_t result = columns_.result[position];
    const bool given = result == blueprint_.constants.null || result == blueprint_.constants.yes;
    return given ? Effect::kWrites : Effect::kImpossible;
  }
  const Effect effect = seen_values(position, cells);
  return effect == Effect::kSees && kind == Kind::kSwap ? Effect::kReplaces : effect;
}

/// The values that the result lists become the observed values.
Effect Words::seen_values(std::size_t position, std::vector<Cell>& cells) const {
  const auto tokens = tokens_of(columns_, columns_.result[position]);
  if (tokens.empty() || tokens[0] != Lists::list_of(static_cast<std::int32_t>(cells.size())))
    return Effect::kImpossible;
  if (tokens.size() != 1 + cells.size()) return Effect::kUnclear;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (tokens[i + 1] < 0) return Effect::kUnclear;
    cells[i].seen = tokens[i + 1];
  }
  return Effect::kSees;
}

Effect Words::of_cas(std::size_t position, std::vector<Cell>& cells) const {
  const std::int32_t result = columns_.result[position];
  if (result == blueprint_.constants.yes) return Effect::kReplaces;
  if (result == blueprint_.constants.null) return Effect::kUnobserved;
  if (result == blueprint_.constants.no) return cells.empty() ? Effect::kImpossible : Effect::kFails;
  const auto tokens = tokens_of(columns_, result);
  if (tokens.empty()) return Effect::kImpossible;
  if (tokens[0] == Lists::object_of(1)) {
    if (tokens.size() != 3 || tokens[1] != blueprint_.at) return Effect::kImpossible;
    const auto blamed =
        std::find_if(cells.begin(), cells.end(), [&](const Cell& each) { return each.word == tokens[2]; });
    if (blamed == cells.end()) return Effect::kImpossible;
    cells = {*blamed};
    return Effect::kFails;
  }
  std::vector<Cell> seen = cells;
  const Effect effect = seen_values(position, seen);
  if (effect != Effect::kSees) return effect;
  const bool expected = std::equal(cells.begin(), cells.end(), seen.begin(),
                                   [](const Cell& a, const Cell& b) { return a.seen == b.seen; });
  if (expected) return Effect::kReplaces;
  cells = std::move(seen);
  return Effect::kSees;
}

Effect Words::of_register(std::size_t position, std::vector<Cell>& cells) const {
  cells.clear();
  const bool loose = !columns_.certain(position);
  const auto found = compiler_.compile(position, loose);
  if (!found) return Effect::kUnclear;
  const Instruction& op = *found;
  switch (op.code) {
    case Code::kRead:
      if (loose) return Effect::kNothing;
      cells = {{kTheWord, op.want, kAny}};
      return Effect::kSees;
    case Code::kSwap:
      cells = {{kTheWord, op.want, op.first}};
      return loose ? Effect::kMaySwap : Effect::kReplaces;
    case Code::kWrite:
      cells = {{kTheWord, kAny, op.first}};
      return loose ? Effect::kMaySwap : Effect::kWrites;
    case Code::kCas:
      cells = {{kTheWord, op.first, op.second}};
      if (loose) return Effect::kMayReplace;
      if (op.want == blueprint_.constants.yes) return Effect::kReplaces;
      if (op.want == blueprint_.constants.no) return Effect::kFails;
      return op.want == kAny ? Effect::kUnobserved : Effect::kImpossible;
    default:
      return Effect::kImpossible;
  }
}

}  // namespace linpoint::specs
