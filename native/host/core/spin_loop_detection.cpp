// SPDX-License-Identifier: Apache-2.0
#include "host/core/spin_loop_detection.hpp"

#include <algorithm>
#include <cstring>

namespace linpoint::runtime {

std::uint64_t hash_words(const std::uint64_t* from, const std::uint64_t* to, std::uint64_t seed) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  // Four lanes, since a multiplication has the latency of four.
  std::array<std::uint64_t, 4> lanes{seed, seed + 1, seed + 2, seed + 3};
  const auto mix = [](std::uint64_t lane, std::uint64_t word) {
    lane = (lane ^ word) * kFactor;
    return lane ^ (lane >> 32);
  };
  for (; to - from >= 4; from += 4)
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = mix(lanes[lane], from[lane]);
  for (; from < to; ++from) lanes[0] = mix(lanes[0], *from);
  std::uint64_t number = lanes[0];
  for (std::size_t lane = 1; lane < lanes.size(); ++lane) number = mix(number, lanes[lane]);
  return number;
}

void Spinning::clear() {
  stands_.clear();
  reads_.clear();
  head_ = 0;
}

bool Spinning::repeats(std::uint64_t standing, std::uint64_t locks) {
  for (const Stand& stand : stands_)
    if (stand.standing == standing && stand.reads < reads_.size()) {
      head_ = stand.reads;
      locked_ = stand.locks != locks;
      complete_ = stand.missed == missed_;
      return true;
    }
  if (reads_.size() >= kMost || stands_.size() >= kMost) clear();
  stands_.push_back({standing, reads_.size(), locks, missed_});
  return false;
}

void Spinning::read(std::uint64_t address, std::size_t size) {
  if (stands_.empty() || reads_.size() >= 2 * kMost) return;
  for (std::size_t done = 0; done < size; done += memory::kWidest) {
    Read& read = reads_.emplace_back();
    read.address = address + done;
    read.size = static_cast<std::uint32_t>(std::min(size - done, memory::kWidest));
    std::memcpy(read.value.data(), reinterpret_cast<const void*>(read.address), read.size);
  }
}

bool Spinning::changed(const memory::StoreBuffer& buffer) const { return changed(repeated(), buffer); }

bool Spinning::changed(std::span<const Read> reads, const memory::StoreBuffer& buffer) {
  return std::any_of(reads.begin(), reads.end(), [&](const Read& read) {
    std::array<std::byte, memory::kWidest> now;
    buffer.look(read.address, read.size, now.data());
    return std::memcmp(now.data(), read.value.data(), read.size) != 0;
  });
}

void Spinning::Rounds::learn(std::uint64_t standing, std::span<const Read> reads) {
  if (reads.size() > kMostReads || count_ >= kMostRounds) return;
  std::list<std::vector<Read>>& known = rounds_[standing];
  const bool fresh = std::none_of(known.begin(), known.end(), [&](const std::vector<Read>& round) {
    return std::equal(round.begin(), round.end(), reads.begin(), reads.end());
  });
  if (!fresh) return;
  ++count_;
  known.emplace_back(reads.begin(), reads.end());
}

const std::vector<Spinning::Read>* Spinning::Rounds::futile(std::uint64_t standing,
                                                            const memory::StoreBuffer& buffer) const {
  if (count_ == 0) return nullptr;
  const auto known = rounds_.find(standing);
  if (known == rounds_.end()) return nullptr;
  for (const std::vector<Read>& round : known->second)
    if (!changed(round, buffer)) return &round;
  return nullptr;
}

}  // namespace linpoint::runtime
