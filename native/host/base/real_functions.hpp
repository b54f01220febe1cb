// SPDX-License-Identifier: Apache-2.0
// The functions of the C library that the host replaces, for use by the host itself.
#pragma once

#include <dlfcn.h>

namespace linpoint::runtime {

/// Looked up at the first call. To be declared `static constinit`: the guard of a static variable would use functions
/// that are replaced.
template <typename Function>
class Real {
 public:
  /// `version`: where the library has an older function of the same name.
  constexpr explicit Real(const char* name, const char* version = nullptr) : name_(name), version_(version) {}

  template <typename... Arguments>
  auto operator()(Arguments... arguments) {
    if (function_ == nullptr) find();
    return function_(arguments...);
  }

 private:
  void find() {
    void* found = version_ == nullptr ? nullptr : ::dlvsym(RTLD_NEXT, name_, version_);
    if (found == nullptr) found = ::dlsym(RTLD_NEXT, name_);
    function_ = reinterpret_cast<Function*>(found);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
  }

  const char* name_;
  const char* version_;
  Function* function_ = nullptr;
};

}  // namespace linpoint::runtime
