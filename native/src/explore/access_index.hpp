// SPDX-License-Identifier: Apache-2.0
// Finds the accesses of a run that may overlap a given one, the last first.
//
// Places are divided into granules of eight numbers. Each granule has a chain of the accesses that touch it. Wide
// accesses, such as of a freed block, touch too many granules and are in a separate chain. The table is reused by the
// next run without clearing: entries carry the run's number, and those of other runs count as free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::explore {

class PlaceIndex {
 public:
  void clear() {
    links_.clear();
    used_ = 0;
    wide_ = kNone;
    ++run_;
  }

  /// `number` increases with each access of the run.
  void add(const Access& access, std::uint32_t number) {
    if (wide(access)) {
      links_.push_back({number, wide_});
      wide_ = last_link();
      return;
    }
    for (std::uint64_t granule = first(access); granule <= last(access); ++granule) {
      if (2 * (used_ + 1) > table_.size()) grow();
      Entry& entry = find(granule);
      if (entry.run != run_) {
        entry = {granule, run_, kNone};
        ++used_;
      }
      links_.push_back({number, entry.link});
      entry.link = last_link();
    }
  }

  /// Visits accesses that may overlap, each at least once, and possibly others; stops a chain when `visit` returns
  /// false. `count` is the number of accesses: a wide access visits all of them.
  template <typename Visit>
  void each(const Access& access, std::uint32_t count, const Visit& visit) const {
    if (wide(access)) {
      for (std::uint32_t number = count; number > 0 && visit(number - 1); --number) {
      }
      return;
    }
    follow(wide_, visit);
    if (table_.empty()) return;
    for (std::uint64_t granule = first(access); granule <= last(access); ++granule) {
      const Entry& entry = table_[slot(granule)];
      if (entry.run == run_) follow(entry.link, visit);
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint64_t kGranule = 8;
  static constexpr std::uint64_t kWide = 64;

  struct Entry {
    std::uint64_t granule = 0;
    std::uint64_t run = 0;
    std::uint32_t link = kNone;
  };
  struct Link {
    std::uint32_t number = 0;
    std::uint32_t before = kNone;
  };

  static bool wide(const Access& access) { return access.end - access.begin > kWide; }
  static std::uint64_t first(const Access& access) { return access.begin / kGranule; }
  static std::uint64_t last(const Access& access) { return (access.end - 1) / kGranule; }
  [[nodiscard]] std::uint32_t last_link() const { return static_cast<std::uint32_t>(links_.size() - 1); }

  template <typename Visit>
  void follow(std::uint32_t link, const Visit& visit) const {
    while (link != kNone && visit(links_[link].number)) link = links_[link].before;
  }

  /// The slot of a granule, or the free slot for it. The table must not be full.
  [[nodiscard]] std::size_t slot(std::uint64_t granule) const {
    std::size_t at = mix(granule) & (table_.size() - 1);
    while (table_[at].run == run_ && table_[at].granule != granule) at = (at + 1) & (table_.size() - 1);
    return at;
  }
  Entry& find(std::uint64_t granule) { return table_[slot(granule)]; }

  void grow() {
    std::vector<Entry> old(table_.empty() ? 64 : 2 * table_.size());
    old.swap(table_);
    for (const Entry& entry : old)
      if (entry.run == run_) find(entry.granule) = entry;
  }

  std::vector<Entry> table_;
  std::vector<Link> links_;
  std::size_t used_ = 0;
  std::uint32_t wide_ = kNone;
  std::uint64_t run_ = 1;
};

}  // namespace linpoint::explore
