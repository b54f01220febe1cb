// SPDX-License-Identifier: Apache-2.0
// The global variables of the program: saved once its constructors have run, and restored before each run.
//
// Cost of restoring: small data are copied; for large data the kernel drops the written pages. Pages of the C++ library
// are write-protected until they are written, which is rare.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/interpose/process/loaded_objects.hpp"

namespace linpoint::runtime {

class Image {
 public:
  void keep(const SharedObjects& objects);
  /// Saves the current values instead.
  void keep_again();
  void restore();
  /// Whether a fault at this address was the first write to a watched page: then the write can be retried.
  [[nodiscard]] bool unprotect(std::uintptr_t address);

 private:
  struct Copied {
    unsigned char* begin = nullptr;
    HostVector<unsigned char> bytes;
  };
  struct Mapped {
    unsigned char* begin = nullptr;
    std::size_t size = 0;
  };
  struct Watched {
    unsigned char* begin = nullptr;
    HostVector<unsigned char> bytes;
    bool written = false;
  };

  void keep_copy(Range range);
  void keep_range(Range range);
  void watch(Range range);

  HostVector<Copied> copied_;
  HostVector<Mapped> mapped_;
  HostVector<Watched> watched_;
  bool any_written_ = false;
};
extern Image the_image;

}  // namespace linpoint::runtime
