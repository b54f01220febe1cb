// SPDX-License-Identifier: Apache-2.0
// Descriptors of multi-word operations, in persistent memory of their own.
//
// Only its owner writes a descriptor, before other threads can reach it. A descriptor is never reused within a run: a
// slow helper, or an image that a crash restores, may refer to it at any later time.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "memory.hpp"

struct Change {
  std::size_t address;
  Bits expected;
  Bits desired;
};

// The status: undecided, succeeded, or failed with the position of the mismatched word. Zero in the image means that
// the descriptor itself never became durable.
namespace status {
inline constexpr Bits kUndecided = 1;
inline constexpr Bits kSucceeded = 2;
inline constexpr Bits kFailed = 3;
inline constexpr Bits kAborted = kFailed | (0xFFU << 8U);  // failed by recovery: no word is reported
constexpr Bits failed_at(std::size_t position) { return kFailed | (Bits{position} << 8U); }
constexpr std::size_t blamed(Bits status) { return (status & ~kDirty) >> 8U; }
constexpr bool succeeded(Bits status) { return (status & ~kDirty) == kSucceeded; }
}  // namespace status

struct Descriptor {
  std::atomic<Bits> status{0};
  std::atomic<Bits> status_image{0};
};

// Identifies a descriptor: its owner in bits 40 to 47, its number below. An install mark has the word's position above.
using Reference = Bits;
inline constexpr unsigned kOwnerShift = 40;
inline constexpr unsigned kPositionShift = 48;
inline constexpr std::size_t kOwners = 256;
inline constexpr std::size_t kPositions = 64;

constexpr Reference descriptor_of(Bits bits) { return bits & ((Bits{1} << kPositionShift) - 1); }
constexpr std::size_t position_of(Bits bits) { return (bits >> kPositionShift) % kPositions; }
constexpr Bits install_mark(Reference reference, std::size_t position) {
  return kInstall | (Bits{position} << kPositionShift) | reference;
}

class Descriptors {
 public:
  Descriptors(std::size_t owners, std::size_t words) : words_(words), arenas_(owners) {}

  // A new descriptor with its changes ordered by address. Not yet durable.
  Reference make(std::size_t owner, std::span<const Change> changes) {
    Arena& arena = arenas_[owner];
    const std::size_t number = arena.used++;
    if (number % kChunk == 0) arena.grow(number / kChunk, words_);
    const Reference reference = (Bits{owner} << kOwnerShift) | number;
    const std::span<Change> own = this->changes(reference);
    std::copy(changes.begin(), changes.end(), own.begin());
    std::sort(own.begin(), own.end(), [](const Change& one, const Change& two) { return one.address < two.address; });
    at(reference).status.store(status::kUndecided);
    return reference;
  }

  Descriptor& at(Reference reference) {
    const std::size_t number = number_of(reference);
    return chunk_of(reference).descriptors[number % kChunk];
  }

  std::span<Change> changes(Reference reference) {
    return {&chunk_of(reference).changes[number_of(reference) % kChunk * words_], words_};
  }

  // Except for the owner's first flush, only decided statuses are flushed: whichever comes last, the image is correct.
  void flush(Steps& steps, Memory& memory, Reference reference) {
    memory.flush_latency(steps);
    Descriptor& descriptor = at(reference);
    descriptor.status_image.store(descriptor.status.load());
  }

  // The latest descriptor of an owner, if it has created one.
  [[nodiscard]] bool has_latest(std::size_t owner) const { return arenas_[owner].used > 0; }
  [[nodiscard]] Reference latest(std::size_t owner) const {
    return (Bits{owner} << kOwnerShift) | (arenas_[owner].used - 1);
  }

 private:
  static constexpr std::size_t kChunk = 1U << 12U;
  static constexpr std::size_t kChunks = 1U << 14U;

  struct Chunk {
    explicit Chunk(std::size_t words) : descriptors(kChunk), changes(kChunk * words) {}
    std::vector<Descriptor> descriptors;
    std::vector<Change> changes;
  };

  struct alignas(64) Arena {
    std::size_t used = 0;
    std::vector<std::unique_ptr<Chunk>> chunks{kChunks};

    // The table has its full size from the start, so that other threads may look up references while it fills.
    void grow(std::size_t position, std::size_t words) {
      if (position == kChunks) throw std::length_error("a thread made too many descriptors; take fewer operations");
      chunks[position] = std::make_unique<Chunk>(words);
    }
  };

  static std::size_t number_of(Reference reference) { return reference & ((Bits{1} << kOwnerShift) - 1); }
  static std::size_t owner_of(Reference reference) { return (reference >> kOwnerShift) % kOwners; }
  Chunk& chunk_of(Reference reference) { return *arenas_[owner_of(reference)].chunks[number_of(reference) / kChunk]; }

  std::size_t words_;
  std::vector<Arena> arenas_;
};
