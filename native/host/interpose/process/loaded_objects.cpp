// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/process/loaded_objects.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace linpoint::runtime {

Code the_system_code;
Code the_program_code;

namespace {

constexpr std::uintptr_t kPage = 4096;

/// Prefixes of file names: neither instrumented nor restored, and harmless.
constexpr std::array<std::string_view, 9> kSystem = {"libc.so",       "libc-",    "libm.so",     "libm-",   "ld-linux",
                                                     "libpthread.so", "libdl.so", "libgcc_s.so", "librt.so"};
constexpr std::string_view kStandard = "libstdc++.so";

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_system(std::string_view path) {
  const std::string_view name = file_name(path);
  return path.empty() || name.starts_with("linux-vdso") ||
         std::ranges::any_of(kSystem, [&](std::string_view begin) { return name.starts_with(begin); });
}

Range code_of(const dl_phdr_info& info) {
  Range range{~std::uintptr_t{0}, 0};
  for (const ElfW(Phdr) & header : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    range.begin = std::min<std::uintptr_t>(range.begin, info.dlpi_addr + header.p_vaddr);
    range.end = std::max<std::uintptr_t>(range.end, info.dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  return range;
}

/// Only the hash table contains the number of symbols.
std::size_t symbols_of(const std::uint32_t* table) {
  const std::uint32_t buckets = table[0];
  const std::uint32_t first = table[1];
  const std::uint32_t words = table[2];
  const std::uint32_t* bucket = table + 4 + words * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t last = 0;
  for (std::uint32_t number = 0; number < buckets; ++number) last = std::max(last, bucket[number]);
  if (last < first) return first;
  while ((chain[last - first] & 1U) == 0) ++last;
  return last + 1;
}

struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* names = nullptr;
  std::size_t count = 0;
};

Symbols symbols_of(const dl_phdr_info& info) {
  Symbols symbols;
  for (const ElfW(Phdr) & header : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    if (header.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + header.p_vaddr);  // NOLINT
    for (; entry->d_tag != DT_NULL; ++entry) {
      const auto* target = reinterpret_cast<const void*>(entry->d_un.d_ptr);  // NOLINT(performance-no-int-to-ptr)
      if (entry->d_tag == DT_SYMTAB) symbols.table = static_cast<const ElfW(Sym)*>(target);
      if (entry->d_tag == DT_STRTAB) symbols.names = static_cast<const char*>(target);
      if (entry->d_tag == DT_GNU_HASH) symbols.count = symbols_of(static_cast<const std::uint32_t*>(target));
      if (entry->d_tag == DT_HASH) symbols.count = static_cast<const std::uint32_t*>(target)[1];
    }
  }
  return symbols;
}

void read_symbols(const dl_phdr_info& info, SharedObject& object) {
  const Symbols symbols = symbols_of(info);
  if (symbols.table == nullptr || symbols.names == nullptr) return;
  for (const ElfW(Sym) & symbol : std::span(symbols.table, symbols.count)) {
    if (symbol.st_shndx != SHN_UNDEF) continue;
    const std::string_view name = symbols.names + symbol.st_name;
    if (name.starts_with("__tsan_")) object.instrumented = true;
    if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS || name == "__errno_location") object.uses_storage = true;
  }
}

Range without_relocated(const dl_phdr_info& info, Range range) {
  for (const ElfW(Phdr) & header : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    if (header.p_type != PT_GNU_RELRO) continue;
    const std::uintptr_t end = (info.dlpi_addr + header.p_vaddr + header.p_memsz) / kPage * kPage;
    if (end > range.begin && end <= range.end) range.begin = end;
  }
  return range;
}

SharedObject read_object(const dl_phdr_info& info) {
  SharedObject object;
  object.path = info.dlpi_name;
  for (const ElfW(Phdr) & header : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    const std::uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0) {
      const Range range = without_relocated(info, {begin, begin + header.p_memsz});
      if (range.begin < range.end) object.writable.push_back(range);
    }
    if (header.p_type == PT_TLS && header.p_memsz != 0) {
      object.storage_number = info.dlpi_tls_modid;
      object.storage_size = header.p_memsz;
    }
  }
  read_symbols(info, object);
  return object;
}

int add_object(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& objects = *static_cast<SharedObjects*>(data);
  const std::string_view path = info->dlpi_name;
  if (is_system(path)) return 0;
  if (file_name(path).starts_with(kStandard)) {
    objects.standard = read_object(*info);
  } else {
    objects.program.push_back(read_object(*info));
    the_program_code.add(code_of(*info));
  }
  return 0;
}

int find_code(dl_phdr_info* info, std::size_t /*size*/, void* /*data*/) {
  const std::string_view name = file_name(info->dlpi_name);
  const auto is = [&](std::string_view begin) { return name.starts_with(begin); };
  if (is("libc.so") || is("libc-") || is("ld-") || is("libgcc_s")) the_system_code.add(code_of(*info));
  return 0;
}

}  // namespace

void find_system_code() { ::dl_iterate_phdr(find_code, nullptr); }

SharedObjects find_shared_objects() {
  SharedObjects objects;
  ::dl_iterate_phdr(add_object, &objects);
  return objects;
}

}  // namespace linpoint::runtime
