// SPDX-License-Identifier: Apache-2.0
// Jepsen's histories in EDN: a map for each event, by themselves or in one vector or list.
//
// Guarantee: that of `text_reader.hpp` and `event_table.hpp`; a form means what `edn_parser.py` makes of it, or is
// declined: characters, odd numbers within lists, sets of lists, and whatever is deep. Nothing recurses beyond a fixed
// depth. Cost: about half a microsecond an event.
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
  /// As of `EventTable`. All of a text must come to one reader.
  EdnReader(std::size_t expected_bytes, std::optional<bool> keyed, bool porcupine)
      : TextReader(expected_bytes), events_(keyed, porcupine) {}

 private:
  char* read(char* begin, char* end) override;
  bool close() override { return outer_ == '\0' && events_.pair(table()); }

  // Each takes where something begins and gives where it ends. Null: declined, or `cut_`.
  const char* read_top(const char* at);
  const char* read_event(const char* at);
  const char* read_field(const char* at, const Token& name);
  const char* read_value(const char* at, std::int32_t& number);
  const char* skip_form(const char* at, int depth);
  /// A form that begins right here. A list within others is put among their tokens.
  const char* read_form(const char* at, int depth, Token& token);
  const char* read_list(const char* at, int depth);
  const char* read_string(const char* at, Token& token);
  const char* read_escaped(const char* at, Token& token);
  const char* read_keyword(const char* at, Token& token);
  const char* read_symbol(const char* at, Token& token);
  bool read_number(std::string_view text, Token& token);
  bool read_float(std::string_view text, Token& token);

  /// From anywhere to where a form begins, a bracket closes, or the text ends: past white space, comments, forms that
  /// are discarded, and a tag.
  const char* find_form(const char* at, int depth);
  const char* find_value(const char* at, int depth);
  const char* skip_tag(const char* at);
  /// No form begins here. At the end of the block it may do so in the next one.
  const char* missing(const char* at);

  bool put_item(const Token& token);
  bool put_name(const Token& token);
  bool sort_set(std::size_t from, std::size_t& items);

  EventTable events_;
  char outer_ = '\0';  // what closes the bracket around all events, while it is open
  const char* end_ = nullptr;
  bool cut_ = false;     // the block ends within a form
  bool tagged_ = false;  // a tag stands before the form that was found
  bool kept_ = true;     // forms are read for their values, not only skipped
  EventFields fields_;
  unsigned seen_ = 0;  // which fields the event has had, a bit for each
  DistinctNames names_;
  std::string text_;  // of the last scalar that does not stand in the text as it is
};

}  // namespace linpoint::histories
