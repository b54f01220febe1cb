// SPDX-License-Identifier: Apache-2.0
// A log in a ring: its length says which records count, and what leaves the ring goes to an archive.
//
// zoo: spec=log kind=BUG_LENGTH:DL2,DL1 BUG_STREAM:DL1 BUG_ARCHIVE:DL1,C2
// scenario: BUG_LENGTH append(1)
// scenario: BUG_STREAM append(1)
// scenario: BUG_ARCHIVE append(1); append(2); append(3); append(4); append(5)
//
// Records are written past the caches by non-temporal stores. Those are durable after a fence, and a flush does nothing
// for them. A record is durable before the length that counts it is stored. One word says both how much is in the
// archive and where the ring begins, so a record is never in none of them.
#include <immintrin.h>

#include <cstdint>
#include <cstdlib>
#include <linpoint/crash.hpp>
#include <mutex>
#include <vector>

namespace {

constexpr std::uint64_t kRing = 4;
constexpr std::uint64_t kChunk = 8;
constexpr std::uint64_t kChunks = 4096;

struct Memory {
  alignas(64) std::uint64_t length;    // of the whole log
  alignas(64) std::uint64_t archived;  // its first records, which are not in the ring
  alignas(64) long long ring[kRing];
  alignas(64) std::int64_t* chunk[kChunks];  // of the archive
};

__attribute__((target("clwb"))) void flush(void* line) { _mm_clwb(line); }
void fence() { _mm_sfence(); }

class RingLog {
 public:
  explicit RingLog(linpoint::Pool& pool) : pool_(&pool), memory_(static_cast<Memory*>(pool.root())) {}

  static RingLog* create(linpoint::Pool& pool) {
    pool.set_root(pool.allocate(sizeof(Memory)));
    return new RingLog(pool);
  }
  static RingLog* recover(linpoint::Pool& pool) { return new RingLog(pool); }

  std::uint64_t append(int value) {
    const std::lock_guard guard(lock_);
    const std::uint64_t index = memory_->length;
    if (index - memory_->archived == kRing) archive();
    long long* record = &memory_->ring[index % kRing];
#ifdef BUG_LENGTH
    memory_->length = index + 1;  // blame: BUG_LENGTH DL2
    flush(&memory_->length);
    fence();
    _mm_stream_si64(record, value);  // completes: BUG_LENGTH
    fence();
#else
    _mm_stream_si64(record, value);  // blame: BUG_STREAM DL1
#ifndef BUG_STREAM
    fence();
#endif
    memory_->length = index + 1;
    flush(&memory_->length);
    fence();
#endif
    return index;
  }

  std::vector<std::int64_t> read() {
    const std::lock_guard guard(lock_);
    std::vector<std::int64_t> all;
    for (std::uint64_t at = 0; at < memory_->length; ++at)
      all.push_back(at < memory_->archived ? memory_->chunk[at / kChunk][at % kChunk] : memory_->ring[at % kRing]);
    return all;
  }

 private:
  // Moves the older half of the ring out of it.
  void archive() {
    const std::uint64_t begin = memory_->archived;
    for (std::uint64_t at = begin; at < begin + kRing / 2; ++at) {
      if (at / kChunk == kChunks) std::abort();  // full
      auto& chunk = memory_->chunk[at / kChunk];
      if (chunk == nullptr) {
        chunk = static_cast<std::int64_t*>(pool_->allocate(kChunk * sizeof(std::int64_t)));
        flush(&chunk);
      }
      chunk[at % kChunk] = memory_->ring[at % kRing];  // blame: BUG_ARCHIVE DL1
#ifndef BUG_ARCHIVE
      flush(&chunk[at % kChunk]);
#endif
    }
    fence();
    memory_->archived = begin + kRing / 2;
    flush(&memory_->archived);
    fence();
  }

  linpoint::Pool* pool_;
  Memory* memory_;
  std::mutex lock_;
};

}  // namespace

LINPOINT_CRASH_TEST(RingLog, append, read)
