// SPDX-License-Identifier: Apache-2.0
// Values written as JSON, in the very characters of Python's encoder without ASCII escapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "linpoint/histories/token.hpp"

namespace linpoint::histories::json {

void append_integer(std::string& out, std::int64_t value);
/// A finite float as Python's `repr` has it: the shortest digits that read back as it.
void append_float(std::string& out, double value);
void append_string(std::string& out, std::string_view text);
/// A token that is no list, and is not missing.
void append_token(std::string& out, const Token& token);

}  // namespace linpoint::histories::json
