// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of Jepsen's EDN: any text, cut into any blocks, is read as the same or declined.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "linpoint/histories/edn_reader.hpp"
#include "reader_inputs.hpp"

using linpoint::histories::EdnReader;
using namespace linpoint::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // The first two bytes: the block size, and the options.
  const bool porcupine = data[1] % 2 == 1;
  const std::optional<bool> keyed = data[1] / 2 % 3 == 0 ? std::nullopt : std::optional(data[1] / 2 % 3 == 1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  EdnReader whole(text.size(), keyed, porcupine);
  EdnReader blocks(0, keyed, porcupine);
  require_blocks_do_not_matter(whole, blocks, text, 1 + std::size_t{data[0]});
  return 0;
}
