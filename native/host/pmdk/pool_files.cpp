// SPDX-License-Identifier: Apache-2.0
#include "host/pmdk/pool_files.hpp"

#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "host/core/crash_mode.hpp"
#include "host/core/program_caller.hpp"
#include "host/persistent/pool.hpp"
#include "host/persistent/pool_trace_recorder.hpp"
#include "host/pmdk/atomic_sections.hpp"
#include "host/pmdk/transactions.hpp"

namespace linpoint::runtime::pmdk {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMostFiles = 64;
/// The root is in the first line of the host's page.
constexpr std::uint64_t kFiles = crash::Pool::kBegin + 64;
static_assert(64 + kMostFiles * sizeof(File) <= crash::Pool::kHeader);

/// The number of openings of pools, in all runs: each opening has its own number.
std::uint64_t openings = 0;

std::span<File, kMostFiles> files() {
  return std::span<File, kMostFiles>(reinterpret_cast<File*>(crash::the_pool.at(kFiles)), kMostFiles);
}

/// FNV-1a; never 0.
std::uint64_t name_of(const char* path) {
  std::uint64_t name = 0xcbf29ce484222325U;
  for (const char* at = path; *at != '\0'; ++at) {
    name ^= static_cast<unsigned char>(*at);
    name *= 0x100000001b3U;
  }
  return name | 1U;
}

pmemobjpool* pool_in(const File& file) { return reinterpret_cast<pmemobjpool*>(crash::the_pool.at(file.begin)); }

bool is_open(const File& file) { return file.has_objects() && header_of(pool_in(file)).run != 0; }

}  // namespace

const File* find_file(const char* path) {
  const std::uint64_t name = name_of(path);
  for (const File& file : files()) {
    if (file.name == 0) break;
    if (file.name == name) return &file;
  }
  return nullptr;
}

File* add_file(const char* path, std::size_t size, FileKind kind, const void* caller) {
  const auto free = std::ranges::find(files(), std::uint64_t{0}, &File::name);
  if (free == files().end()) {
    error(ENOSPC, "too many files");
    return nullptr;
  }
  const std::uint64_t cursor = (crash::the_pool.cursor() + kPage - 1) / kPage * kPage;
  const std::uint64_t end = crash::Pool::kBase + crash::the_pool.size();
  const std::uint64_t left = cursor < end ? end - cursor : 0;
  if (size > left) {
    if (kind == FileKind::kMapped) {
      const OutOfProgram host;
      refuse("the program maps " + std::to_string(size) + " bytes of " + path + ", and the pool has only " +
             std::to_string(left) + " (see --pool-size)");
    }
    // A program that creates a pool of a gigabyte rarely fills it. Leaves some room for others.
    size = left / 4 * 3 / kPage * kPage;
  }
  if (size < PoolHeader::kSize && kind == FileKind::kObjects) {
    error(ENOSPC, "the pool is full");
    return nullptr;
  }
  void* block = crash::the_pool.allocate(size, kPage);
  if (block == nullptr) {
    error(ENOSPC, "the pool is full");
    return nullptr;
  }
  if (crash::tracing()) crash::the_recorder.allocate(number_of(block), size, caller);
  put(free->begin, number_of(block), caller);
  put(free->size, size, caller);
  put(free->objects, kind == FileKind::kObjects ? 1 : 0, caller);
  return &*free;
}

void publish_file(File& file, const char* path, const void* caller) { put(file.name, name_of(path), caller); }

pmemobjpool* pool_of(const void* address) {
  for (const File& file : files()) {
    if (file.name == 0) break;
    if (number_of(address) - file.begin < file.size && is_open(file)) return pool_in(file);
  }
  return nullptr;
}

pmemobjpool* pool_of(Oid oid) {
  for (const File& file : files()) {
    if (file.name == 0) break;
    if (is_open(file) && header_of(pool_in(file)).uuid == oid.pool_uuid_lo) return pool_in(file);
  }
  return nullptr;
}

void check_open(pmemobjpool* pop, const char* function, const void* caller) {
  if (pop != nullptr && pool_of(static_cast<const void*>(pop)) == pop) return;
  fatal(function, "is called with a pool that is not open", caller);
}

namespace {

pmemobjpool* opened(const File& file, const void* caller) {
  pmemobjpool* pop = pool_in(file);
  PoolHeader& header = header_of(pop);
  forget_transactions(pop);
  for (Lane& lane : header.lanes) {
    // An atomic function within a transaction comes after the ranges that the transaction added before.
    undo(lane.atomic, caller);
    undo(lane.transaction, caller);
  }
  put_volatile(header.run, ++openings);
  return pop;
}

bool layout_fits(const PoolHeader& header, const char* layout) {
  return layout == nullptr || std::strncmp(header.layout.data(), layout, PoolHeader::kLongestLayout) == 0;
}

}  // namespace

}  // namespace linpoint::runtime::pmdk

