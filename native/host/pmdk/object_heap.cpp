// SPDX-License-Identifier: Apache-2.0
#include "host/pmdk/object_heap.hpp"

#include <algorithm>
#include <cerrno>

#include "host/core/crash_mode.hpp"
#include "host/persistent/pool_trace_recorder.hpp"

namespace linpoint::runtime::pmdk {

namespace {

constexpr std::uint64_t kSmallest = 128;
constexpr std::uint64_t kUnit = 64;

std::uint64_t word(std::uint64_t size, BlockState state) { return size | static_cast<std::uint64_t>(state); }

Block& at(pmemobjpool* pop, std::uint64_t offset) { return *static_cast<Block*>(at_offset(pop, offset)); }

bool is_free(pmemobjpool* pop, const Block& block) {
  return block.state() == BlockState::kFree ||
         (block.state() == BlockState::kReserved && block.type != header_of(pop).run);
}

/// The first free block of this size, or the place after the last block; as an offset of the header.
std::uint64_t find_place(pmemobjpool* pop, std::uint64_t size) {
  const std::uint64_t end = header_of(pop).size;
  std::uint64_t offset = PoolHeader::kSize;
  while (offset + sizeof(Block) <= end) {
    const Block& block = at(pop, offset);
    if (block.word == 0 || (block.size() == size && is_free(pop, block))) return offset;
    offset += std::max(block.size(), kUnit);
  }
  return end;
}

}  // namespace

Block& block_of(pmemobjpool* pop, std::uint64_t offset) { return at(pop, offset - sizeof(Block)); }

bool is_object(pmemobjpool* pop, std::uint64_t offset) {
  if (offset < PoolHeader::kSize + sizeof(Block) || offset >= header_of(pop).size) return false;
  if ((offset - sizeof(Block)) % kUnit != 0) return false;
  const Block& block = block_of(pop, offset);
  return block.state() == BlockState::kAllocated || block.state() == BlockState::kRoot ||
         (block.state() == BlockState::kReserved && block.type == header_of(pop).run);
}

void check_object(pmemobjpool* pop, std::uint64_t offset, const char* function, const void* caller) {
  if (is_object(pop, offset)) return;
  const OutOfProgram host;
  fail(Fault::kMemory, std::string(function) + "() receives an object that is not allocated", caller);
}

std::uint64_t reserve(pmemobjpool* pop, std::size_t size, bool zero, const void* caller) {
  if (size == 0) {
    error(EINVAL, "allocation with size 0");
    return 0;
  }
  const std::uint64_t limit = header_of(pop).size;
  const std::uint64_t whole =
      size > limit ? limit : std::max(kSmallest, (size + sizeof(Block) + kUnit - 1) / kUnit * kUnit);
  const std::uint64_t place = find_place(pop, whole);
  if (place + whole > limit) {
    error(ENOMEM, "out of memory");
    return 0;
  }
  Block& block = at(pop, place);
  // In this order: once its size is set, a block counts as free.
  put(block.type, header_of(pop).run, caller);
  put(block.word, word(whole, BlockState::kReserved), caller);
  void* object = &block + 1;
  if (crash::tracing()) crash::the_recorder.allocate(number_of(object), size, caller);
  if (zero) {
    fill(object, 0, block.usable(), caller);
    persist(object, block.usable(), kOwn);
  }
  return place + sizeof(Block);
}

void cancel(pmemobjpool* pop, std::uint64_t offset, const void* caller) {
  Block& block = block_of(pop, offset);
  put(block.word, word(block.size(), BlockState::kFree), caller);
  if (crash::tracing()) crash::the_recorder.free(number_of(&block + 1), caller);
}

void allocate_in(AtomicSection& section, pmemobjpool* pop, std::uint64_t offset, std::uint64_t type, BlockState state) {
  Block& block = block_of(pop, offset);
  section.set(block.type, type);
  section.set(block.word, word(block.size(), state));
}

void free_in(AtomicSection& section, pmemobjpool* pop, std::uint64_t offset, const void* caller) {
  Block& block = block_of(pop, offset);
  section.set(block.word, word(block.size(), BlockState::kFree));
  if (crash::tracing()) crash::the_recorder.free(number_of(&block + 1), caller);
}

std::uint64_t next_object(pmemobjpool* pop, std::uint64_t offset) {
  const std::uint64_t end = header_of(pop).size;
  std::uint64_t place = PoolHeader::kSize;
  if (offset != 0) place = offset - sizeof(Block) + std::max(block_of(pop, offset).size(), kUnit);
  while (place + sizeof(Block) <= end) {
    const Block& block = at(pop, place);
    if (block.word == 0) break;
    if (block.state() == BlockState::kAllocated) return place + sizeof(Block);
    place += std::max(block.size(), kUnit);
  }
  return 0;
}

}  // namespace linpoint::runtime::pmdk
