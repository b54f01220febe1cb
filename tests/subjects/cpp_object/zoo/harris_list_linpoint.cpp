// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>

#include "harris_list.hpp"
#include "set_test.hpp"
#include "twin.hpp"

using HarrisListTest = TestOfSet<zoo::HarrisList<int, zoo::kTwin<zoo::HarrisFlaw>>>;
LINPOINT_TEST(HarrisListTest, add, remove, contains)
