// SPDX-License-Identifier: Apache-2.0
// Persistent multi-word compare-and-swap, after Wang, Levandoski and Larson, "Easy Lock-Free Indexing in Non-Volatile
// Memory" (ICDE 2018), with the fix that Cepeda et al. (OPODIS 2019) describe.
//
// Phase 1 claims the words in the order of their addresses: each gets a reference to the operation's descriptor in
// place of the expected value. Then the status is decided once. Phase 2 replaces claims by the new values, or by the
// old ones. A thread that encounters a claim helps to complete its operation. Every written content is marked dirty
// until it is flushed, and no thread relies on dirty contents: an operation is durable before its effect becomes
// visible.
//
// Guarantees: linearizable; lock-free, since an operation is delayed only by one that completes. After a crash of the
// whole system an operation took effect before the crash or never will: strictly linearizable. After a crash of one
// process other processes may still complete its operation, up to the process's own recovery: recoverably linearizable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "descriptors.hpp"
#include "memory.hpp"
#include "steps.hpp"

class Mwcas {
 public:
  // With the bug, phase 1 treats an expected value that is still dirty as a different value, like the paper's codebase
  // A.
  Mwcas(Memory& memory, std::size_t processes, std::size_t words, bool dirty_bit_bug)
      : memory_(&memory), descriptors_(processes, words), dirty_bit_bug_(dirty_bit_bug) {}

  // Nothing if it succeeded, else the address of the mismatched word.
  std::optional<std::size_t> run(Steps& steps, std::size_t process, std::span<const Change> changes) {
    const Reference reference = descriptors_.make(process, changes);
    // Durable before it is published: an image that refers to it must find it.
    descriptors_.flush(steps, *memory_, reference);
    help(steps, reference);
    const Bits status = descriptors_.at(reference).status.load();
    if (status::succeeded(status)) return std::nullopt;
    return descriptors_.changes(reference)[status::blamed(status)].address;
  }

  // The value of one word, durable before it is returned.
  Bits read(Steps& steps, std::size_t address) {
    Word& word = (*memory_)[address];
    for (;;) {
      steps.step();
      const Bits met = word.load();
      if ((met & kInstall) != 0) {
        complete_install(steps, met);
      } else if ((met & kClaim) != 0) {
        help_other(steps, word, met);
      } else if ((met & kDirty) != 0) {
        memory_->persist(steps, word, met);
      } else {
        return met;
      }
    }
  }

  // The values of several words at one time: two collects that agree. No value returns to a word after it was replaced
  // (the driver writes each value once), so every word had its value from the first collect to the second. A collect is
  // repeated only if another operation succeeded meanwhile, so this is lock-free too.
  void snapshot(Steps& steps, std::span<const std::size_t> addresses, std::span<Bits> values) {
    for (std::size_t i = 0; i < addresses.size(); ++i) values[i] = read(steps, addresses[i]);
    for (bool agreed = false; !agreed;) {
      agreed = true;
      for (std::size_t i = 0; i < addresses.size(); ++i) {
        const Bits again = read(steps, addresses[i]);
        agreed = agreed && again == values[i];
        values[i] = again;
      }
    }
  }

  // The recovery of one process: completes its last operation before it starts another.
  void recover_process(Steps& steps, std::size_t process) {
    if (!descriptors_.has_latest(process)) return;
    const Reference reference = descriptors_.latest(process);
    decide(reference, status::kAborted);
    finish(steps, reference);
  }

  // The recovery of the whole system, while no thread runs: rolls forward if success was durable, else back.
  void recover_system(Random& random, double evictions) {
    for (std::size_t address = 0; address < memory_->size(); ++address) {
      const Bits image = (*memory_)[address].image();
      if ((image & (kClaim | kInstall)) == 0) {
        (*memory_)[address].reset(image & ~kDirty);
        continue;
      }
      const Reference reference = descriptor_of(image);
      Descriptor& descriptor = descriptors_.at(reference);
      // All words must see the same status: once evicted, it stays in the image.
      if (random.chance(evictions)) descriptor.status_image.store(descriptor.status.load());
      descriptor.status.store(descriptor.status_image.load());
      const Bits status = descriptor.status.load();
      if (status == 0) throw std::logic_error("an image refers to a descriptor that was never flushed");
      const std::span<const Change> changes = descriptors_.changes(reference);
      const auto change = std::find_if(changes.begin(), changes.end(),
                                       [address](const Change& each) { return each.address == address; });
      // An install mark means that the word was not yet claimed, whatever happened to the operation later.
      const bool forward = (image & kClaim) != 0 && status::succeeded(status);
      (*memory_)[address].reset(forward ? change->desired : change->expected);
    }
  }

