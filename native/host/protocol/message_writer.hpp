// SPDX-License-Identifier: Apache-2.0
// Messages to linpoint: lines of JSON, each an object with exactly one key. Their names are generated from the Python
// declaration that reads them, so a name that no reader knows does not compile.
#pragma once

#include <string>
#include <string_view>

#include "host/protocol/json.hpp"

namespace linpoint::runtime {

#include "host/protocol/generated_messages.inc"

/// A message under construction: its fields are written to `json`, then it is sent.
class MessageWriter {
 public:
  explicit MessageWriter(Name kind) { json.open('{').key(kind).open('{'); }
  /// Sends the message. Several processes may send messages, each as whole lines.
  void send();

  Json json;
};

/// Sends a message whose value is already JSON.
void send_raw(Name kind, std::string_view value);
/// Sends the first message, with the version of the protocol.
void send_hello();

}  // namespace linpoint::runtime
