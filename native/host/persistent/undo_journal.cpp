// SPDX-License-Identifier: Apache-2.0
#include "host/persistent/undo_journal.hpp"

#include <sys/mman.h>

#include <cstring>

#include "host/core/crash_mode.hpp"
#include "host/persistent/pool.hpp"

namespace linpoint::runtime::pmdk {

Journal the_journal;

namespace {

constexpr std::uint64_t kCapacity = std::uint64_t{1} << 30U;
constexpr std::uint64_t kFirst = 64;

}  // namespace

bool Journal::reserve() {
  void* mapped = ::mmap(nullptr, kCapacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  memory_ = static_cast<std::byte*>(mapped);
  ends() = {kFirst, kFirst};
  return true;
}

std::uint64_t Journal::keep(std::uint64_t chain, const void* address, std::size_t size) {
  const std::uint64_t place = ends().used;
  const std::uint64_t end = (place + sizeof(Entry) + size + 7) / 8 * 8;
  if (size > kCapacity || end > kCapacity) {
    const OutOfProgram host;
    refuse("the transactions of the program change too much memory in one run");
  }
  const Entry entry{chain, reinterpret_cast<std::uint64_t>(address), size};
  std::memcpy(memory_ + place, &entry, sizeof entry);
  std::memcpy(memory_ + place + sizeof entry, address, size);
  ends().used = end;
  if (crash::tracing()) ends().recorded = end;
  return place;
}

bool Journal::has(std::uint64_t place) const {
  return place >= kFirst && place % 8 == 0 && place + sizeof(Entry) <= ends().used &&
         crash::in_pool(entry(place).address) && entry(place).size <= ends().used - place - sizeof(Entry);
}

const Journal::Entry& Journal::entry(std::uint64_t place) const {
  return *reinterpret_cast<const Entry*>(memory_ + place);
}

void Journal::take_back() { ends().used = ends().recorded; }

}  // namespace linpoint::runtime::pmdk
