// SPDX-License-Identifier: Apache-2.0
// Values of operations in JSON: lists and objects become runs of tokens.
//
// Guarantee: a list is kept as tokens if all that it holds, however deep, is null, true, false, integers of 64 bits,
// strings without escapes, lists, and objects whose names differ; any other is JSON text. Text must be as
// `json_scan.hpp` wants it. Cost: about two nanoseconds a character.
#pragma once

#include <vector>

#include "linpoint/histories/distinct_names.hpp"
#include "linpoint/histories/token.hpp"
#include "linpoint/histories/value_store.hpp"

namespace linpoint::histories {

class JsonValueReader {
 public:
  // Each takes where something begins and gives where it ends, or null for what cannot be read.
  const char* read(const char* at, ValueStore& store, Token& token);
  const char* read_arguments(const char* at, ValueStore& store, std::vector<Token>& arguments);
  /// Two clock readings. Anything else than a list of two times says nothing, as it is only shown.
  static const char* read_clocks(const char* at, ClockReadings& clocks);

 private:
  const char* read_list(const char* at, ValueStore& store);
  const char* read_items(const char* at, int depth, ValueStore& store);
  const char* read_item(const char* at, int depth, ValueStore& store);
  const char* read_name(const char* at, ValueStore& store);

  DistinctNames names_;
};

}  // namespace linpoint::histories
