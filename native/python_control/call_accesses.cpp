// SPDX-License-Identifier: Apache-2.0
// The accesses of a call: the object of a method and the arguments, as far as C code reads them.
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "python_control/access_collector.hpp"

namespace linpoint::control {

namespace {

bool weakly = false;
bool blindly = false;

using Names = std::unordered_set<std::string_view>;

const Names& reading_methods() {
  static const Names names{
      "get",        "keys",         "values",       "items",           "copy",        "index",
      "count",      "__contains__", "__len__",      "__iter__",        "__getitem__", "union",
      "difference", "intersection", "issubset",     "issuperset",      "isdisjoint",  "symmetric_difference",
      "__eq__",     "__ne__",       "__reversed__", "__length_hint__", "fromkeys",    "__repr__",
      "__sizeof__", "__reduce__",   "__copy__"};
  return names;
}

/// Functions that only read their arguments; iterators among these advance nevertheless.
const Names& reading_functions() {
  static const Names names{"len",          "sorted",
                           "sum",          "min",
                           "max",          "any",
                           "all",          "iter",
                           "next",         "repr",
                           "print",        "id",
                           "hash",         "abs",
                           "isinstance",   "issubclass",
                           "callable",     "bool",
                           "divmod",       "format",
                           "ascii",        "round",
                           "pow",          "chr",
                           "ord",          "bin",
                           "hex",          "oct",
                           "dir",          "open",
                           "compile",      "eval",
                           "exec",         "input",
                           "locals",       "globals",
                           "vars",         "__build_class__",
                           "__import__",   "nsmallest",
                           "nlargest",     "bisect_left",
                           "bisect_right", "dumps",
                           "copy",         "asdict",
                           "astuple",      "replace",
                           "fields",       "pformat",
                           "deepcopy",     "time",
                           "monotonic",    "perf_counter"};
  return names;
}

const std::unordered_map<std::string_view, Mode>& attribute_functions() {
  static const std::unordered_map<std::string_view, Mode> names{
      {"getattr", Mode::kRead}, {"hasattr", Mode::kRead}, {"setattr", Mode::kWrite}, {"delattr", Mode::kWrite}};
  return names;
}

/// Methods of containers that compare or format members, and so read these too.
const Names& deep_methods() {
  static const Names names{"index",  "count",  "remove", "sort",     "__eq__",  "__ne__",  "__lt__",      "__le__",
                           "__gt__", "__ge__", "format", "__repr__", "__str__", "__mod__", "__contains__"};
  return names;
}

/// Functions that read only their arguments themselves, not the members.
const Names& shallow_functions() {
  static const Names names{"len", "iter",     "next",     "isinstance", "issubclass",
                           "id",  "hash",     "callable", "bool",       "any",
                           "all", "abs",      "vars",     "dir",        "chr",
                           "ord", "heappush", "reduce",   "__import__", "__build_class__"};
  return names;
}

/// Modules whose functions access objects of Python classes only by calling their methods.
const Names& polite_modules() {
  static const Names names{"builtins",     "_operator", "itertools", "_functools", "_heapq", "_bisect",
                           "_collections", "math",      "time",      "_thread",    "_abc",   "_weakref",
                           "_random",      "_struct",   "zlib",      "_io",        "sys",    "posix"};
  return names;
}

/// How code accesses its arguments.
struct Look {
  Mode mode = Mode::kRead;
  bool deeply = false;
  bool objects = false;  ///< also attributes of objects of Python classes
};

void arguments(PyObject* const* args, Py_ssize_t count, Look look, std::vector<Touched>& out) {
  for (Py_ssize_t i = 0; i < count; ++i) look.objects = look.objects || looks_at_attributes(args[i]);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (args[i] == nullptr) continue;
    callback(args[i], out);
    if (look.deeply || look.objects)
      deep_contents(args[i], look.mode, look.objects, out);
    else
      contents(args[i], look.mode, out);
  }
}

struct Called {
  PyObject* callable = nullptr;
  PyObject* self = nullptr;
  PyObject* const* args = nullptr;
  Py_ssize_t count = 0;
};

/// Whether the class belongs to one of the modules that access objects only through their methods.
bool polite(PyObject* self) {
  const std::string_view name = Py_TYPE(self)->tp_name;
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos || polite_modules().contains(name.substr(0, dot)) ||
         is_python_class(Py_TYPE(self));
}

/// A method of `self` written in C, with the arguments after `self`.
PyObject* method(PyObject* self, std::string_view name, PyObject* const* args, Py_ssize_t count,
                 std::vector<Touched>& out) {
  if (self == nullptr) return nullptr;
  if (PyObject* waited = waited_for(self); waited != nullptr) return waited;
  if (!is_container(self)) look_opaquely();
  if (name == "__setattr__" || name == "__delattr__" || name == "__getattribute__") {
    const Mode mode = name == "__getattribute__" ? Mode::kRead : Mode::kWrite;
    if (count > 0) attribute(self, interned(args[0]), mode, false, out);
    return nullptr;
  }
  const Mode mode = only_reads(name) ? Mode::kRead : Mode::kWrite;
  const bool plain = is_container(self) || cannot_change(self);  // other objects may access whatever they are given
  const bool deeply = deep_methods().contains(name);
  if (name == "__getitem__") {
    item(self, out);
  } else if (plain || !is_python_class(Py_TYPE(self))) {
    if (deeply)
      deep_contents(self, mode, false, out);
    else
      contents(self, mode, out);
  } else if (name != "__init__" && name != "__new__" && name != "__init_subclass__") {
    out.push_back({self, nullptr, mode});
  }
  const bool fills = name.find("into") != std::string_view::npos;
  arguments(args, count, {fills ? Mode::kWrite : Mode::kRead, deeply, !plain && !polite(self)}, out);
  return nullptr;
}

PyObject* function(const Called& called, std::vector<Touched>& out) {
  // `called.callable` is a function written in C: with a module or nothing as its self, or a bound method.
  PyObject* self = PyCFunction_GET_SELF(called.callable);
  const std::string_view name = reinterpret_cast<PyCFunctionObject*>(called.callable)->m_ml->ml_name;  // NOLINT
  if (self != nullptr && !PyModule_Check(self) && !PyType_Check(self)) {
    return method(self, name, called.args, called.count, out);
  }
  if (name != "len") look_opaquely();
  if (const auto found = attribute_functions().find(name); found != attribute_functions().end() && called.count >= 2) {
    attribute(called.args[0], interned(called.args[1]), found->second, false, out);
    return nullptr;
  }
  PyObject* module = reinterpret_cast<PyCFunctionObject*>(called.callable)->m_module;  // NOLINT
  const char* text = module != nullptr && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : nullptr;
  const bool known = text != nullptr && polite_modules().contains(text);
  blindly = blindly || !known;
  arguments(
      called.args, called.count,
      {reading_functions().contains(name) ? Mode::kRead : Mode::kWrite, !shallow_functions().contains(name), !known},
      out);
  return nullptr;
}

std::string_view name_of_descriptor(PyObject* descriptor) {
  PyObject* name = reinterpret_cast<PyDescrObject*>(descriptor)->d_name;  // NOLINT
  const char* text = name == nullptr ? nullptr : PyUnicode_AsUTF8(name);
  return text == nullptr ? "" : text;
}

/// A bound method such as super().__setitem__; null if it is not one.
PyObject* bound(const Called& called, std::vector<Touched>& out) {
  PyObject* self = PyObject_GetAttrString(called.callable, "__self__");
  PyObject* name = PyObject_GetAttrString(called.callable, "__name__");
  const char* text = name == nullptr ? nullptr : PyUnicode_AsUTF8(name);
  PyErr_Clear();
  PyObject* lock = self == nullptr || text == nullptr ? nullptr : method(self, text, called.args, called.count, out);
  Py_XDECREF(self);  // the callable keeps it alive
  Py_XDECREF(name);
  return lock;
}

/// An excluded Python function: one step, which may change the object it is a method of, and its arguments.
void foreign(const Called& called, PyObject* function, std::vector<Touched>& out) {
  PyObject* text = reinterpret_cast<PyFunctionObject*>(function)->func_name;  // NOLINT
  const char* name = PyUnicode_AsUTF8(text);
  const bool reads = name != nullptr && reading_functions().contains(name);
  blindly = true;
  if (PyObject* self = called.self; self != nullptr && is_python_class(Py_TYPE(self))) {
    whole(self, Mode::kWrite, out);
  } else if (!reads) {
    out.push_back({PyFunction_GET_GLOBALS(function), nullptr, Mode::kWrite});  // a module may keep anything
  }
  arguments(called.args, called.count, {reads ? Mode::kRead : Mode::kWrite, true, true}, out);
}

void native_object(const Called& called, std::vector<Touched>& out);
PyObject* partial(const Called& called, std::vector<Touched>& out);

PyObject* call(const Called& called, std::vector<Touched>& out) {
  PyObject* callable = called.callable;
  if (callable == nullptr) return nullptr;
  if (PyFunction_Check(callable)) {
    if (is_one_step(callable)) foreign(called, callable, out);
    return waited_for(called.self);
  }
  if (PyCFunction_Check(callable)) return function(called, out);
  if (Py_TYPE(callable) == &PyMethodDescr_Type || Py_TYPE(callable) == &PyWrapperDescr_Type) {
    const std::string_view name = name_of_descriptor(callable);
    if (called.self != nullptr) return method(called.self, name, called.args, called.count, out);
    return called.count == 0 ? nullptr : method(called.args[0], name, called.args + 1, called.count - 1, out);
  }
  if (Py_TYPE(callable) == types().method_wrapper) return bound(called, out);
  if (PyMethod_Check(callable)) {  // its function is traced itself, unless it is excluded
    PyObject* self = PyMethod_GET_SELF(callable);
    PyObject* function = PyMethod_GET_FUNCTION(callable);
    if (is_one_step(function)) foreign({callable, self, called.args, called.count}, function, out);
    return waited_for(self);
  }
  if (PyType_Check(callable)) {
    look_opaquely();
    // Pairs may be lists; otherwise only text is made of the members.
    const bool deeply = callable == reinterpret_cast<PyObject*>(&PyUnicode_Type) ||                    // NOLINT
                        (callable == reinterpret_cast<PyObject*>(&PyDict_Type) && called.count > 0 &&  // NOLINT
                         called.args[0] != nullptr && !PyDict_Check(called.args[0]));
    arguments(called.args, called.count, {Mode::kRead, deeply, false}, out);
    return nullptr;
  }
  if (PyWeakref_CheckRef(callable)) {  // its result depends on when the object dies, which no access covers
    weakly = true;
    look_opaquely();
    out.push_back({callable, nullptr, Mode::kRead});
    return nullptr;
  }
  if (Py_TYPE(callable) == types().partial) return partial(called, out);
  // A static method is called like its underlying function.
  if (Py_TYPE(callable) != &PyStaticMethod_Type) look_opaquely();
  if (!is_python_class(Py_TYPE(callable))) native_object(called, out);
  return nullptr;
}

/// A call of an object that is neither a function nor a class, and not written in Python.
void native_object(const Called& called, std::vector<Touched>& out) {
  PyTypeObject* type = Py_TYPE(called.callable);
  PyObject* first = called.count > 0 ? called.args[0] : nullptr;
  if (type == types().attribute_getter && first != nullptr) return got_attributes(called.callable, first, out);
  if (type == types().item_getter) return item(first, out);
  if (type == types().method_caller) return contents(first, Mode::kWrite, out);
  callback(called.callable, out);
  arguments(called.args, called.count, {}, out);
}

/// The function with the stored arguments, followed by the given ones.
PyObject* partial(const Called& called, std::vector<Touched>& out) {
  look_opaquely();
  PyObject* function = PyObject_GetAttrString(called.callable, "func");
  PyObject* kept = PyObject_GetAttrString(called.callable, "args");
  PyErr_Clear();
  PyObject* lock = nullptr;
  if (function != nullptr && kept != nullptr && PyTuple_Check(kept)) {
    std::vector<PyObject*> args;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kept); ++i) args.push_back(PyTuple_GET_ITEM(kept, i));
    args.insert(args.end(), called.args, called.args + called.count);
    lock = call({function, nullptr, args.data(), static_cast<Py_ssize_t>(args.size())}, out);
  }
  Py_XDECREF(function);  // the callable keeps both alive
  Py_XDECREF(kept);
  return lock;
}

