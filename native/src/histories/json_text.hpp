// SPDX-License-Identifier: Apache-2.0
// Values written as JSON, character for character as by Python's encoder without ASCII escapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "linpoint/histories/token.hpp"

namespace linpoint::histories::json {

void append_integer(std::string& out, std::int64_t value);
/// A finite float as in Python's `repr`: the shortest digits that read back as the same float.
void append_float(std::string& out, double value);
void append_string(std::string& out, std::string_view text);
/// Appends a token that is not a list, and is not missing.
void append_token(std::string& out, const Token& token);

}  // namespace linpoint::histories::json
