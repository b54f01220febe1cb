// SPDX-License-Identifier: Apache-2.0
// The C library's functions that print. Output to stdout and stderr goes to the recorded output of the run; opening
// other files is refused, so there are none. The C++ library's functions end up here too. Some of these functions are
// otherwise macros or inline.
#define __NO_INLINE__ 1  // NOLINT

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "host/base/host_memory.hpp"
#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"
#include "host/core/program_caller.hpp"
#include "host/interpose/process/captured_output.hpp"

namespace linpoint::runtime {

namespace {

int print_formatted(const char* format, std::va_list arguments, const void* caller) {
  std::va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  if (size >= 0) {
    HostString words(static_cast<std::size_t>(size) + 1, '\0');
    static_cast<void>(std::vsnprintf(words.data(), words.size(), format, again));
    print(std::string_view(words.data(), static_cast<std::size_t>(size)), caller);
  }
  va_end(again);
  return size;
}

bool is_stream(const FILE* file) { return file == stdout || file == stderr; }
bool is_stream(int descriptor) { return descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO; }

}  // namespace

}  // namespace linpoint::runtime

using linpoint::runtime::by_host;
using linpoint::runtime::is_stream;
using linpoint::runtime::print;
using linpoint::runtime::print_formatted;
using linpoint::runtime::Real;

extern "C" {

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  if (!by_host() && is_stream(descriptor)) {
    print({static_cast<const char*>(bytes), size}, LINPOINT_CALLER);
    return static_cast<ssize_t>(size);
  }
  if (!by_host()) {
    errno = EBADF;
    return -1;
  }
  static constinit Real<ssize_t(int, const void*, std::size_t)> next("write");
  return next(descriptor, bytes, size);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (by_host()) {
    static constinit Real<ssize_t(int, const iovec*, int)> next("writev");
    return next(descriptor, parts, count);
  }
  if (!is_stream(descriptor)) {
    errno = EBADF;
    return -1;
  }
  linpoint::runtime::HostString all;
  for (int part = 0; part < count; ++part)
    all.append(static_cast<const char*>(parts[part].iov_base), parts[part].iov_len);
  print(all, LINPOINT_CALLER);
  return static_cast<ssize_t>(all.size());
}
std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, FILE* file) {
  if (!by_host() && is_stream(file)) {
    print({static_cast<const char*>(bytes), size * count}, LINPOINT_CALLER);
    return count;
  }
  static constinit Real<std::size_t(const void*, std::size_t, std::size_t, FILE*)> next("fwrite");
  return next(bytes, size, count, file);
}
std::size_t fwrite_unlocked(const void* bytes, std::size_t size, std::size_t count, FILE* file) {
  return fwrite(bytes, size, count, file);
}
int fputs(const char* text, FILE* file) {
  if (!by_host() && is_stream(file)) {
    print(text, LINPOINT_CALLER);
    return 0;
  }
  static constinit Real<int(const char*, FILE*)> next("fputs");
  return next(text, file);
}
int puts(const char* text) {
  if (!by_host()) {
    print(linpoint::runtime::HostString(text) + "\n", LINPOINT_CALLER);
    return 0;
  }
  static constinit Real<int(const char*)> next("puts");
  return next(text);
}
int fputc(int character, FILE* file) {
  if (!by_host() && is_stream(file)) {
    const char one = static_cast<char>(character);
    print({&one, 1}, LINPOINT_CALLER);
    return static_cast<unsigned char>(one);
  }
  static constinit Real<int(int, FILE*)> next("fputc");
  return next(character, file);
}
#undef putc
int putc(int character, FILE* file) { return fputc(character, file); }
int _IO_putc(int character, FILE* file) { return fputc(character, file); }  // NOLINT(bugprone-reserved-identifier)
int putc_unlocked(int character, FILE* file) { return fputc(character, file); }
int putchar(int character) { return fputc(character, stdout); }
int putchar_unlocked(int character) { return fputc(character, stdout); }
int fflush(FILE* file) {
  if (!by_host()) return 0;
  static constinit Real<int(FILE*)> next("fflush");
  return next(file);
}
void perror(const char* words) {
  const linpoint::runtime::HostString text = linpoint::runtime::HostString(words) + ": " + std::strerror(errno) + "\n";
  if (by_host()) {
    static_cast<void>(fputs(text.c_str(), stderr));
  } else {
    print(text, LINPOINT_CALLER);
  }
}

int vfprintf(FILE* file, const char* format, std::va_list arguments) {
  if (!by_host() && is_stream(file)) return print_formatted(format, arguments, LINPOINT_CALLER);
  static constinit Real<int(FILE*, const char*, std::va_list)> next("vfprintf");
  return next(file, format, arguments);
}
int vprintf(const char* format, std::va_list arguments) {
  if (!by_host()) return print_formatted(format, arguments, LINPOINT_CALLER);
  return vfprintf(stdout, format, arguments);
}
int vdprintf(int descriptor, const char* format, std::va_list arguments) {
  if (!by_host() && is_stream(descriptor)) return print_formatted(format, arguments, LINPOINT_CALLER);
  static constinit Real<int(int, const char*, std::va_list)> next("vdprintf");
  return next(descriptor, format, arguments);
}
int printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int size =
      by_host() ? vfprintf(stdout, format, arguments) : print_formatted(format, arguments, LINPOINT_CALLER);
  va_end(arguments);
  return size;
}
int fprintf(FILE* file, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int size = by_host() || !is_stream(file) ? vfprintf(file, format, arguments)
                                                 : print_formatted(format, arguments, LINPOINT_CALLER);
  va_end(arguments);
  return size;
}
int dprintf(int descriptor, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int size = vdprintf(descriptor, format, arguments);
  va_end(arguments);
  return size;
}

// The program has these three descriptors, and cannot close those of the host.
int close(int descriptor) {
  if (by_host()) {
    static constinit Real<int(int)> next("close");
    return next(descriptor);
  }
  if (descriptor >= STDIN_FILENO && descriptor <= STDERR_FILENO) return 0;
  errno = EBADF;
  return -1;
}
int close_range(unsigned /*first*/, unsigned /*last*/, int /*flags*/) { return 0; }
void closefrom(int /*first*/) {}
int fclose(FILE* file) {
  if (!by_host() && (is_stream(file) || file == stdin)) return 0;
  static constinit Real<int(FILE*)> next("fclose");
  return next(file);
}

// Called by programs compiled with _FORTIFY_SOURCE.
int __vfprintf_chk(FILE* file, int /*flag*/, const char* format, std::va_list arguments) {  // NOLINT
  return vfprintf(file, format, arguments);
}
int __vprintf_chk(int /*flag*/, const char* format, std::va_list arguments) {  // NOLINT(bugprone-reserved-identifier)
  return vprintf(format, arguments);
}
int __printf_chk(int /*flag*/, const char* format, ...) {  // NOLINT(bugprone-reserved-identifier)
  std::va_list arguments;
  va_start(arguments, format);
  const int size = vprintf(format, arguments);
  va_end(arguments);
  return size;
}
int __fprintf_chk(FILE* file, int /*flag*/, const char* format, ...) {  // NOLINT(bugprone-reserved-identifier)
  std::va_list arguments;
  va_start(arguments, format);
  const int size = vfprintf(file, format, arguments);
  va_end(arguments);
  return size;
}
}