 private:
  void help(Steps& steps, Reference reference) {
    if (descriptors_.at(reference).status.load() == status::kUndecided) decide(reference, claim_all(steps, reference));
    finish(steps, reference);
  }

  void help_other(Steps& steps, Word& word, Bits claim) {
    if ((claim & kDirty) != 0) memory_->persist(steps, word, claim);
    help(steps, descriptor_of(claim));
  }

  // Phase 1: the status to propose.
  Bits claim_all(Steps& steps, Reference reference) {
    const std::span<const Change> changes = descriptors_.changes(reference);
    const Bits claim = kClaim | reference;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (!claim_one(steps, reference, i)) return status::failed_at(i);
    }
    // All claims are durable before the status says so: recovery finds the words to roll forward by their claims.
    for (const Change& change : changes) {
      Word& word = (*memory_)[change.address];
      steps.step();
      if (word.load() == (claim | kDirty)) memory_->persist(steps, word, claim | kDirty);
    }
    return status::kSucceeded;
  }

  // False if the word holds another value than the expected one. The result is irrelevant once the status is decided.
  bool claim_one(Steps& steps, Reference reference, std::size_t position) {
    const Change& change = descriptors_.changes(reference)[position];
    Word& word = (*memory_)[change.address];
    const Bits claim = kClaim | reference;
    while (descriptors_.at(reference).status.load() == status::kUndecided) {
      const Bits met = install(steps, reference, position);
      if (met == change.expected || (met & ~kDirty) == claim) return true;
      if ((met & kClaim) != 0) {
        help_other(steps, word, met);
        continue;
      }
      if ((met & kDirty) == 0 || dirty_bit_bug_) return false;
      memory_->persist(steps, word, met);
    }
    return true;
  }

  // Puts the operation's install mark in place of the expected value, and completes it; returns the content it found.
  Bits install(Steps& steps, Reference reference, std::size_t position) {
    const Change& change = descriptors_.changes(reference)[position];
    const Bits mark = install_mark(reference, position);
    for (;;) {
      steps.step();
      const Bits met = (*memory_)[change.address].replace(change.expected, mark);
      if (met == change.expected) complete_install(steps, mark);
      if ((met & kInstall) == 0) return met;
      complete_install(steps, met);
    }
  }

  // A word may only be claimed while its operation is undecided. Without the mark, a slow helper could claim a word
  // after its operation had succeeded and another operation had restored the expected value; the operation would take
  // effect twice. Rolling back leaves no dirty bit: if the mark is in the image, recovery reads the same value from it.
  void complete_install(Steps& steps, Bits mark) {
    const Reference reference = descriptor_of(mark);
    const Change& change = descriptors_.changes(reference)[position_of(mark)];
    steps.step();
    const bool undecided = descriptors_.at(reference).status.load() == status::kUndecided;
    steps.step();
    (*memory_)[change.address].replace(mark, undecided ? kClaim | kDirty | reference : change.expected);
  }

  void decide(Reference reference, Bits decision) {
    Bits expected = status::kUndecided;
    descriptors_.at(reference).status.compare_exchange_strong(expected, decision | kDirty);
  }

  // Phase 2, once the status is decided: the status is durable before any word shows it.
  void finish(Steps& steps, Reference reference) {
    Descriptor& descriptor = descriptors_.at(reference);
    Bits status = descriptor.status.load();
    if ((status & kDirty) != 0) {
      descriptors_.flush(steps, *memory_, reference);
      steps.step();
      descriptor.status.compare_exchange_strong(status, status & ~kDirty);
    }
    const Bits claim = kClaim | reference;
    for (const Change& change : descriptors_.changes(reference)) {
      Word& word = (*memory_)[change.address];
      const Bits value = (status::succeeded(status) ? change.desired : change.expected) | kDirty;
      steps.step();
      if (word.replace(claim | kDirty, value) == claim) word.replace(claim, value);
      steps.step();
      if (word.load() == value) memory_->persist(steps, word, value);
    }
  }

  Memory* memory_;
  Descriptors descriptors_;
  bool dirty_bit_bug_;
};
