// SPDX-License-Identifier: Apache-2.0
#include "host/persistent/standard_library_code.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace linpoint::runtime::crash {

namespace {

/// Prefixes of the namespaces std and __gnu_cxx in mangled names.
bool is_standard(std::string_view name) {
  constexpr std::array<std::string_view, 8> kBeginnings = {"_ZNSt",   "_ZNKSt",        "_ZSt",           "_ZNVSt",
                                                           "_ZNVKSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZNOSt"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view each) { return name.starts_with(each); });
}

/// Part of a file; empty if it extends past the end.
template <typename Item>
std::span<const Item> items(std::span<const std::byte> file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset || offset % alignof(Item) != 0) return {};
  return {reinterpret_cast<const Item*>(file.data() + offset), size / sizeof(Item)};
}

void collect(std::span<const std::byte> file, std::uint64_t base, std::vector<Range>& into) {
  const auto heads = items<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (heads.empty() || std::memcmp(heads[0].e_ident, ELFMAG, SELFMAG) != 0) return;
  const auto sections = items<Elf64_Shdr>(file, heads[0].e_shoff, std::uint64_t{heads[0].e_shnum} * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    const auto names = items<char>(file, strings.sh_offset, strings.sh_size);
    for (const Elf64_Sym& symbol : items<Elf64_Sym>(file, section.sh_offset, section.sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || symbol.st_name >= names.size()) continue;
      const char* name = names.data() + symbol.st_name;
      const std::size_t length = ::strnlen(name, names.size() - symbol.st_name);
      if (is_standard({name, length}))
        into.push_back({base + symbol.st_value, base + symbol.st_value + symbol.st_size});
    }
  }
}

}  // namespace

void StandardCode::read(const char* path, std::uint64_t base) {
  functions_.clear();
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status{};
  const std::size_t size = ::fstat(file, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  void* mapped = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) return;
  collect({static_cast<const std::byte*>(mapped), size}, base, functions_);
  ::munmap(mapped, size);
  std::ranges::sort(functions_, {}, &Range::begin);
}

}  // namespace linpoint::runtime::crash