Called on_stack(PyObject** top, Py_ssize_t count) {
  Called called;
  called.args = top - count;
  called.count = count;
#if PY_VERSION_HEX >= 0x030D0000
  called.callable = top[-count - 2];
  called.self = top[-count - 1];
#else
  const bool method = top[-count - 2] != nullptr;
  called.callable = method ? top[-count - 2] : top[-count - 1];
  called.self = method ? top[-count - 1] : nullptr;
#endif
  return called;
}

}  // namespace

bool looked_weakly() { return std::exchange(weakly, false); }

bool looked_blindly() { return std::exchange(blindly, false); }

bool is_one_step(PyObject* function) {
  return PyFunction_Check(function) && one_step != nullptr &&
         one_step(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function)));  // NOLINT: as for all Python objects
}

bool only_reads(std::string_view method) { return reading_methods().contains(method); }

PyObject* call_on_stack(PyObject** top, Py_ssize_t count, std::vector<Touched>& out) {
  return call(on_stack(top, count), out);
}

PyObject* call_of(PyObject* callable, PyObject* const* args, Py_ssize_t count, std::vector<Touched>& out) {
  return call({callable, nullptr, args, count}, out);
}

PyObject* spread(PyObject* callable, PyObject* args, std::vector<Touched>& out) {
  Called called{.callable = callable};
  if (args != nullptr && PyTuple_Check(args)) {
    called.args = reinterpret_cast<PyTupleObject*>(args)->ob_item;  // NOLINT
    called.count = PyTuple_GET_SIZE(args);
  } else {
    contents(args, Mode::kRead, out);
  }
  return call(called, out);
}

PyObject* call_with_tuple(PyObject** top, bool with_names, std::vector<Touched>& out) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* callable = top[with_names ? -4 : -3];
#else
  PyObject* callable = top[with_names ? -3 : -2];
#endif
  return spread(callable, top[with_names ? -2 : -1], out);
}

}  // namespace linpoint::control
