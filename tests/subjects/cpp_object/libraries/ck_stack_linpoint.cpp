// SPDX-License-Identifier: Apache-2.0
// linpoint: --spec stack -- -fpermissive -w
//
// Concurrency Kit's stack: a Treiber stack with a generation counter. Its atomics are inline assembly, and it is in C.
#include <ck_stack.h>

#include <linpoint/test.hpp>
#include <optional>

struct Node {
  ck_stack_entry_t entry;
  int value;
};

struct CkStack {
  ck_stack_t stack;

  CkStack() { ck_stack_init(&stack); }
  void push(int value) { ck_stack_push_mpmc(&stack, &(new Node{{}, value})->entry); }
  std::optional<int> pop() {
    ck_stack_entry_t* entry = ck_stack_pop_mpmc(&stack);
    if (entry == nullptr) return std::nullopt;
    return reinterpret_cast<Node*>(entry)->value;
  }
};
LINPOINT_TEST(CkStack, push, pop)
