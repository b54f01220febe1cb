// SPDX-License-Identifier: Apache-2.0
// Traces written by hand, one call per event.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "linpoint/persistency/pool_trace.hpp"

namespace linpoint::tests {

/// Events of a trace; `by` and `in` say who does the following ones and in which operation.
class Script {
 public:
  Script& by(unsigned thread) {
    thread_ = static_cast<std::uint16_t>(thread);
    return *this;
  }
  Script& in(std::uint32_t operation) {
    operation_ = operation;
    return *this;
  }
  Script& at(std::uint64_t code) {
    code_ = code;
    return *this;
  }

  Script& store(std::uint64_t address, std::uint64_t value = 1, unsigned size = 8) {
    return add(persistency::Kind::kStore, address, value, size);
  }
  Script& update(std::uint64_t address, std::uint64_t value = 1, unsigned size = 8) {
    return add(persistency::Kind::kUpdate, address, value, size);
  }
  Script& exchange(std::uint64_t address, std::uint64_t value = 1, unsigned size = 8) {
    return add(persistency::Kind::kExchange, address, value, size);
  }
  Script& failed_update(std::uint64_t address, unsigned size = 8) {
    return add(persistency::Kind::kFence, address, 0, size);
  }
  Script& non_temporal(std::uint64_t address, std::uint64_t value = 1, unsigned size = 8) {
    return add(persistency::Kind::kNonTemporal, address, value, size);
  }
  Script& clflush(std::uint64_t address) { return add(persistency::Kind::kFlush, address, 0, 0); }
  Script& clwb(std::uint64_t address) { return add(persistency::Kind::kFlushLater, address, 0, 0); }
  Script& sfence() { return add(persistency::Kind::kFence, 0, 0, 0); }
  Script& mfence() { return add(persistency::Kind::kFence, 0, 1, 0); }
  Script& read(std::uint64_t address, std::uint64_t value = 0, unsigned size = 8) {
    return add(persistency::Kind::kRead, address, value, size);
  }
  Script& compare(std::uint64_t left, std::uint64_t right) {
    add(persistency::Kind::kCompare, 0, left, 0);
    std::memcpy(events_.back().value.data() + 8, &right, sizeof right);
    return *this;
  }
  Script& allocate(std::uint64_t address, std::uint64_t bytes) {
    return add(persistency::Kind::kAllocate, address, bytes, 0);
  }
  Script& free(std::uint64_t address) { return add(persistency::Kind::kFree, address, 0, 0); }
  Script& lock(std::uint64_t address) { return add(persistency::Kind::kLock, address, 0, 8); }
  Script& unlock(std::uint64_t address) { return add(persistency::Kind::kUnlock, address, 0, 8); }

  [[nodiscard]] const std::vector<persistency::Event>& events() const { return events_; }

  Script& add(persistency::Kind kind, std::uint64_t address, std::uint64_t value, unsigned size) {
    persistency::Event event;
    event.kind = kind;
    event.size = static_cast<std::uint8_t>(size);
    event.thread = thread_;
    event.operation = operation_;
    event.address = address;
    event.code = code_;
    std::memcpy(event.value.data(), &value, sizeof value);
    events_.push_back(event);
    return *this;
  }

 private:
  std::vector<persistency::Event> events_;
  std::uint16_t thread_ = 0;
  std::uint32_t operation_ = persistency::kNoOperation;
  std::uint64_t code_ = 0;
};

}  // namespace linpoint::tests
