// SPDX-License-Identifier: Apache-2.0
// A log whose records prove by themselves that they are whole, so that an append has one fence.
//
// zoo: spec=log kind=BUG_TORN:DL1 BUG_REMAINS:recovery
// scenario: BUG_TORN append(65537)
// two crashes: BUG_REMAINS append(65537), cut off; recovery; append(131074), cut off; recovery; read()
//
// A record has two lines. Each has a part of the value, and behind it, as a line is written back in the order of its
// stores, the number of the record: a line with the right number has the right part. A record counts if both have it.
// After a crash one line of the next record may have its number already, from an append that was cut off. As the next
// append has the same number, the other line of that one would go with it: recovery wipes both, durably.
#include <immintrin.h>

#include <cstdint>
#include <cstdlib>
#include <linpoint/crash.hpp>
#include <mutex>
#include <vector>

namespace {

constexpr std::uint64_t kRecords = 2048;

struct Line {
  std::uint64_t part;
  std::uint64_t number;  // that of the record, from 1 on
  std::uint64_t unused[6];
};
struct Record {
  Line low;
  Line high;
};

__attribute__((target("clflushopt"))) void flush(void* line) { _mm_clflushopt(line); }
void fence() { _mm_sfence(); }

class TornLog {
 public:
  explicit TornLog(linpoint::Pool& pool) : record_(static_cast<Record*>(pool.root())) {}

  static TornLog* create(linpoint::Pool& pool) {
    pool.set_root(pool.allocate(kRecords * sizeof(Record)));
    return new TornLog(pool);
  }

  static TornLog* recover(linpoint::Pool& pool) {
    auto* log = new TornLog(pool);
    while (log->length_ < kRecords && whole(log->record_[log->length_], log->length_ + 1)) ++log->length_;
#ifndef BUG_REMAINS
    if (log->length_ < kRecords) {
      Record& next = log->record_[log->length_];
      next.low.number = 0;
      next.high.number = 0;
      flush(&next.low);
      flush(&next.high);
      fence();
    }
#endif
    return log;
  }

  std::uint64_t append(int value) {
    const std::lock_guard guard(lock_);
    if (length_ == kRecords) std::abort();  // full
    Record& record = record_[length_];
    store(record.low, static_cast<std::uint32_t>(value) & 0xFFFF, length_ + 1);
    store(record.high, static_cast<std::uint32_t>(value) >> 16, length_ + 1);
    fence();
    return length_++;
  }

  std::vector<int> read() {
    const std::lock_guard guard(lock_);
    std::vector<int> all;
    for (std::uint64_t at = 0; at < length_; ++at)
      all.push_back(static_cast<int>(static_cast<std::uint32_t>(record_[at].high.part << 16 | record_[at].low.part)));
    return all;
  }

 private:
  static bool whole(const Record& record, std::uint64_t number) {
#ifdef BUG_TORN
    return record.high.number == number;  // it was written last, and may be durable first
#else
    return record.low.number == number && record.high.number == number;
#endif
  }

  static void store(Line& line, std::uint64_t part, std::uint64_t number) {
    line.part = part;                         // blame: BUG_TORN DL1; BUG_REMAINS recovery
    __atomic_signal_fence(__ATOMIC_SEQ_CST);  // the compiler keeps this order too
    line.number = number;                     // blame: BUG_TORN DL1; BUG_REMAINS recovery
    flush(&line);
  }

  Record* record_;
  std::uint64_t length_ = 0;
  std::mutex lock_;
};

}  // namespace

LINPOINT_CRASH_TEST(TornLog, append, read)
LINPOINT_VALUES(TornLog, "append", "[65537, 131074, 196611, 262148]")
