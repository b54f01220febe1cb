// SPDX-License-Identifier: Apache-2.0
// Whether bytes are UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF. Cost: O(n), far less for ASCII.
#pragma once

#include <string_view>

namespace linpoint::histories {

bool is_utf8(std::string_view text);

/// Whether UTF-8 text contains Unicode white space beyond ASCII.
bool holds_unicode_space(std::string_view text);

}  // namespace linpoint::histories
