// SPDX-License-Identifier: Apache-2.0
#include "linpoint/refine/spec_configurations.hpp"

#include <algorithm>

#include "hashing.hpp"

namespace linpoint::refine {

namespace {

constexpr std::size_t kFirstPlaces = 256;

}  // namespace

void DistinctConfigurations::clear(std::uint32_t length) {
  list_.clear(length);
  sum_ = mix(length);
  if (places_.empty()) places_.resize(kFirstPlaces);
  begin_turn();
}

void DistinctConfigurations::begin_turn() {
  if (++turn_ != 0) return;
  std::fill(places_.begin(), places_.end(), Place{});
  turn_ = 1;
}

std::uint64_t DistinctConfigurations::hash_of(const std::uint32_t* words) const {
  std::uint64_t hash = 0;
  for (std::uint32_t i = 0; i < list_.length(); ++i) {
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32U;
  }
  return mix(hash);
}

std::pair<std::size_t, bool> DistinctConfigurations::find(const std::uint32_t* words, std::uint64_t hash) const {
  const std::size_t mask = places_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Place& place = places_[at];
    if (place.turn != turn_) return {at, false};
    if (std::equal(words, words + list_.length(), list_[place.number])) return {at, true};
  }
}

bool DistinctConfigurations::add(const std::uint32_t* words) {
  const std::uint64_t hash = hash_of(words);
  const auto [at, known] = find(words, hash);
  if (known) return false;
  places_[at] = {turn_, static_cast<std::uint32_t>(list_.size())};
  list_.add(words);
  sum_ += hash;
  if (list_.size() * 2 > places_.size()) widen();
  return true;
}

bool DistinctConfigurations::has(const std::uint32_t* words) const { return find(words, hash_of(words)).second; }

void DistinctConfigurations::widen() {
  places_.assign(places_.size() * 4, Place{});
  turn_ = 1;
  for (std::size_t i = 0; i < list_.size(); ++i)
    places_[find(list_[i], hash_of(list_[i])).first] = {turn_, static_cast<std::uint32_t>(i)};
}

}  // namespace linpoint::refine
