// SPDX-License-Identifier: Apache-2.0
// The options of the host: those of its command line, and other values known before anything runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "linpoint/memory_models/store_buffers.hpp"

namespace linpoint::runtime {

using memory::Model;
using MemoryModel = memory::Model;
enum class Races : std::uint8_t { kStop, kReport, kIgnore };
enum class Isolate : std::uint8_t { kNone, kFork };
enum class Persistency : std::uint8_t { kAdr, kEadr };

/// A value of an enumerated option as written on the command line.
template <typename Value>
struct Word {
  std::string_view word;
  Value value;
};
template <typename Value>
inline constexpr std::array<Word<Value>, 0> kWords{};

#include "host/protocol/generated_options.inc"

/// The default limit of a program's memory.
inline constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 30;
inline constexpr std::size_t kDefaultPoolSize = std::size_t{64} << 20;

struct Options : DeclaredOptions {
  std::string target;
  unsigned shard_index = 0;  ///< from `shard`
  unsigned shard_count = 1;
  unsigned scenario = 0;
  std::uint32_t stopped_thread = ~std::uint32_t{0};  ///< a thread that is stopped
  std::uint64_t stopped_after = 0;                   ///< after this number of its own steps
  int argc = 0;                                      ///< of the program, including its name
  char** argv = nullptr;
};
extern Options options;

}  // namespace linpoint::runtime
