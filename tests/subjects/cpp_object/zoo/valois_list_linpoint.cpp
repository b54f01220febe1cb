// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>

#include "set_test.hpp"
#include "twin.hpp"
#include "valois_list.hpp"

using ValoisListTest = TestOfSet<zoo::ValoisList<int, zoo::kTwin<zoo::ValoisFlaw>>>;
LINPOINT_TEST(ValoisListTest, add, remove, contains)
