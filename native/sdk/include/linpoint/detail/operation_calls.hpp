// SPDX-License-Identifier: Apache-2.0
// Methods of a test as operations: reads the arguments, calls the method and reports the result, all by type.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "linpoint/detail/json_values.hpp"
#include "linpoint/detail/test_registry.hpp"

namespace linpoint::detail {

/// Thousands of probes follow each crash, and most of them return a number: it is written without a growing string.
template <typename Type>
inline constexpr bool is_number =
    std::is_integral_v<Type> && !std::is_same_v<Type, bool> && !std::is_same_v<Type, char>;

class Digits {
 public:
  /// Returns where the digits begin.
  template <typename Number>
  LINPOINT_NOT_SEEN const char* write(Number number) {
    char* at = letters_ + sizeof letters_;
    bool below = false;
    if constexpr (std::is_signed_v<Number>) below = number < 0;
    auto rest = static_cast<unsigned long long>(number);
    if (below) rest = 0 - rest;
    do {
      *--at = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (below) *--at = '-';
    return at;
  }
  [[nodiscard]] LINPOINT_NOT_SEEN const char* end() const { return letters_ + sizeof letters_; }

 private:
  char letters_[24];  // uninitialised: only what was written is read
};

/// The type that is stored for a parameter.
template <typename Parameter>
using Kept = std::conditional_t<is_text<std::decay_t<Parameter>>, std::string, std::decay_t<Parameter>>;

template <typename Parameter>
LINPOINT_NOT_SEEN decltype(auto) passed(const Kept<Parameter>& kept) {
  using Plain = std::decay_t<Parameter>;
  static_assert(!std::is_lvalue_reference_v<Parameter> || std::is_const_v<std::remove_reference_t<Parameter>>,
                "an operation cannot take a reference that it writes to: give the test a method that returns it");
  if constexpr (std::is_same_v<Plain, const char*>)
    return kept.c_str();
  else if constexpr (std::is_rvalue_reference_v<Parameter>)
    return Plain(kept);
  else
    return (kept);
}

/// The arguments, and the address of each: getting it from the tuple would be a call within the program under test.
template <typename... Parameters>
struct ReadArguments {
  std::tuple<Kept<Parameters>...> values;
  const void* places[sizeof...(Parameters) + 1] = {};

  explicit ReadArguments(std::tuple<Kept<Parameters>...>&& read) : values(std::move(read)) {
    std::apply(
        [this](const auto&... each) {
          std::size_t at = 0;
          ((places[at++] = std::addressof(each)), ...);
          (void)at;
        },
        values);
  }
  ReadArguments(const ReadArguments&) = delete;
  ReadArguments& operator=(const ReadArguments&) = delete;
};

template <typename Object, auto kMethod, typename Result, typename... Parameters>
struct Calling {
  using Tuple = std::tuple<Kept<Parameters>...>;
  using Arguments = ReadArguments<Parameters...>;

  static void describe(std::string& into) {
    into += R"("parameters":[)";
    describe_parts<Tuple>(into, std::index_sequence_for<Parameters...>());
    into += R"(],"result":)";
    describe_type<std::decay_t<Result>>(into);
  }

  static void* read(Reader& reader) { return read_all(reader, std::index_sequence_for<Parameters...>()); }

#if defined(LINPOINT_STRESS)
  /// The stored form of a result. A reference is copied before the return: other threads may change its target.
  using Value = std::conditional_t<std::is_void_v<Result>, char, Kept<Result>>;
  static constexpr bool kPointer = std::is_pointer_v<std::decay_t<Result>>;
  using KeptValue = std::conditional_t<kPointer, std::optional<Value>, Value>;  // characters, or a null pointer

  static void record(void* object, const void* arguments, Record& record, void* result) {
    record_call(*static_cast<Object*>(object), *static_cast<const Arguments*>(arguments), record, result,
                std::index_sequence_for<Parameters...>());
  }

  static void tell_recorded(const void* result, std::string& into) {
    if constexpr (std::is_void_v<Result>)
      into += "null";
    else
      write_value<KeptValue>(into, *static_cast<const KeptValue*>(result));
  }

  static void forget(void* result) { static_cast<KeptValue*>(result)->~KeptValue(); }

  static constexpr Recording recording() {
    return {sizeof(KeptValue), alignof(KeptValue), record, tell_recorded,
            std::is_trivially_destructible_v<KeptValue> ? nullptr : forget};
  }
#endif

  LINPOINT_NOT_SEEN static void run(void* object, const void* arguments, Witness& witness) {
    call(*static_cast<Object*>(object), *static_cast<const Arguments*>(arguments), witness,
         std::index_sequence_for<Parameters...>());
  }

 private:
  template <std::size_t kNumber, typename Parameter>
  LINPOINT_NOT_SEEN static decltype(auto) argument(const Arguments& arguments) {
    return passed<Parameter>(*static_cast<const Kept<Parameter>*>(arguments.places[kNumber]));
  }

  template <std::size_t... Numbers>
  static void* read_all(Reader& reader, std::index_sequence<Numbers...> numbers) {
    auto arguments = std::make_unique<Arguments>(read_tuple<Tuple>(reader, numbers));
    return reader.fits() && reader.at_end() ? arguments.release() : nullptr;
  }

#if defined(LINPOINT_STRESS)
  template <typename Letters>
  static void keep_letters(Letters letters, void* result) {
    auto* kept = ::new (result) KeptValue();
    if (letters != nullptr) kept->emplace(letters);
  }

