// SPDX-License-Identifier: Apache-2.0
// Tests and their operations, without their types: what can be called, and how.
#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

#include "linpoint/detail/json_values.hpp"
#if defined(LINPOINT_STRESS)
#include "linpoint/detail/timed_operations.hpp"
#endif

/// Marks code around the operations of a test, which is not part of the program under test. On real threads there are
/// no hooks, and functions with different attributes would not be inlined into each other.
#if defined(LINPOINT_STRESS)
#define LINPOINT_NOT_SEEN
#elif defined(__clang__)
#define LINPOINT_NOT_SEEN __attribute__((no_sanitize("thread", "coverage")))
#elif defined(__GNUC__) && __GNUC__ >= 12
#define LINPOINT_NOT_SEEN __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#else
#define LINPOINT_NOT_SEEN __attribute__((no_sanitize("thread")))
#endif

namespace linpoint {
class Pool;
}

namespace linpoint::detail {

/// Maximum number of operations of one test, which macros can iterate over.
inline constexpr std::size_t kMostOperations = 300;

/// The number of methods in the text of a macro's arguments; a method with another name is in parentheses.
constexpr std::size_t count_methods(std::string_view text) {
  std::size_t count = 1;
  int depth = 0;
  for (const char letter : text) {
    if (letter == '(') ++depth;
    if (letter == ')') --depth;
    if (letter == ',' && depth == 0) ++count;
  }
  return count;
}

/// An observer of an operation: its beginning, its end, and its result.
struct Witness {
  void (*begins)(Witness&) = nullptr;
  /// The operation has returned. From here on the program is not observed.
  void (*ends)(Witness&) = nullptr;
  /// The result as JSON, after `ends`. A plain pointer, since the functions of a string_view would be part of the
  /// program under test.
  void (*result)(Witness&, const char* text, std::size_t size) = nullptr;
  /// The program continues.
  void (*resumes)(Witness&) = nullptr;
};

struct Operation {
  const char* name;
  void (*describe)(std::string& into);
  /// Reads the arguments from the text of a JSON list; nullptr if they do not fit. They are never freed.
  void* (*read)(Reader& reader);
#if defined(LINPOINT_STRESS)
  Recording recording;
#else
  void (*run)(void* object, const void* arguments, Witness& witness);
#endif
};

/// A declaration of a test in addition to its operations.
struct Remark {
  const char* test;
  const char* operation;  ///< nullptr: for all operations
  const char* text;
  const Remark* next;
};

struct Test {
  const char* name;
  const Operation* operations;
  std::size_t count;
  void* (*make)();
  void (*destroy)(void* object);
  Test* next;
  /// For a persistent object: called at the first start, and after a crash. nullptr for other objects.
  void* (*create)(Pool& pool) = nullptr;
  void* (*recover)(Pool& pool) = nullptr;
};

inline Test* tests = nullptr;
inline const Remark* remarks = nullptr;

inline std::string type_name(const std::type_info* type) {
  if (type == nullptr) return "an exception";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? name.get() : type->name();
}

/// The result of an operation that has thrown, as JSON.
inline std::string raised_text(const std::type_info* type) {
  std::string text = R"({"raises":)";
  write_text(text, type_name(type));
  return text + "}";
}

template <typename Object>
struct Registered : Test {
  Registered(const char* test, const Operation* calls, std::size_t number)
      : Test{test,
             calls,
             number,
             [] { return static_cast<void*>(new Object()); },
             [](void* object) { delete static_cast<Object*>(object); },
             tests} {
    tests = this;
  }
};

struct Remarked : Remark {
  Remarked(const char* about, const char* of, const char* said) : Remark{about, of, said, remarks} { remarks = this; }
};

/// All tests and their declarations, as JSON.
inline std::string described() {
  std::string into = R"({"tests":[)";
  for (const Test* test = tests; test != nullptr; test = test->next) {
    into += into.back() == '[' ? R"({"name":)" : R"(,{"name":)";
    write_text(into, test->name);
    into += R"(,"operations":[)";
    for (std::size_t number = 0; number < test->count; ++number) {
      into += number == 0 ? R"({"name":)" : R"(,{"name":)";
      write_text(into, test->operations[number].name);
      into += ',';
      test->operations[number].describe(into);
      into += '}';
    }
    into += test->create != nullptr ? R"(],"persistent":true})" : "]}";
  }
  into += R"(],"remarks":[)";
  for (const Remark* remark = remarks; remark != nullptr; remark = remark->next) {
    into += into.back() == '[' ? R"({"test":)" : R"(,{"test":)";
    write_text(into, remark->test);
    into += R"(,"operation":)";
    write_value(into, remark->operation);
    into += R"(,"text":)";
    write_text(into, remark->text);
    into += '}';
  }
  return into + "]}";
}

}  // namespace linpoint::detail
