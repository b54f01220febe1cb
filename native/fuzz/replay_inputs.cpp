// SPDX-License-Identifier: Apache-2.0
// Runs a fuzzer on files instead of random inputs: the corpus, in the tests, with whatever sanitizers they are built
// with.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, const char* const* arguments) {
  std::size_t inputs = 0;
  for (int number = 1; number < count; ++number) {
    for (const auto& entry : std::filesystem::directory_iterator(arguments[number])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      ++inputs;
    }
  }
  std::printf("passed: %zu inputs\n", inputs);
  return inputs == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
