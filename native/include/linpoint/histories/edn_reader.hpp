// SPDX-License-Identifier: Apache-2.0
// Jepsen's histories in EDN: one map per event, at top level or in one vector or list.
//
// Guarantee: that of `text_reader.hpp` and `event_table.hpp`. Gives each form the same meaning as `edn_parser.py`, or
// declines it: characters, unusual numbers within lists, sets of lists, and deeply nested forms. Recursion has a fixed
// maximum depth. Cost: about half a microsecond per event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "linpoint/histories/distinct_names.hpp"
#include "linpoint/histories/event_table.hpp"
#include "linpoint/histories/text_reader.hpp"

namespace linpoint::histories {

class EdnReader final : public TextReader {
 public:
  /// Parameters as for `EventTable`. One reader must get the whole text.
  EdnReader(std::size_t expected_bytes, std::optional<bool> keyed, bool porcupine)
      : TextReader(expected_bytes), events_(keyed, porcupine) {}

 private:
  char* read(char* begin, char* end) override;
  bool close() override { return outer_ == '\0' && events_.pair(table()); }

  // Each takes the position where an item begins and returns where it ends. Null: declined, or `cut_`.
  const char* read_top(const char* at);
  const char* read_event(const char* at);
  const char* read_field(const char* at, const Token& name);
  const char* read_value(const char* at, std::int32_t& number);
  const char* skip_form(const char* at, int depth);
  /// Reads the form that begins here. A list within other lists is added to their tokens.
  const char* read_form(const char* at, int depth, Token& token);
  const char* read_list(const char* at, int depth);
  const char* read_string(const char* at, Token& token);
  const char* read_escaped(const char* at, Token& token);
  const char* read_keyword(const char* at, Token& token);
  const char* read_symbol(const char* at, Token& token);
  bool read_number(std::string_view text, Token& token);
  bool read_float(std::string_view text, Token& token);

  /// Skips to where a form begins, a bracket closes, or the text ends: past white space, comments, discarded forms, and
  /// a tag.
  const char* find_form(const char* at, int depth);
  const char* find_value(const char* at, int depth);
  const char* skip_tag(const char* at);
  /// No form begins here. At the end of the block, one may begin in the next block.
  const char* missing(const char* at);

  bool put_item(const Token& token);
  bool put_name(const Token& token);
  bool sort_set(std::size_t from, std::size_t& items);

  EventTable events_;
  char outer_ = '\0';  // what closes the bracket around all events, while it is open
  const char* end_ = nullptr;
  bool cut_ = false;     // the block ends within a form
  bool tagged_ = false;  // a tag precedes the form that was found
  bool kept_ = true;     // forms are read for their values, not only skipped
  EventFields fields_;
  unsigned seen_ = 0;  // which fields the event has had, one bit each
  DistinctNames names_;
  std::string text_;  // of the last scalar that is not a literal part of the text
};

}  // namespace linpoint::histories
