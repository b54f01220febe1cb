// SPDX-License-Identifier: Apache-2.0
// Thread-local storage of the program's threads.
//
// A fiber borrows the storage of a real thread that only waits: the loader has created it like that of any thread. Main
// uses that of the host's own thread, since constructors of the program may have written to it before the snapshot.
#pragma once

#include <cstddef>

#include "host/interpose/process/loaded_objects.hpp"

namespace linpoint::runtime {

class Storage {
 public:
  /// Called once the program is loaded, by the thread that loaded it.
  void keep(const SharedObjects& objects);
  /// The base for a thread that is about to begin, with its variables in their initial state; nullptr if no variable
  /// needs it.
  [[nodiscard]] void* fresh(Thread thread);
  /// Saves the variables of the first thread as they are now.
  void keep_again();
  void restore() const;

 private:
  struct Variables {
    std::size_t number = 0;
    HostVector<unsigned char> of_main;  ///< after the constructors
    HostVector<unsigned char> of_others;
    HostVector<unsigned char> kept;  ///< of the first thread, in the middle of a run; empty if nothing was saved
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

/// Clears the exceptions currently thrown or caught, of all threads.
void forget_exceptions();

}  // namespace linpoint::runtime
