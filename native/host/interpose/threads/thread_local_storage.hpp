// SPDX-License-Identifier: Apache-2.0
// Thread-local storage of the program's threads.
//
// A fiber borrows the storage of a real thread that does nothing but wait: the loader has made it as for any thread.
// Main has that of the host's own thread, since constructors of the program may have filled it before the snapshot.
#pragma once

#include <cstddef>

#include "host/interpose/process/loaded_objects.hpp"

namespace linpoint::runtime {

class Storage {
 public:
  /// Once the program is loaded, by the thread that loaded it.
  void keep(const SharedObjects& objects);
  /// The base of a thread that is about to begin, with its variables as they are at first; nullptr if nobody needs
  /// that.
  [[nodiscard]] void* fresh(Thread thread);
  /// The variables of the first thread as they are now, and back to that.
  void keep_again();
  void restore() const;

 private:
  struct Variables {
    std::size_t number = 0;
    HostVector<unsigned char> of_main;  ///< after the constructors
    HostVector<unsigned char> of_others;
    HostVector<unsigned char> kept;  ///< of the first thread, in the middle of a run; empty if that never was
  };
  struct Borrowed {
    void* base = nullptr;
    HostVector<unsigned char*> variables;  ///< for each module that has any
  };

  [[nodiscard]] bool borrow(Borrowed& borrowed);
  static void* wait_for_ever(void* argument);

  bool needed_ = false;
  HostVector<Variables> variables_;
  HostVector<Borrowed> borrowed_;
};
extern Storage the_storage;

/// Exceptions that are thrown and caught at the moment, of all threads: none.
void forget_exceptions();

}  // namespace linpoint::runtime
