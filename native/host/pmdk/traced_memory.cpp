// SPDX-License-Identifier: Apache-2.0
// Memory accesses by functions of PMDK, as events of the trace.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "host/core/crash_mode.hpp"
#include "host/persistent/pool_trace_recorder.hpp"
#include "host/pmdk/pmdk.hpp"

namespace linpoint::runtime::pmdk {

namespace {

using persistency::Kind;

/// libpmem's flags: PMEM_F_MEM_*.
constexpr unsigned kNoDrain = 1U << 0U;
constexpr unsigned kNonTemporal = 1U << 1U;
constexpr unsigned kTemporal = 1U << 2U;
constexpr unsigned kWriteCombine = 1U << 3U;
constexpr unsigned kWriteBack = 1U << 4U;
constexpr unsigned kKeepInCache = 1U << 5U;  ///< NOFLUSH
/// Shorter stores go through the caches: PMEM_MOVNT_THRESHOLD.
constexpr std::size_t kPastCaches = 256;

constexpr std::size_t kLongestError = 256;
std::array<char, kLongestError> last_error{};

bool is_traced() { return crash::tracing() && phase == Phase::kPersistent; }

bool goes_past_caches(std::size_t size, unsigned flags) {
  if ((flags & kKeepInCache) != 0 || (flags & (kTemporal | kWriteBack)) != 0) return false;
  return (flags & (kNonTemporal | kWriteCombine)) != 0 || size >= kPastCaches;
}

/// Records bytes that are already in memory, and were stored in ascending order.
void tell(const void* begin, std::size_t size, Kind kind, const void* caller) {
  persistency::for_each_part(number_of(begin), size, [&](std::uint64_t at, std::uint64_t part) {
    crash::the_recorder.stored(at, part, kind, caller);
  });
}

/// `change` stores [to, to + size); with `past_caches`, whole lines of that bypass the caches.
template <typename Change>
void store(void* to, std::size_t size, bool past_caches, const void* caller, Change&& change) {
  if (size == 0) return;
  crash::note_written(number_of(to), size);
  const bool traced = is_traced();
  if (traced) crash::the_recorder.settle_all();
  change();
  if (!traced) return;
  if (!past_caches) {
    tell(to, size, Kind::kStore, caller);
    return;
  }
  const std::uint64_t line = crash::kLine;
  auto* begin = static_cast<std::byte*>(to);
  const std::size_t head = std::min<std::size_t>(size, (line - number_of(to) % line) % line);
  const std::size_t body = (size - head) / line * line;
  tell(begin, head, Kind::kStore, caller);
  tell(begin + head, body, Kind::kNonTemporal, caller);
  tell(begin + head + body, size - head - body, Kind::kStore, caller);
  // libpmem flushes parts that do not fill a line.
  flush(begin, head, caller);
  flush(begin + head + body, size - head - body, caller);
}

void end_of_store(const void* to, std::size_t size, unsigned flags, bool past_caches, const void* caller) {
  if ((flags & kKeepInCache) != 0) return;
  if (!past_caches) flush(to, size, caller);
  if ((flags & kNoDrain) == 0) fence(caller);
}

}  // namespace

namespace {
bool used = false;
}

bool in_use() { return used; }

void called(const char* function, const void* caller) {
  if (!crash::on() || phase != Phase::kPersistent) {
    const OutOfProgram host;
    refuse(std::string("the program calls ") + function + "() outside of a test of linpoint crash");
  }
  crash::spend(caller);
  if (used) return;
  used = true;
  const OutOfProgram host;
  qualify("libpmem and libpmemobj are modelled: PMDK's own code is assumed to be correct");
}

void not_modelled(const char* function) {
  const OutOfProgram host;
  refuse(std::string("the program calls ") + function + "(), which the PMDK model does not support");
}

void fatal(const char* function, std::string_view why, const void* caller) {
  const OutOfProgram host;
  fail(Fault::kCrash, std::string(function) + "() " + std::string(why) + ", where libpmemobj aborts", caller);
}

int error(int number, std::string_view message) {
  const std::size_t size = std::min(message.size(), kLongestError - 1);
  std::memcpy(last_error.data(), message.data(), size);
  last_error[size] = '\0';
  errno = number;
  return -1;
}

const char* error_message() { return last_error.data(); }

void copy(void* to, const void* from, std::size_t size, const void* caller) {
  store(to, size, false, caller, [=] { std::memmove(to, from, size); });
}
void fill(void* to, int value, std::size_t size, const void* caller) {
  store(to, size, false, caller, [=] { std::memset(to, value, size); });
}

void flush(const void* address, std::size_t size, const void* caller, bool at_once) {
  if (!is_traced() || size == 0) return;
  const std::uint64_t end = number_of(address) + size;
  for (std::uint64_t line = persistency::line_of(number_of(address)); line < end; line += crash::kLine)
    crash::the_recorder.flush(line, !at_once, caller);
}

void fence(const void* caller) {
  if (is_traced()) crash::the_recorder.fence(caller);
}

void put(std::uint64_t& word, std::uint64_t value, const void* caller) {
  copy(&word, &value, sizeof word, caller);
  flush(&word, sizeof word, kOwn, true);
}

void put_volatile(std::uint64_t& word, std::uint64_t value) {
  crash::note_written(number_of(&word), sizeof word);
  if (is_traced()) crash::the_recorder.library_object(number_of(&word), sizeof word);
  word = value;
}

void* copy_by_flags(void* to, const void* from, std::size_t size, unsigned flags, const void* caller) {
  crash::plain_range(from, size, false, caller);
  const bool past = goes_past_caches(size, flags);
  store(to, size, past, caller, [=] { std::memmove(to, from, size); });
  end_of_store(to, size, flags, past, caller);
  return to;
}

void* fill_by_flags(void* to, int value, std::size_t size, unsigned flags, const void* caller) {
  const bool past = goes_past_caches(size, flags);
  store(to, size, past, caller, [=] { std::memset(to, value, size); });
  end_of_store(to, size, flags, past, caller);
  return to;
}

}  // namespace linpoint::runtime::pmdk
