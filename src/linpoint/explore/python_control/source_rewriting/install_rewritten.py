# SPDX-License-Identifier: Apache-2.0
"""Installs announcing code in existing functions, and in modules that are loaded later.

Every function of a selected file first gets a stub that requests its announcing code on the first call: functions that
are never called cost little, however large the imported packages are. A function without a source stays as it is, as
one step that touches those attributes of its arguments which it names. Guarantee: when the block is left, every
function has exactly its original code. Limit: a generator created earlier continues unobserved.
"""

from __future__ import annotations

import dis
import gc
import importlib.machinery
import linecache
import types
import warnings
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Any, Final

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.bytecode_accesses import AccessAction
from linpoint.explore.python_control.instrumented_files import InstrumentedFiles
from linpoint.explore.python_control.source_rewriting.hook_calls import with_constants
from linpoint.explore.python_control.source_rewriting.rewritten_code import CodeBuild, CodeTwins, flags_of, twins_of

_FUNCTION, _RESOLVE, _ANNOUNCE, _READS, _WRITES = (f"\0linpoint {each}" for each in range(5))
_MADE_BY_LIBRARY: Final = "__create_fn__."
"""Methods of data classes; they have no source, which needs no warning."""
_READING: Final = ("LOAD_ATTR", "LOAD_METHOD")
_WRITING: Final = ("STORE_ATTR", "DELETE_ATTR")
_OF_CONTENTS: Final = ("_SUBSCR", "_SLICE", "STORE_GLOBAL", "STORE_DEREF")
_MAX_NAMED_FILES: Final = 5


def _template(body: str) -> types.CodeType:
    source = f"lambda *args, **names: {body}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # for the calls of strings
        found: types.CodeType = eval(source).__code__  # noqa: S307 - one of the two templates below
    return found


_ASKING: Final = _template(f"{_RESOLVE!r}({_FUNCTION!r})(*args, **names)")
_UNSEEN: Final = _template(
    f"({_ANNOUNCE!r}({int(AccessAction.UNSEEN)}, None, (*args, *names.values()), {_READS!r}, {_WRITES!r}),"
    f" {_FUNCTION!r}(*args, **names))[1]"
)


def _filled(template: types.CodeType, like: types.CodeType, constants: dict[str, Any]) -> types.CodeType:
    return with_constants(template, constants).replace(
        co_filename=like.co_filename,
        co_name=like.co_name,
        co_qualname=like.co_qualname,
        co_firstlineno=like.co_firstlineno,
        co_freevars=like.co_freevars,
    )