namespace pmdk = linpoint::runtime::pmdk;

extern "C" {

// Read by pmemobj_direct, which is inline.
int _pobj_cache_invalidate = 0;  // NOLINT(bugprone-reserved-identifier)
struct _pobj_pcache {            // NOLINT(bugprone-reserved-identifier)
  pmemobjpool* pop;
  std::uint64_t uuid_lo;
  int invalidate;
};
__thread struct _pobj_pcache _pobj_cached_pool = {nullptr, 0, 0};  // NOLINT(bugprone-reserved-identifier)

pmemobjpool* pmemobj_create(const char* path, const char* layout, std::size_t size, mode_t /*mode*/) {
  using namespace pmdk;
  called(__func__, LINPOINT_CALLER);
  constexpr std::size_t kSmallest = std::size_t{8} << 20U;  // PMEMOBJ_MIN_POOL
  const char* name = layout == nullptr ? "" : layout;
  if (std::strlen(name) >= PoolHeader::kLongestLayout) {
    error(EINVAL, "Layout too long");
    return nullptr;
  }
  if (find_file(path) != nullptr) {
    error(EEXIST, "file already exists");
    return nullptr;
  }
  // 0 is for pool sets, which the model does not support.
  if (size < kSmallest) {
    error(EINVAL, "size smaller than the least size of a pool");
    return nullptr;
  }
  File* file = add_file(path, size, FileKind::kObjects, LINPOINT_CALLER);
  if (file == nullptr) return nullptr;
  PoolHeader& header = header_of(pool_in(*file));
  put(header.uuid, name_of(path), LINPOINT_CALLER);
  put(header.size, file->size, LINPOINT_CALLER);
  copy(header.layout.data(), name, std::strlen(name) + 1, LINPOINT_CALLER);
  flush(header.layout.data(), std::strlen(name) + 1, kOwn, true);
  publish_file(*file, path, LINPOINT_CALLER);
  fence(kOwn);
  ++_pobj_cache_invalidate;
  return opened(*file, LINPOINT_CALLER);
}

pmemobjpool* pmemobj_open(const char* path, const char* layout) {
  using namespace pmdk;
  called(__func__, LINPOINT_CALLER);
  const File* file = find_file(path);
  if (file == nullptr || !file->has_objects()) {
    error(file == nullptr ? ENOENT : EINVAL,
          file == nullptr ? "No such file or directory" : "not a pool of libpmemobj");
    return nullptr;
  }
  if (!layout_fits(header_of(pool_in(*file)), layout)) {
    error(EINVAL, "wrong layout");
    return nullptr;
  }
  ++_pobj_cache_invalidate;
  return opened(*file, LINPOINT_CALLER);
}

void pmemobj_close(pmemobjpool* pop) {
  using namespace pmdk;
  called(__func__, LINPOINT_CALLER);
  check_open(pop, __func__, LINPOINT_CALLER);
  ++_pobj_cache_invalidate;
  put_volatile(header_of(pop).run, 0);
}

int pmemobj_check(const char* path, const char* layout) {
  using namespace pmdk;
  called(__func__, LINPOINT_CALLER);
  const File* file = find_file(path);
  if (file == nullptr) return error(ENOENT, "No such file or directory");
  if (file->has_objects() && layout_fits(header_of(pool_in(*file)), layout)) return 1;
  error(EINVAL, "wrong layout");
  return -1;
}

pmemobjpool* pmemobj_pool_by_ptr(const void* address) {
  pmdk::called(__func__, LINPOINT_CALLER);
  return pmdk::pool_of(address);
}
pmemobjpool* pmemobj_pool_by_oid(pmemoid oid) {
  pmdk::called(__func__, LINPOINT_CALLER);
  return pmdk::pool_of(oid);
}
void* pmemobj_direct(pmemoid oid) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmemobjpool* pop = oid.off == 0 ? nullptr : pmdk::pool_of(oid);
  return pop == nullptr ? nullptr : pmdk::at_offset(pop, oid.off);
}
pmemoid pmemobj_oid(const void* address) {
  pmdk::called(__func__, LINPOINT_CALLER);
  pmemobjpool* pop = pmdk::pool_of(address);
  return pop == nullptr ? pmdk::kNullOid : pmdk::oid_at(pop, pmdk::offset_of(pop, address));
}

// Both are the versions of Debian's headers; requiring a newer one gives an error.
const char* pmemobj_check_version(unsigned major, unsigned minor) {
  constexpr unsigned kMajor = 2;
  constexpr unsigned kMinor = 4;
  if (major != kMajor) return "libpmemobj major version mismatch";
  return minor > kMinor ? "libpmemobj minor version mismatch" : nullptr;
}
const char* pmemobj_errormsg() { return pmdk::error_message(); }
}
