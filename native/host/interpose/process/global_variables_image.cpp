// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/process/global_variables_image.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace linpoint::runtime {

Image the_image;

namespace {

constexpr std::uintptr_t kPage = 4096;
/// From this number of bytes on, it is cheaper to have the kernel drop written pages.
constexpr std::size_t kWorthMapping = std::size_t{256} << 10U;

unsigned char* pointer(std::uintptr_t address) {
  return reinterpret_cast<unsigned char*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Maps a file with the same content over these pages; false if that is impossible.
bool map_over(std::uintptr_t begin, std::size_t size) {
  const int file = ::memfd_create("linpoint", MFD_CLOEXEC);
  if (file < 0) return false;
  bool done = ::ftruncate(file, static_cast<off_t>(size)) == 0;
  for (std::size_t written = 0; done && written < size;) {
    const ssize_t more = ::pwrite(file, pointer(begin + written), size - written, static_cast<off_t>(written));
    done = more > 0;
    written += done ? static_cast<std::size_t>(more) : 0;
  }
  // By a direct system call, since the host replaces mmap.
  const auto size_argument = static_cast<long>(size);
  done = done && ::syscall(SYS_mmap, begin, size_argument, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0L) ==
                     static_cast<long>(begin);
  ::close(file);
  return done;
}

}  // namespace

void Image::keep_copy(Range range) {
  if (range.begin >= range.end) return;
  Copied copy;
  copy.begin = pointer(range.begin);
  copy.bytes.assign(copy.begin, pointer(range.end));
  copied_.push_back(std::move(copy));
}

void Image::keep_range(Range range) {
  const std::uintptr_t first = (range.begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = range.end / kPage * kPage;
  if (range.end - range.begin < kWorthMapping || !map_over(first, last - first)) {
    keep_copy(range);
    return;
  }
  keep_copy({range.begin, first});
  mapped_.push_back({pointer(first), last - first});
  keep_copy({last, range.end});
}

void Image::watch(Range range) {
  const std::uintptr_t first = range.begin / kPage * kPage;
  for (std::uintptr_t page = first; page < range.end; page += kPage) {
    Watched watched;
    watched.begin = pointer(page);
    watched.bytes.assign(watched.begin, watched.begin + kPage);
    watched.written = ::mprotect(watched.begin, kPage, PROT_READ) != 0;
    any_written_ = any_written_ || watched.written;
    watched_.push_back(std::move(watched));
  }
}

void Image::keep(const SharedObjects& objects) {
  for (const SharedObject& object : objects.program)
    for (const Range& range : object.writable) keep_range(range);
  for (const Range& range : objects.standard.writable) watch(range);
}

void Image::keep_again() {
  for (Copied& copy : copied_) std::memcpy(copy.bytes.data(), copy.begin, copy.bytes.size());
  for (const Mapped& mapped : mapped_)
    if (!map_over(reinterpret_cast<std::uintptr_t>(mapped.begin), mapped.size))
      refuse("out of memory for the variables that the program changed");
  for (Watched& watched : watched_)
    if (watched.written) std::memcpy(watched.bytes.data(), watched.begin, watched.bytes.size());
}

bool Image::unprotect(std::uintptr_t address) {
  for (Watched& watched : watched_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(watched.begin);
    if (watched.written || address - begin >= kPage) continue;
    watched.written = true;
    any_written_ = true;
    return ::mprotect(watched.begin, kPage, PROT_READ | PROT_WRITE) == 0;
  }
  return false;
}

void Image::restore() {
  for (const Copied& copy : copied_) std::memcpy(copy.begin, copy.bytes.data(), copy.bytes.size());
  for (const Mapped& mapped : mapped_) ::madvise(mapped.begin, mapped.size, MADV_DONTNEED);
  if (!any_written_) return;
  for (const Watched& watched : watched_)
    if (watched.written) std::memcpy(watched.begin, watched.bytes.data(), watched.bytes.size());
}

}  // namespace linpoint::runtime
