// SPDX-License-Identifier: Apache-2.0
// The effects of a program on its pool, one instruction at a time: the processor's trap flag stops it before each, the
// bytes of the instruction show whether it flushes or fences, and a comparison finds the stores of the previous one.
#pragma once

#include <ucontext.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <linpoint/crash.hpp>

namespace naive {

enum class Does : std::uint8_t { kStore, kStreams, kFlush, kFlushLater, kFence, kCall, kReturn };

struct Step {
  Does does = Does::kStore;
  std::uint32_t operation = 0;
  std::uint64_t at = 0;      // in the pool
  std::uint64_t word = 0;    // the stored value
  std::uint64_t cursor = 0;  // of the pool
};

struct Trace {
  static constexpr std::size_t kMost = 100'000;
  std::size_t count = 0;
  Step steps[kMost];
  char results[64][512];  // of operations
};

inline linpoint::Pool the_pool;
inline Trace* the_trace = nullptr;
inline std::uint64_t* shadow = nullptr;
inline std::uint32_t operation = 0;
inline bool streams = false;  // whether the current instruction is non-temporal

inline void add(Does does, std::uint64_t at = 0, std::uint64_t word = 0) {
  if (the_trace->count < Trace::kMost)
    the_trace->steps[the_trace->count++] = {does, operation, at, word, the_pool.cursor};
}

inline void look_for_stores() {
  const auto* memory = reinterpret_cast<const std::uint64_t*>(the_pool.memory);
  constexpr std::size_t bytes = linpoint::Pool::kSize;  // some allocate in it themselves
  if (std::memcmp(memory, shadow, bytes) == 0) return;
  for (std::size_t at = 0; at < bytes / 8; ++at) {
    if (memory[at] == shadow[at]) continue;
    shadow[at] = memory[at];
    add(streams ? Does::kStreams : Does::kStore, at * 8, memory[at]);
  }
}

/// The relevant parts of one instruction.
class Instruction {
 public:
  Instruction(const std::uint8_t* code, const greg_t* registers) : at_(code), registers_(registers) { read(); }

  bool locked = false;
  bool streams = false;
  bool fences = false;
  bool flushes = false;
  bool later = false;
  std::uint64_t address = 0;
  std::uint64_t length = 0;  // of a flush

 private:
  void read() {
    const std::uint8_t* begin = at_;
    bool operand_size = false;
    for (;; ++at_) {
      if (*at_ == 0xF0) locked = true;
      if (*at_ == 0x66) operand_size = true;
      if (std::strchr("\xF0\xF2\xF3\x66\x67\x2E\x36\x3E\x26\x64\x65", *at_) == nullptr || *at_ == 0) break;
    }
    if ((*at_ & 0xF0) == 0x40) rex_ = *at_++;
    const std::uint8_t opcode = *at_++;
    if ((opcode == 0x86 || opcode == 0x87) && *at_ < 0xC0) locked = true;  // xchg with memory
    if (opcode != 0x0F) return;
    const std::uint8_t second = *at_++;
    if (second == 0xC3 || second == 0xE7 || second == 0x2B) streams = true;
    if (second != 0xAE) return;
    const unsigned which = *at_ >> 3 & 7;
    if (*at_ >= 0xC0) {
      fences = which >= 6;  // mfence, sfence
    } else if (which == 7 || (which == 6 && operand_size)) {
      flushes = true;
      later = operand_size;
      address = read_address();
      length = static_cast<std::uint64_t>(at_ - begin);
    }
  }

  std::uint64_t number_in(unsigned number) const {
    constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return static_cast<std::uint64_t>(registers_[kRegisters[number]]);
  }

  std::uint64_t read_address() {
    const unsigned mode = *at_ >> 6;
    const unsigned low = *at_++ & 7;
    std::uint64_t sum = 0;
    bool wide = mode == 2;
    bool relative = false;
    if (low == 4) {
      const std::uint8_t scaled = *at_++;
      const unsigned index = (scaled >> 3 & 7) | (rex_ & 2) << 2;
      const unsigned base = (scaled & 7) | (rex_ & 1) << 3;
      if (index != 4) sum += number_in(index) << (scaled >> 6);
      if ((scaled & 7) == 5 && mode == 0)
        wide = true;
      else
        sum += number_in(base);
    } else if (low == 5 && mode == 0) {
      wide = relative = true;
    } else {
      sum += number_in(low | (rex_ & 1) << 3);
    }
    if (wide) {
      std::int32_t more = 0;
      std::memcpy(&more, at_, sizeof more);
      sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(more));
      at_ += sizeof more;
    } else if (mode == 1) {
      sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(*at_++)));
    }
    return relative ? sum + reinterpret_cast<std::uint64_t>(at_) : sum;
  }

  const std::uint8_t* at_;
  const greg_t* registers_;
  unsigned rex_ = 0;
};

inline void stopped(int, siginfo_t*, void* where) {
  greg_t* registers = static_cast<ucontext_t*>(where)->uc_mcontext.gregs;
  look_for_stores();
  for (;;) {
    const Instruction next(reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]), registers);
    streams = next.streams;
    if (next.fences || next.locked) add(Does::kFence);
    if (!next.flushes) return;
    // It is not executed, since not every processor supports it.
    const std::uint64_t at = next.address - reinterpret_cast<std::uint64_t>(the_pool.memory);
    if (at < linpoint::Pool::kSize) add(next.later ? Does::kFlushLater : Does::kFlush, at);
    registers[REG_RIP] += static_cast<greg_t>(next.length);
  }
}

inline void begin_steps() {
  struct sigaction action{};
  action.sa_sigaction = stopped;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
}

/// Runs the function and inspects each of its instructions.
template <typename Run>
__attribute__((noinline)) void step_through(const Run& run) {
  asm volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
  run();
  asm volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc");
  look_for_stores();
}

}  // namespace naive
