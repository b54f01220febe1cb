// SPDX-License-Identifier: Apache-2.0
// The global variables of the program: kept once its constructors have run, and restored before each run.
//
// Cost of restoring: small data are copied; of large ones the kernel drops the pages that were written. Pages of the
// C++ library are write-protected until somebody writes them, since a program seldom does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/interpose/process/loaded_objects.hpp"

namespace linpoint::runtime {

class Image {
 public:
  void keep(const SharedObjects& objects);
  /// They are other ones from now on.
  void keep_again();
  void restore();
  /// Whether a fault at this address was the first write to a page that is watched: then it may be tried again.
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
