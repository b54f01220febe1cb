// SPDX-License-Identifier: Apache-2.0
// The C library's functions that access memory through pointers: compilers put no hooks into them, so the target is
// linked to these wrappers (`--wrap`), which report the bytes they access and call the real functions.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "host/core/hook_entry.hpp"
#include "host/hooks/plain_range_hooks.hpp"

namespace rt = linpoint::runtime;

namespace {

/// The length including the terminator.
std::size_t whole(const char* text) { return std::strlen(text) + 1; }

/// The bytes that a comparison reads: up to the first difference or the end.
std::size_t compared(const char* one, const char* other, std::size_t most) {
  std::size_t at = 0;
  while (at < most && one[at] == other[at] && one[at] != '\0') ++at;
  return std::min(at + 1, most);
}

/// Like vsnprintf.
int print_into(char* to, std::size_t most, const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (size >= 0) rt::plain_range(to, std::min(static_cast<std::size_t>(size) + 1, most), true);
  return std::vsnprintf(to, most, format, arguments);
}

}  // namespace

extern "C" {

[[gnu::used]] std::size_t linpoint__wrap_strlen(const char* text) {
  rt::plain_range(text, whole(text), false);
  return std::strlen(text);
}
LINPOINT_HOOK(__wrap_strlen)

[[gnu::used]] char* linpoint__wrap_strcpy(char* to, const char* from) {
  return static_cast<char*>(rt::plain_copy(to, from, whole(from)));
}
LINPOINT_HOOK(__wrap_strcpy)

[[gnu::used]] char* linpoint__wrap_strncpy(char* to, const char* from, std::size_t most) {
  rt::plain_range(from, std::min(::strnlen(from, most) + 1, most), false);
  rt::plain_range(to, most, true);
  return std::strncpy(to, from, most);
}
LINPOINT_HOOK(__wrap_strncpy)

[[gnu::used]] char* linpoint__wrap_strcat(char* to, const char* from) {
  rt::plain_range(to, whole(to), false);
  rt::plain_copy(to + std::strlen(to), from, whole(from));
  return to;
}
LINPOINT_HOOK(__wrap_strcat)

[[gnu::used]] int linpoint__wrap_strcmp(const char* one, const char* other) {
  const std::size_t size = compared(one, other, ~std::size_t{0});
  rt::plain_range(one, size, false);
  rt::plain_range(other, size, false);
  return std::strcmp(one, other);
}
LINPOINT_HOOK(__wrap_strcmp)

[[gnu::used]] int linpoint__wrap_strncmp(const char* one, const char* other, std::size_t most) {
  const std::size_t size = compared(one, other, most);
  rt::plain_range(one, size, false);
  rt::plain_range(other, size, false);
  return std::strncmp(one, other, most);
}
LINPOINT_HOOK(__wrap_strncmp)

[[gnu::used]] int linpoint__wrap_memcmp(const void* one, const void* other, std::size_t size) {
  rt::plain_range(one, size, false);
  rt::plain_range(other, size, false);
  return std::memcmp(one, other, size);
}
LINPOINT_HOOK(__wrap_memcmp)

// clang's replacements for memcmp where only equality counts, and for strcpy where its end is used.
[[gnu::used]] int linpoint__wrap_bcmp(const void* one, const void* other, std::size_t size) {
  return linpoint__wrap_memcmp(one, other, size);
}
LINPOINT_HOOK(__wrap_bcmp)

[[gnu::used]] char* linpoint__wrap_stpcpy(char* to, const char* from) {
  const std::size_t size = whole(from);
  rt::plain_copy(to, from, size);
  return to + size - 1;
}
LINPOINT_HOOK(__wrap_stpcpy)

[[gnu::used]] char* linpoint__wrap_stpncpy(char* to, const char* from, std::size_t most) {
  linpoint__wrap_strncpy(to, from, most);
  return to + ::strnlen(to, most);
}
LINPOINT_HOOK(__wrap_stpncpy)

[[gnu::used]] char* linpoint__wrap_strncat(char* to, const char* from, std::size_t most) {
  const std::size_t size = ::strnlen(from, most);
  char* end = to + std::strlen(to);
  rt::plain_range(to, whole(to), false);
  rt::plain_range(from, std::min(size + 1, most), false);
  rt::plain_range(end, size + 1, true);
  std::memmove(end, from, size);
  end[size] = '\0';
  return to;
}
LINPOINT_HOOK(__wrap_strncat)

[[gnu::used]] void* linpoint__wrap_mempcpy(void* to, const void* from, std::size_t size) {
  return static_cast<char*>(rt::plain_copy(to, from, size)) + size;
}
LINPOINT_HOOK(__wrap_mempcpy)

[[gnu::used]] void linpoint__wrap_bcopy(const void* from, void* to, std::size_t size) {
  rt::plain_copy(to, from, size);
}
LINPOINT_HOOK(__wrap_bcopy)

[[gnu::used]] void linpoint__wrap_bzero(void* to, std::size_t size) {
  rt::plain_range(to, size, true);
  std::memset(to, 0, size);
}
LINPOINT_HOOK(__wrap_bzero)

[[gnu::used]] const void* linpoint__wrap_memchr(const void* in, int wanted, std::size_t size) {
  const void* found = std::memchr(in, wanted, size);
  const auto* begin = static_cast<const char*>(in);
  rt::plain_range(in, found == nullptr ? size : static_cast<std::size_t>(static_cast<const char*>(found) - begin) + 1,
                  false);
  return std::memchr(in, wanted, size);
}
LINPOINT_HOOK(__wrap_memchr)

[[gnu::used]] const char* linpoint__wrap_strchr(const char* text, int wanted) {
  const char* found = std::strchr(text, wanted);
  rt::plain_range(text, found == nullptr ? whole(text) : static_cast<std::size_t>(found - text) + 1, false);
  return std::strchr(text, wanted);
}
LINPOINT_HOOK(__wrap_strchr)

[[gnu::used]] const char* linpoint__wrap_strrchr(const char* text, int wanted) {
  rt::plain_range(text, whole(text), false);
  return std::strrchr(text, wanted);
}
LINPOINT_HOOK(__wrap_strrchr)

[[gnu::used]] int linpoint__wrap_vsnprintf(char* to, std::size_t most, const char* format, std::va_list arguments) {
  return print_into(to, most, format, arguments);
}
LINPOINT_HOOK(__wrap_vsnprintf)

[[gnu::used]] int linpoint__wrap_snprintf(char* to, std::size_t most, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int size = print_into(to, most, format, arguments);
  va_end(arguments);
  return size;
}
LINPOINT_HOOK(__wrap_snprintf)

[[gnu::used]] int linpoint__wrap_sprintf(char* to, const char* format, ...) {
  // Addresses must not exceed the available memory.
  constexpr std::size_t kMost = ~std::uint32_t{0} / 2;
  std::va_list arguments;
  va_start(arguments, format);
  const int size = print_into(to, kMost, format, arguments);
  va_end(arguments);
  return size;
}
LINPOINT_HOOK(__wrap_sprintf)
}
