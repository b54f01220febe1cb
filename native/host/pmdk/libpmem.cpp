// SPDX-License-Identifier: Apache-2.0
// libpmem: mapped files, and functions to flush.
#include <sys/types.h>

#include <cerrno>

#include "host/core/crash_mode.hpp"
#include "host/core/program_caller.hpp"
#include "host/persistent/pool.hpp"
#include "host/pmdk/pool_files.hpp"

namespace pmdk = linpoint::runtime::pmdk;
namespace crash = linpoint::runtime::crash;

namespace {

// PMEM_FILE_*
constexpr int kCreate = 1 << 0;
constexpr int kExclusive = 1 << 1;
constexpr int kSparse = 1 << 2;
constexpr int kTemporary = 1 << 3;
constexpr unsigned kNoDrain = 1U << 0U;

void* map(const char* path, std::size_t size, int flags, std::size_t* mapped, const void* caller) {
  const bool creates = (flags & kCreate) != 0;
  if ((flags & ~(kCreate | kExclusive | kSparse | kTemporary)) != 0 || creates == (size == 0) ||
      ((flags & kTemporary) != 0 && !creates)) {
    pmdk::error(EINVAL, "flags or length are not allowed");
    return nullptr;
  }
  const bool temporary = (flags & kTemporary) != 0;
  const pmdk::File* known = temporary ? nullptr : pmdk::find_file(path);
  if (known == nullptr && !creates) {
    pmdk::error(ENOENT, "No such file or directory");
    return nullptr;
  }
  if (known != nullptr && creates && (flags & kExclusive) != 0) {
    pmdk::error(EEXIST, "File exists");
    return nullptr;
  }
  if (known != nullptr && size > known->size) {
    pmdk::error(EFBIG, "a file that is there does not grow in the model");
    return nullptr;
  }
  if (known == nullptr) {
    pmdk::File* file = pmdk::add_file(path, size, pmdk::FileKind::kMapped, caller);
    if (file == nullptr) return nullptr;
    // A file without a name is never found again.
    void* const memory = crash::the_pool.at(file->begin);
    if (mapped != nullptr) *mapped = file->size;
    if (!temporary) pmdk::publish_file(*file, path, caller);
    return memory;
  }
  if (mapped != nullptr) *mapped = size == 0 ? known->size : size;
  return crash::the_pool.at(known->begin);
}

}  // namespace

extern "C" {

void* pmem_map_file(const char* path, std::size_t size, int flags, mode_t /*mode*/, std::size_t* mapped,
                    int* is_persistent) {
  pmdk::called(__func__, LINPOINT_CALLER);
  void* memory = map(path, size, flags, mapped, LINPOINT_CALLER);
  if (memory != nullptr && is_persistent != nullptr) *is_persistent = 1;
  return memory;
}
// The mapping stays in place: later uses are not detected.
int pmem_unmap(void* /*address*/, std::size_t /*size*/) {
  pmdk::called(__func__, LINPOINT_CALLER);
  return 0;
}
int pmem_is_pmem(const void* address, std::size_t size) {
  pmdk::called(__func__, LINPOINT_CALLER);
  const std::uint64_t begin = pmdk::number_of(address);
  return crash::in_pool(begin) && (size == 0 || crash::in_pool(begin + size - 1)) ? 1 : 0;
}
// As on machines where flushes matter.
int pmem_has_auto_flush() {
  return linpoint::runtime::options.persistency == linpoint::runtime::Persistency::kEadr ? 1 : 0;
}
int pmem_has_hw_drain() { return 0; }

void pmem_flush(const void* address, std::size_t size) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmdk::flush(address, size, LINPOINT_CALLER);
}
void pmem_deep_flush(const void* address, std::size_t size) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmdk::flush(address, size, LINPOINT_CALLER);
}
void pmem_drain() {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmdk::fence(LINPOINT_CALLER);
}
int pmem_deep_drain(const void* /*address*/, std::size_t /*size*/) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmdk::fence(LINPOINT_CALLER);
  return 0;
}
void pmem_persist(const void* address, std::size_t size) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmdk::persist(address, size, LINPOINT_CALLER);
}
int pmem_deep_persist(const void* address, std::size_t size) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmdk::persist(address, size, LINPOINT_CALLER);
  return 0;
}
// The real function writes whole pages, but its callers can rely only on these bytes.
int pmem_msync(const void* address, std::size_t size) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmdk::persist(address, size, LINPOINT_CALLER);
  return 0;
}

#define LINPOINT_COPY(name, flags)                                      \
  void* name(void* to, const void* from, std::size_t size) {            \
    pmdk::called(__func__, LINPOINT_CALLER);                            \
    return pmdk::copy_by_flags(to, from, size, flags, LINPOINT_CALLER); \
  }
#define LINPOINT_FILL(name, flags)                                       \
  void* name(void* to, int value, std::size_t size) {                    \
    pmdk::called(__func__, LINPOINT_CALLER);                             \
    return pmdk::fill_by_flags(to, value, size, flags, LINPOINT_CALLER); \
  }
LINPOINT_COPY(pmem_memcpy_persist, 0)
LINPOINT_COPY(pmem_memmove_persist, 0)
LINPOINT_FILL(pmem_memset_persist, 0)
LINPOINT_COPY(pmem_memcpy_nodrain, kNoDrain)
LINPOINT_COPY(pmem_memmove_nodrain, kNoDrain)
LINPOINT_FILL(pmem_memset_nodrain, kNoDrain)

void* pmem_memcpy(void* to, const void* from, std::size_t size, unsigned flags) {
  pmdk::called(__func__, LINPOINT_CALLER);
  return pmdk::copy_by_flags(to, from, size, flags, LINPOINT_CALLER);
}
void* pmem_memmove(void* to, const void* from, std::size_t size, unsigned flags) {
  pmdk::called(__func__, LINPOINT_CALLER);
  return pmdk::copy_by_flags(to, from, size, flags, LINPOINT_CALLER);
}
void* pmem_memset(void* to, int value, std::size_t size, unsigned flags) {
  pmdk::called(__func__, LINPOINT_CALLER);
  return pmdk::fill_by_flags(to, value, size, flags, LINPOINT_CALLER);
}

const char* pmem_check_version(unsigned major, unsigned minor) {
  constexpr unsigned kMajor = 1;
  constexpr unsigned kMinor = 1;
  if (major != kMajor) return "libpmem major version mismatch";
  return minor > kMinor ? "libpmem minor version mismatch" : nullptr;
}
const char* pmem_errormsg() { return pmdk::error_message(); }
}