  template <std::size_t... Numbers>
  static void record_call(Object& object, const Arguments& arguments, Record& record, void* result,
                          std::index_sequence<Numbers...> /*unused*/) {
    (void)arguments;
    (void)result;
#if defined(__cpp_exceptions)
    try {
#endif
      record.call = stamp_before();
      if constexpr (std::is_void_v<Result>)
        invoke(object, argument<Numbers, Parameters>(arguments)...);
      else if constexpr (kPointer)
        keep_letters(invoke(object, argument<Numbers, Parameters>(arguments)...), result);
      else
        ::new (result) KeptValue(invoke(object, argument<Numbers, Parameters>(arguments)...));
      record.returned = stamp_after();
      record.state.store(State::kReturned, std::memory_order_release);
#if defined(__cpp_exceptions)
    } catch (...) {
      record.returned = stamp_after();
      record.raised = abi::__cxa_current_exception_type();
      record.state.store(State::kRaised, std::memory_order_release);
    }
#endif
  }
#endif

  template <std::size_t... Numbers>
  LINPOINT_NOT_SEEN static void call(Object& object, const Arguments& arguments, Witness& witness,
                                     std::index_sequence<Numbers...> /*unused*/) {
    (void)arguments;
#if defined(__cpp_exceptions)
    try {
#endif
      witness.begins(witness);
      if constexpr (std::is_void_v<Result>) {
        invoke(object, argument<Numbers, Parameters>(arguments)...);
        witness.ends(witness);
        witness.result(witness, "null", 4);
        witness.resumes(witness);
      } else {
        // Reading a reference is part of the operation: other threads may change its target.
        const std::decay_t<Result> result = invoke(object, argument<Numbers, Parameters>(arguments)...);
        witness.ends(witness);
        tell(result, witness);
        witness.resumes(witness);
      }
#if defined(__cpp_exceptions)
    } catch (...) {
      const std::type_info* type = abi::__cxa_current_exception_type();
      witness.ends(witness);
      tell_raised(type, witness);
      witness.resumes(witness);
    }
#endif
  }

  template <typename... Values>
  LINPOINT_NOT_SEEN static decltype(auto) invoke(Object& object, Values&&... values) {
    if constexpr (std::is_member_function_pointer_v<decltype(kMethod)>)
      return (object.*kMethod)(std::forward<Values>(values)...);
    else
      return kMethod(std::forward<Values>(values)...);
  }

  template <typename Told>
  LINPOINT_NOT_SEEN static void tell(const Told& result, Witness& witness) {
    if constexpr (is_number<Told>)
      tell_number(result, witness);
    else if constexpr (std::is_same_v<Told, bool>)
      witness.result(witness, result ? "true" : "false", result ? 4 : 5);
    else if constexpr (is_optional<Told>)
      tell_optional(result, witness);
    else
      tell_written(result, witness);
  }

  template <typename Told>
  LINPOINT_NOT_SEEN static void tell_optional(const Told& result, Witness& witness) {
    if (!result)
      witness.result(witness, "null", 4);
    else
      tell<typename Told::value_type>(*result, witness);
  }

  template <typename Number>
  LINPOINT_NOT_SEEN static void tell_number(Number number, Witness& witness) {
    Digits digits;
    const char* begin = digits.write(number);
    witness.result(witness, begin, static_cast<std::size_t>(digits.end() - begin));
  }

  template <typename Told>
  static void tell_written(const Told& result, Witness& witness) {
    std::string text;
    write_value<Told>(text, result);
    witness.result(witness, text.data(), text.size());
  }

  static void tell_raised(const std::type_info* type, Witness& witness) {
    const std::string text = raised_text(type);
    witness.result(witness, text.data(), text.size());
  }
};

template <typename Object, auto kMethod, typename Type>
struct Method {
  static_assert(never<Type>, "this is not a method that can be called without choosing an overload");
};
template <typename Object, auto kMethod, typename Class, typename Result, typename... Parameters>
struct Method<Object, kMethod, Result (Class::*)(Parameters...)> : Calling<Object, kMethod, Result, Parameters...> {};
template <typename Object, auto kMethod, typename Class, typename Result, typename... Parameters>
struct Method<Object, kMethod, Result (Class::*)(Parameters...) const>
    : Calling<Object, kMethod, Result, Parameters...> {};
template <typename Object, auto kMethod, typename Class, typename Result, typename... Parameters>
struct Method<Object, kMethod, Result (Class::*)(Parameters...) noexcept>
    : Calling<Object, kMethod, Result, Parameters...> {};
template <typename Object, auto kMethod, typename Class, typename Result, typename... Parameters>
struct Method<Object, kMethod, Result (Class::*)(Parameters...) const noexcept>
    : Calling<Object, kMethod, Result, Parameters...> {};
template <typename Object, auto kMethod, typename Result, typename... Parameters>
struct Method<Object, kMethod, Result (*)(Parameters...)> : Calling<Object, kMethod, Result, Parameters...> {};
template <typename Object, auto kMethod, typename Result, typename... Parameters>
struct Method<Object, kMethod, Result (*)(Parameters...) noexcept> : Calling<Object, kMethod, Result, Parameters...> {};

template <typename Object, auto kMethod>
constexpr Operation operation(const char* name) {
  using Called = Method<Object, kMethod, decltype(kMethod)>;
#if defined(LINPOINT_STRESS)
  return {name, Called::describe, Called::read, Called::recording()};
#else
  return {name, Called::describe, Called::read, Called::run};
#endif
}

}  // namespace linpoint::detail
