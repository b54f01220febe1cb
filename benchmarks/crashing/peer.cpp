// SPDX-License-Identifier: Apache-2.0
// A crash test in a separate process, as in tools that copy images and start a program for each: maps a file as the
// pool, recovers, probes, and prints the results as a JSON list of lists.
//
// peer POOL CURSOR PROBES: the file with the image, the first unallocated address of the pool, and a file with the name
// of the test and a line for each probe. The structure is built without hooks.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
const char* linpoint_crash_prepare(const char* text);
void linpoint_crash_recover();
void linpoint_crash_run(unsigned number);
}

namespace {

constexpr std::uint64_t kBase = 0x6000'0000'0000;  // as in the host
constexpr std::uint64_t kHeader = 4096;

std::uint64_t cursor = kBase;
std::uint64_t pool_end = kBase;
std::string results = "[";

void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

std::string text_of(const char* path) {
  std::string text;
  char buffer[65536];
  const int file = ::open(path, O_RDONLY);
  for (ssize_t size = 0; (size = ::read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  ::close(file);
  return text;
}

bool map_pool(const char* path) {
  const int file = ::open(path, O_RDWR);
  struct stat status{};
  if (file < 0 || ::fstat(file, &status) != 0) return false;
  const auto size = static_cast<std::size_t>(status.st_size);
  pool_end = kBase - kHeader + size;
  void* wanted = at(kBase - kHeader);
  return ::mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0) == wanted;
}

}  // namespace

extern "C" {

void* linpoint_pool_base() { return at(kBase); }
std::size_t linpoint_pool_size() { return pool_end - kBase; }
void* linpoint_pool_allocate(std::size_t size, std::size_t alignment) {
  const std::uint64_t to = std::max<std::size_t>(alignment, 16);
  const std::uint64_t begin = (cursor + to - 1) / to * to;
  if (begin + size > pool_end) return nullptr;
  cursor = begin + std::max<std::size_t>(size, 1);
  return at(begin);
}
void* linpoint_pool_root() { return *static_cast<void**>(at(kBase - kHeader)); }
void linpoint_pool_set_root(void* root) { *static_cast<void**>(at(kBase - kHeader)) = root; }

void linpoint_operation_begins(unsigned /*number*/) {}
void linpoint_operation_ends(unsigned /*number*/) {}
void linpoint_operation_resumes() {}
void linpoint_operation_result(unsigned /*number*/, const char* text, std::size_t size) {
  results += results.size() == 1 ? "[" : ",[";
  results.append(text, size);
  results += ']';
}
}

int main(int count, char** words) {
  if (count != 4 || !map_pool(words[1])) return 2;
  cursor = std::strtoull(words[2], nullptr, 10);
  const std::string probes = text_of(words[3]);
  if (linpoint_crash_prepare(probes.c_str()) != nullptr) return 2;
  linpoint_crash_recover();
  const auto lines = static_cast<unsigned>(std::ranges::count(probes, '\n'));
  for (unsigned number = 0; number + 1 < lines; ++number) linpoint_crash_run(number);
  results += ']';
  return ::fwrite(results.data(), 1, results.size(), stdout) == results.size() && std::fflush(stdout) == 0 ? 0 : 1;
}