class RewrittenInstallation:
    """Announcing code in the functions of selected files."""

    def __init__(
        self,
        selected: InstrumentedFiles,
        *,
        lines: bool = False,
        program: Container[str] = (),
        on_random: Callable[[], None] = lambda: None,
    ) -> None:
        self._selected = selected
        self._lines = lines
        self._program = program
        self._on_random = on_random
        self._own: dict[types.FunctionType, types.CodeType] = {}
        """The original code of functions."""
        self._met: set[str] = set()
        self._under_way: set[str] = set()
        self.unseen: list[str] = []
        """Functions that were called and have no source."""

    def code(self, code: types.CodeType) -> types.CodeType:
        """The announcing code of a module that is about to be executed."""
        if code.co_filename not in self._selected:
            return code
        return self._twins(code).of(code) or code

    def install(self) -> None:
        """Make every function of the selected files request its code."""
        for each in gc.get_objects():
            if type(each) is types.FunctionType and each.__code__.co_filename in self._selected:
                self._own[each] = each.__code__
        with _any_kind():
            for function, code in self._own.items():
                function.__code__ = _filled(_ASKING, code, {_FUNCTION: function, _RESOLVE: self._resolve})

    def restore(self) -> None:
        """Give every function its original code back."""
        with _any_kind():
            for function, code in self._own.items():
                function.__code__ = code
        self._own.clear()

    def _resolve(self, function: types.FunctionType) -> Callable[..., Any]:
        """The function to call in place of a stub."""
        file = self._own[function].co_filename
        if file in self._under_way:  # the rewriter may use the function too
            return self._plain(function)
        self._under_way.add(file)
        try:
            with _any_kind():
                native.control_aside(self._give_code, function)
        finally:
            self._under_way.discard(file)
        return function

    def _give_code(self, function: types.FunctionType) -> None:
        """Give announcing code to the function and, if there is a source, to all others of its file."""
        own = self._own[function]
        if self._twins(own, function.__globals__).of(own) is None:
            function.__code__ = self._without_source(function, own)
            return
        for each, code in self._own.items():
            if code.co_filename == own.co_filename:
                twin = self._twins(code, each.__globals__).of(code)
                if twin is not None:
                    each.__code__ = twin

    def _twins(self, code: types.CodeType, names: dict[str, Any] | None = None) -> CodeTwins:
        file = code.co_filename
        if file not in self._met:
            self._met.add(file)
            linecache.checkcache(file)  # it may have been edited since it was last read
        found = twins_of(file, CodeBuild(self._lines, file in self._program, flags_of(code)), names)
        if found.uses_random:
            self._on_random()
        return found

    def _plain(self, function: types.FunctionType) -> types.FunctionType:
        """A copy of the function with its original code."""
        code, names = self._own[function], function.__globals__
        plain = types.FunctionType(code, names, function.__name__, function.__defaults__, function.__closure__)
        plain.__kwdefaults__ = function.__kwdefaults__
        return plain

    def _without_source(self, function: types.FunctionType, code: types.CodeType) -> types.CodeType:
        instructions = list(dis.get_instructions(code))
        reads = {one.argval for one in instructions if one.opname in _READING}
        writes = {one.argval for one in instructions if one.opname in _WRITING}
        constants: dict[str, Any] = {
            _FUNCTION: self._plain(function),
            _ANNOUNCE: native.announce,
            _READS: tuple(sorted(reads)),
            _WRITES: tuple(sorted(writes)),
        }
        touches = reads or writes or any(one.opname.endswith(_OF_CONTENTS) for one in instructions)
        if touches and not code.co_qualname.startswith(_MADE_BY_LIBRARY):
            constants[_FUNCTION] = self._noticed(function, constants[_FUNCTION])
        return _filled(_UNSEEN, code, constants)

    def _noticed(self, function: types.FunctionType, plain: Callable[..., Any]) -> Callable[..., Any]:
        name = f"{function.__module__}.{function.__qualname__}"

        def call(*args: Any, **names: Any) -> Any:
            if native.control_process() is not None and name not in self.unseen:
                self.unseen.append(name)
            return plain(*args, **names)

        return call


@contextmanager
def _any_kind() -> Iterator[None]:
    """A stub may replace the code of a generator, and vice versa; Python 3.13 and later warn of that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@contextmanager
def installed(installation: RewrittenInstallation) -> Iterator[None]:
    """Install announcing code in all existing functions, and in modules that are loaded in the block."""
    loader: Any = importlib.machinery.SourceFileLoader
    get_code = loader.get_code

    def announcing_code(self: Any, name: str) -> types.CodeType | None:
        code = get_code(self, name)
        return None if code is None else installation.code(code)

    loader.get_code = announcing_code
    try:
        installation.install()
        yield
    finally:
        del loader.get_code
        installation.restore()
        if installation.unseen:
            warnings.warn(_without_source(installation.unseen), RuntimeWarning, stacklevel=3)


def _without_source(names: list[str]) -> str:
    shown = ", ".join(sorted(names)[:_MAX_NAMED_FILES])
    more = f" and {len(names) - _MAX_NAMED_FILES} more" if len(names) > _MAX_NAMED_FILES else ""
    return f"linpoint cannot interleave functions without a source; a call of them was one step: {shown}{more}"
