// SPDX-License-Identifier: Apache-2.0
// Accesses to places that processes share, one at a time. A sink that records events is called before and after each.
#pragma once

#include <array>
#include <cstring>

#include "refine/instruction_semantics.hpp"
#include "refine/model_heap.hpp"

namespace linpoint::refine {

enum class Done : std::uint8_t { kYes, kBlocked, kFault };

template <class Sink>
class Accesses {
 public:
  Accesses(const Program& program, Sink& sink) : p_(program), memory_(program), meaning_(program), sink_(sink) {}

  /// Performs the access. `unseen`: no other process looks there, so that no store needs a buffer.
  // NOLINTNEXTLINE(readability-function-cognitive-complexity): one case for each kind of access
  Done perform(Slot* s, unsigned process, Frame& f, unsigned at, bool unseen) {
    const Instruction& i = p_.code[at];
    const bool delayed = p_.store_buffers && !unseen;
    const bool empty = memory_.waiting(s, process) == 0;
    if (i.code == Code::kFence) {
      if constexpr (Sink::kRecordsEvents)
        if (empty) sink_.touches(s, process, at, 0, 0, false);
      return empty ? Done::kYes : Done::kBlocked;
    }
    const Place& place = p_.places[static_cast<unsigned>(i.where)];
    std::uint32_t address = 0;
    bool published = true;
    const Fault wrong = meaning_.resolve(f, place, address, published, s);
    if (wrong != Fault::kNothing) return fail(wrong, process, at);
    const std::uint32_t width = place.width;
    if (delayed && !empty && i.code != Code::kLoad && i.code != Code::kStore && i.code != Code::kLoadLinked)
      return Done::kBlocked;
    if constexpr (Sink::kRecordsEvents) sink_.touches(s, process, at, address, width, unseen);
    switch (i.code) {
      case Code::kLoad:
      case Code::kLoadLinked: {
        const Slot* found = delayed ? memory_.seen(s, process, address) : s + address;
        for (std::uint32_t k = 0; k < width; ++k) f.r[i.a + k] = found[k];
        if (i.code == Code::kLoadLinked) p_.block(s, process)[p_.link_slot] = address + 1;
        break;
      }
      case Code::kStore:
        if (!delayed)
          memory_.write(s, address, f.r.data() + i.a, width, published);
        else if (!memory_.delay(s, process, address, f.r.data() + i.a, width))
          return fail(Fault::kRoomForStores, process, at);
        break;
      case Code::kCas: {
        const bool found = meaning_.holds(s, address, f.r.data() + i.b, width);
        if (found) memory_.write(s, address, f.r.data() + i.c, width, published);
        f.r[i.a] = Meaning::truth(found);
        break;
      }
      case Code::kSwap: {
        std::array<Slot, kMostRegisters> old;
        std::memcpy(old.data(), s + address, width * sizeof(Slot));
        memory_.write(s, address, f.r.data() + i.b, width, published);
        std::memcpy(f.r.data() + i.a, old.data(), width * sizeof(Slot));
        break;
      }
      case Code::kFetchAdd: {
        const Slot old = s[address];
        if (old < p_.first_integer || f.r[i.b] < p_.first_integer) return fail(Fault::kNotInteger, process, at);
        Slot now = 0;
        const std::int64_t sum = std::int64_t{old} + f.r[i.b] - 2 * std::int64_t{p_.zero};
        if (const Fault full = meaning_.coded(sum, now); full != Fault::kNothing) return fail(full, process, at);
        memory_.write(s, address, &now, 1, published);
        f.r[i.a] = old;
        break;
      }
      case Code::kStoreConditional: {
        Slot& link = p_.block(s, process)[p_.link_slot];
        const bool held_still = link == address + 1;
        link = 0;
        if (held_still) memory_.write(s, address, f.r.data() + i.b, width, published);
        f.r[i.a] = Meaning::truth(held_still);
        break;
      }
      case Code::kDcas:
        return dcas(s, process, f, at, address, published);
      case Code::kAcquire: {
        if (meaning_.is_true(s[address])) {
          if constexpr (Sink::kRecordsEvents) sink_.waits();
          return Done::kBlocked;
        }
        const Slot now = kTrue;
        memory_.write(s, address, &now, 1, published);
        break;
      }
      case Code::kRelease: {
        if (!meaning_.is_true(s[address])) return fail(Fault::kNotHeld, process, at);
        const Slot now = kFalse;
        memory_.write(s, address, &now, 1, published);
        break;
      }
      default:
        break;
    }
    if constexpr (Sink::kRecordsEvents) sink_.touched(s, address, f.r.data() + i.a);
    return Done::kYes;
  }

 private:
  Done fail(Fault found, unsigned process, unsigned at) {
    sink_.faulted(found, process, at);
    return Done::kFault;
  }

  Done dcas(Slot* s, unsigned process, Frame& f, unsigned at, std::uint32_t one, bool one_published) {
    const Instruction& i = p_.code[at];
    const Place& place = p_.places[static_cast<unsigned>(i.where)];
    const Place& second = p_.places[static_cast<unsigned>(i.other)];
    std::uint32_t other = 0;
    bool other_published = true;
    const Fault wrong = meaning_.resolve(f, second, other, other_published, s);
    if (wrong != Fault::kNothing) return fail(wrong, process, at);
    const Slot* expected = f.r.data() + i.b;
    const Slot* now = expected + place.width + second.width;
    const bool found =
        meaning_.holds(s, one, expected, place.width) && meaning_.holds(s, other, expected + place.width, second.width);
    if (found) {
      memory_.write(s, one, now, place.width, one_published);
      memory_.write(s, other, now + place.width, second.width, other_published);
    }
    f.r[i.a] = Meaning::truth(found);
    if constexpr (Sink::kRecordsEvents) sink_.touched(s, one, f.r.data() + i.a);
    return Done::kYes;
  }

  const Program& p_;
  Memory memory_;
  Meaning meaning_;
  Sink& sink_;
};

}  // namespace linpoint::refine
