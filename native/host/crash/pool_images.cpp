// SPDX-License-Identifier: Apache-2.0
#include "host/crash/pool_images.hpp"

#include <algorithm>
#include <cstring>

#include "host/core/crash_mode.hpp"

namespace linpoint::runtime::crash {

namespace {

std::uint64_t word_at(const std::byte* memory, std::uint64_t address) {
  std::uint64_t word = 0;
  std::memcpy(&word, memory + (address - Pool::kBegin), sizeof word);
  return word;
}

/// The contribution of words to the hash of an image. Most of a pool is zero, and contributes nothing.
Hash hash_of_words(const std::byte* memory, std::uint64_t address, std::uint64_t size) {
  Hash hash = 0;
  const std::uint64_t last = persistency::word_of(address + size - 1);
  for (std::uint64_t at = persistency::word_of(address); at <= last; at += persistency::kWordSize)
    if (const std::uint64_t word = word_at(memory, at); word != 0) hash += mixed(at, word);
  return hash;
}

/// Writes bytes, and returns the resulting change of the hash.
Hash write(std::byte* memory, std::uint64_t address, std::uint64_t size, const std::byte* value) {
  const Hash before = hash_of_words(memory, address, size);
  std::memcpy(memory + (address - Pool::kBegin), value, size);
  return hash_of_words(memory, address, size) - before;
}

}  // namespace

bool Images::prepare() {
  least_ = map_memory(the_pool.span());
  initial_ = map_memory(the_pool.span());
  return least_ != nullptr && initial_ != nullptr;
}

void Images::begin(std::span<const std::byte> initial) {
  std::memcpy(initial_, initial.data(), initial.size());
  if (initial.size() < extent_) std::memset(initial_ + initial.size(), 0, extent_ - initial.size());
  extent_ = std::max(initial.size(), extent_);
  std::memcpy(least_, initial_, extent_);
  std::memcpy(the_pool.memory(), initial_, extent_);
  settled_.clear();
  hash_ = initial_hash_ = extent_ == 0 ? 0 : hash_of_words(initial_, Pool::kBegin, extent_);
}

void Images::begin_line(std::uint64_t line, const std::byte* bytes) {
  const std::uint64_t address = Pool::kBegin + line * kLine;
  initial_hash_ -= hash_of_words(initial_, address, kLine);
  for (std::byte* image : {initial_, least_, the_pool.memory()}) std::memcpy(image + line * kLine, bytes, kLine);
  hash_ = initial_hash_ += hash_of_words(initial_, address, kLine);
  extent_ = std::max<std::size_t>(extent_, (line + 1) * kLine);
}

void Images::copy_once() {
  restore();
  std::memcpy(the_pool.memory(), least_, extent_);
}

void Images::restart() {
  restore();
  for (const std::uint64_t line : settled_)
    for (std::byte* image : {least_, the_pool.memory()})
      std::memcpy(image + line * kLine, initial_ + line * kLine, kLine);
  settled_.clear();
  hash_ = initial_hash_;
}

void Images::reach(std::uint64_t address) {
  extent_ = std::clamp<std::size_t>(address - Pool::kBegin, extent_, the_pool.span());
}

void Images::settle(const persistency::Event& store) {
  hash_ += write(least_, store.address, store.size, store.value.data());
  settled_.push_back(static_cast<std::uint32_t>((store.address - Pool::kBegin) / kLine));
  std::memcpy(the_pool.at(store.address), store.value.data(), store.size);
}

Hash Images::put(std::span<const persistency::Write> writes) const {
  Hash hash = hash_;
  for (const persistency::Write& each : writes) {
    note_written(each.address, each.size);
    hash += write(the_pool.memory(), each.address, each.size, each.value);
  }
  return hash;
}

void Images::restore() {
  for (std::size_t each = 0; each < hot.written_count; ++each) {
    const std::uint64_t line = hot.written[each];
    hot.marks[line] = 0;
    if (line * kLine < the_pool.span()) std::memcpy(the_pool.memory() + line * kLine, least_ + line * kLine, kLine);
  }
  hot.written_count = 0;
  for (std::size_t each = 0; each < hot.read_count; ++each) hot.marks[hot.read[each]] = 0;
  hot.read_count = 0;
  if (copies_all_) std::memcpy(the_pool.memory(), least_, the_pool.span());
}

bool Images::intact(bool everything) const {
  if (!everything) return std::memcmp(the_pool.memory(), least_, extent_) == 0;
  bool same = true;
  the_pool.for_each_page(
      [&](std::size_t at) { same = same && std::memcmp(the_pool.memory() + at, least_ + at, Pool::kPage) == 0; });
  return same;
}

}  // namespace linpoint::runtime::crash
