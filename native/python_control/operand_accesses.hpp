// SPDX-License-Identifier: Apache-2.0
// What an instruction of Python is about to read and write, from the operands on the value stack.
//
// A place is an attribute of an object, the contents of a container, a global name or a cell. Objects that cannot
// change have none. Guarantee: what a built-in container's method or operator reads or writes is among the accesses; a
// function written in C that is not known is taken to change whatever changeable objects it is given.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::control {

/// What an instruction does; the numbers are those of `bytecode.py`.
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
  kReadBoth = 12,       // the two on top; `operand` is 1 if with all that they contain
  kChangeInPlace = 13,  // the second from the top, with the one on top
  kCallWithNames = 14,  // as kCall, with a tuple of names on top
  kCallWithTuple = 15,  // arguments in a tuple; `operand` is 1 if there is a dict too
  kReadTop = 16,        // the contents of the `operand` topmost
  kReadSuper = 17,      // name, of the object on top as a class beneath it inherits it
  kMatchClass = 18,     // attributes of the third from the top: `operand` positional ones, and the names on top
  kYield = 19,          // the generator whose code it is
  kDeleteAttribute = 20,
  kDeleteGlobal = 21,
  // Of code that announces itself; it has no stack to look at, but gives its operands as if they were on one.
  kCallOf = 22,  // `operand` arguments, beneath them what is called
  kMatch = 23,   // a subject beneath the names of attributes
  kBreak = 24,   // where an interpreter with a global lock may let others go on
  kLine = 25,    // the beginning of a line
  kUnseen = 26,  // a function without a source: its arguments, names of attributes that it reads, and that it writes
  kSpread = 27,  // a call with what is to be unpacked as its arguments on top, beneath it what is called
  // Of both.
  kReadMembers = 28,  // container at `operand`, whose members are compared
  kReadItem = 29,     // container at `operand`, which may make what is missing
  kReadDeeply = 30,   // the `operand` topmost, with all that they contain
  kReadAny = 31,      // as kReadAttribute, of a name that the program assigns: methods are data then
  kReturn = 32,       // to whoever called, which may be code written in C that goes on
};

struct Instruction {
  Action action = Action::kNone;
  bool may_switch = false;  ///< a scheduling point, if there is an access or it is `always`
  bool always = false;      ///< a scheduling point even if nothing shared is touched
  std::int32_t depth = 0;   ///< of the stack before the instruction
  std::int32_t operand = 0;
  PyObject* name = nullptr;  ///< interned, borrowed from the code object
};

/// An object that the instruction touches, for those who tell what happened.
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
  PyObject* generator = nullptr;  ///< whose frame it is, if it is one's
};

/// Types on top of locks: like real locks, their objects may have been made without control. Borrowed, for ever.
void look_out_for(std::vector<PyTypeObject*> types_on_locks);

/// Says of code whether it is left alone, and makes no points of its own.
inline bool (*one_step)(PyCodeObject* code) = nullptr;

/// Collects what the instruction touches. Gives a real lock, or what is on top of one, that it is about to use, if any.
PyObject* collect(const Instruction& instruction, const Operands& operands, std::vector<Touched>& out);

/// Whether a weak reference was followed since this was last asked: when its object dies is in no access.
[[nodiscard]] bool looked_weakly();

/// Whether code was called since this was last asked of which nobody knows what it depends on, but for its arguments.
[[nodiscard]] bool looked_blindly();

/// Whether an instruction since this was last asked may depend on what is in no access.
[[nodiscard]] bool looked_opaquely();

/// Whether since this was last asked something was touched that no access tells, or that is read without a point.
[[nodiscard]] bool looked_past();

/// Whether an instruction may call functions of Python while it is under way, and look at objects again after that.
[[nodiscard]] bool may_call_back(const Instruction& instruction, const std::vector<Touched>& touched);

/// What a result shows of objects that others may have too.
void collect_result(PyObject* result, std::vector<Touched>& out);

/// Adds the places as numbers: an attribute lies within its object, and so within the dict that has its attributes.
/// Places of different objects or names overlap with a small chance, which costs schedules and loses none.
void add_accesses(const Touched& touched, std::vector<explore::Access>& out);

}  // namespace linpoint::control
