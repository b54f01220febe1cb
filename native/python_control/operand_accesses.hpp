// SPDX-License-Identifier: Apache-2.0
// The accesses that a Python instruction is about to make, from the operands on the value stack.
//
// A place is an attribute of an object, the contents of a container, a global name or a cell. Immutable objects have no
// places. Guarantee: the accesses include everything that a built-in container's method or operator reads or writes; an
// unknown function written in C is treated as writing to all mutable objects it is given.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::control {

/// The kind of access of an instruction; the numbers are those of `bytecode.py`.
enum class Action : std::uint8_t {
  kNone = 0,
  kReadAttribute = 1,  // object at `operand`, name
  kWriteAttribute = 2,
  kReadContents = 3,  // container at `operand`
  kWriteContents = 4,
  kIterate = 5,   // iterator at `operand`
  kCall = 6,      // `operand` arguments
  kReadCell = 7,  // cell in variable `operand`
  kWriteCell = 8,
  kReadGlobal = 9,  // name
  kWriteGlobal = 10,
  kEnter = 11,          // context manager at `operand`
  kReadBoth = 12,       // the two on top; `operand` is 1 if with all their contents
  kChangeInPlace = 13,  // the second from the top, with the one on top
  kCallWithNames = 14,  // like kCall, with a tuple of names on top
  kCallWithTuple = 15,  // arguments in a tuple; `operand` is 1 if there is also a dict
  kReadTop = 16,        // the contents of the topmost `operand`
  kReadSuper = 17,      // name, as inherited by the object on top from the classes after the one below it
  kMatchClass = 18,     // attributes of the third from the top: `operand` positional ones, and the names on top
  kYield = 19,          // the generator that the code belongs to
  kDeleteAttribute = 20,
  kDeleteGlobal = 21,
  // For code that announces itself; it has no readable stack, but passes its operands as if they were on one.
  kCallOf = 22,  // `operand` arguments, the callable below them
  kMatch = 23,   // a subject below the names of attributes
  kBreak = 24,   // where an interpreter with a global lock may switch threads
  kLine = 25,    // the beginning of a line
  kUnseen = 26,  // a function without source: its arguments, the names of attributes that it reads, and of those it
                 // writes
  kSpread = 27,  // a call with an iterable of its arguments on top, the callable below it
  // For both.
  kReadMembers = 28,  // container at `operand`, whose members are compared
  kReadItem = 29,     // container at `operand`, which may create missing items
  kReadDeeply = 30,   // the topmost `operand`, with all their contents
  kReadAny = 31,      // like kReadAttribute, of a name that the program assigns: methods are data then
  kReturn = 32,       // to the caller, which may be C code that continues
};

struct Instruction {
  Action action = Action::kNone;
  bool may_switch = false;  ///< a scheduling point, if there is an access or it is `always`
  bool always = false;      ///< a scheduling point even if nothing shared is touched
  std::int32_t depth = 0;   ///< of the stack before the instruction
  std::int32_t operand = 0;
  PyObject* name = nullptr;  ///< interned, borrowed from the code object
};

/// An object that the instruction touches, for traces.
struct Touched {
  PyObject* object = nullptr;  ///< borrowed
  PyObject* name = nullptr;    ///< of an attribute or a global, borrowed; null for contents
  explore::Mode mode = explore::Mode::kRead;
  bool whole = false;  ///< contents and all attributes
};

struct Operands {
  PyObject** locals = nullptr;
  PyObject** top = nullptr;  ///< just past the topmost value
  PyObject* globals = nullptr;
  PyObject* generator = nullptr;  ///< of the frame, if it belongs to a generator
};

/// Sets types built on locks: like real locks, their objects may have been created without control. Borrowed, forever.
void look_out_for(std::vector<PyTypeObject*> types_on_locks);

/// Whether code is excluded and has no scheduling points of its own.
inline bool (*one_step)(PyCodeObject* code) = nullptr;

/// Collects what the instruction touches. Returns the real lock, or the object built on one, that it is about to use,
/// if any.
PyObject* collect(const Instruction& instruction, const Operands& operands, std::vector<Touched>& out);

/// Whether a weak reference was followed since the last call: no access covers when its object dies.
[[nodiscard]] bool looked_weakly();

/// Whether code with unknown dependencies, apart from its arguments, was called since the last call.
[[nodiscard]] bool looked_blindly();

/// Whether an instruction since the last call may depend on something that is in no access.
[[nodiscard]] bool looked_opaquely();

/// Whether something was touched since the last call that no access covers, or that is read without a scheduling point.
[[nodiscard]] bool looked_past();

/// Whether an instruction may call Python functions while it executes, and access objects again after that.
[[nodiscard]] bool may_call_back(const Instruction& instruction, const std::vector<Touched>& touched);

/// What a result exposes of objects that may be shared.
void collect_result(PyObject* result, std::vector<Touched>& out);

/// Adds the places as numbers: an attribute lies within its object, and so within the dict that holds its attributes.
/// Places of different objects or names overlap with a small probability, which costs schedules and loses none.
void add_accesses(const Touched& touched, std::vector<explore::Access>& out);

}  // namespace linpoint::control
