// SPDX-License-Identifier: Apache-2.0
// Which file an address belongs to, for looking up names and lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linpoint::runtime {

class CodePlaces {
 public:
  struct Module {
    std::string path;
    std::uint64_t base = 0;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Collects the modules that are loaded now.
  void collect();
  [[nodiscard]] const std::vector<Module>& all() const { return modules_; }
  [[nodiscard]] std::size_t of(std::uint64_t address) const;

 private:
  struct Segment {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t module = 0;
  };
  std::vector<Module> modules_;
  std::vector<Segment> segments_;
};

}  // namespace linpoint::runtime
