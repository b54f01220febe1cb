// SPDX-License-Identifier: Apache-2.0
// Jepsen-style events in JSON: one object per line, or one array of objects.
//
// Guarantee: that of `text_reader.hpp` and `event_table.hpp`. An object that spans several lines is declined. Cost:
// about 0.2 microseconds per event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "linpoint/histories/event_table.hpp"
#include "linpoint/histories/json_value_reader.hpp"
#include "linpoint/histories/text_reader.hpp"

namespace linpoint::histories {

class JsonEventReader final : public TextReader {
 public:
  /// Parameters as for `EventTable`. One reader must get the whole text.
  JsonEventReader(std::size_t expected_bytes, std::optional<bool> keyed)
      : TextReader(expected_bytes), events_(keyed, false) {}

 private:
  /// Where in the text a line begins. Outside an array every line is an event.
  enum class Place : std::uint8_t { kStart, kLines, kFirst, kElement, kBehind, kDone };

  char* read(char* begin, char* end) override;
  bool close() override { return (place_ == Place::kLines || place_ == Place::kDone) && events_.pair(table()); }

  // Each takes the position where an item begins and returns where it ends, or null to decline it.
  const char* read_line(const char* at);
  const char* read_mark(const char* at);
  const char* read_event(const char* at);
  const char* read_field(const char* at);
  const char* read_value(const char* at, std::int32_t& number);

  EventTable events_;
  JsonValueReader values_;
  Place place_ = Place::kStart;
  EventFields fields_;
  unsigned seen_ = 0;  // which fields the event has had, one bit each
};

}  // namespace linpoint::histories
