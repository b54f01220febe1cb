# SPDX-License-Identifier: Apache-2.0
"""``Options``, the base class of the options of each command, which merges the layers that give them.

    options = CrashOptions(spec="map")                 # in code
    options = merge_layers(CrashOptions, layers)       # on a command line
    options.for_file("list_test.cpp")                  # with the comments of the file

Guarantee: an object holds only allowed values, whichever surface they come from. It is the complete configuration of a
run: fields that no layer gives have their defaults.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self, TypeVar

from linpoint.errors import LinpointError
from linpoint.options.comment_options import comment_layers
from linpoint.options.layers import EXPLICIT, Layer, merge_values
from linpoint.options.rules import GivenOptions, OnlyFor, Rule
from linpoint.options.schema import Option, Panel, Surface, declared_options

_DECLARED: Final[dict[type, dict[str, Option]]] = {}
"""The declared options of each class, computed on demand."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a command. Construct it with keyword arguments or with ``merge_layers``."""

    layers: tuple[Layer, ...] = field(default=(), repr=False, compare=False)
    """The values by origin. For an object constructed in code, its keyword arguments."""
    rules: ClassVar[tuple[Rule, ...]] = ()
    description: ClassVar[str] = ""
    """The help of the command: paragraphs, exit codes and examples."""

    def __new__(cls, **values: Any) -> Self:
        """Remember which fields the caller gives, including values that equal the default."""
        made = object.__new__(cls)
        given = {name: value for name, value in values.items() if name != "layers" and value is not None}
        object.__setattr__(made, "_given", given)
        return made

    def __post_init__(self) -> None:
        given = self.__dict__.pop("_given", {})
        if not self.layers:
            object.__setattr__(self, "layers", (Layer(Surface.CODE, given),))
        for name, each in self.declared().items():
            value = getattr(self, name)
            if value is None and each.default is not None:
                object.__setattr__(self, name, each.default)  # None means not given
            elif value != each.default:
                object.__setattr__(self, name, each.type.check(value, each.flag))
        for rule in self.rules:
            rule.check(self._given_options())

    @classmethod
    def declared(cls) -> dict[str, Option]:
        """The options by field name, in the order of declaration."""
        if cls not in _DECLARED:
            _DECLARED[cls] = declared_options(cls)
        return _DECLARED[cls]

    @property
    def explicit(self) -> frozenset[str]:
        """The fields that are given for this particular run."""
        return frozenset(name for layer in self.layers if layer.surface & EXPLICIT for name in layer.values)

    def check_language(self, language: str) -> None:
        """Reject options that do not apply to targets in ``language``."""
        for rule in self.rules:
            if isinstance(rule, OnlyFor):
                rule.check_language(self._given_options(), language)

    def over(self, lower: Self) -> Self:
        """Merge these options over ``lower``: a value given here wins."""
        return merge_layers(type(self), (*lower.layers, *self.layers))

    def with_values(self, surface: Surface = Surface.CODE, /, **values: Any) -> Self:
        """The same options with an additional layer of values."""
        return merge_layers(type(self), (*self.layers, Layer(surface, values)))

    def for_file(self, file: str, *, only: Collection[str] = ()) -> Self:
        """Add the ``// linpoint:`` comments of a C++ file, below the command line; with ``only``, just these fields."""
        comments = self._comment_layers(file)
        if only:
            comments = [
                Layer(each.surface, {name: value for name, value in each.values.items() if name in only})
                for each in comments
            ]
        return merge_layers(type(self), (*self.layers, *comments))

    @classmethod
    def in_comments(cls, file: str) -> Self:
        """The options that the comments of a file give."""
        return merge_layers(cls, cls._comment_layers(file))

    @classmethod
    def _comment_layers(cls, file: str) -> list[Layer]:
        """The layers of the comments of a file. A mistake is reported at its line."""
        layers = []
        for place, layer in comment_layers(cls.declared(), file):
            try:
                merge_layers(cls, (layer,))
            except LinpointError as error:
                raise error.at(place) from None
            layers.append(layer)
        return layers

    def argv(self, *, passthrough: bool = True) -> list[str]:
        """The words that give the same options on a command line, in the order of declaration.

        Without ``passthrough`` the words after ``--`` are omitted.
        """
        given: dict[str, Any] = {}
        for layer in self.layers:
            if layer.surface in (Surface.COMMAND_LINE, Surface.CODE):
                given |= layer.values
        words: list[str] = []
        after_dashes: list[str] = []
        for name, each in self.declared().items():
            if name not in given or given[name] == each.default:
                continue
            if each.passthrough:
                after_dashes = each.type.words(given[name])
            elif Surface.ARGV in each.surfaces:
                texts = each.type.words(given[name])
                words += [word for text in texts for word in (each.flag, text)] if texts else [each.flag]
        return [*words, *(["--", *after_dashes] if after_dashes and passthrough else [])]

    def as_json(self) -> dict[str, Any]:
        """The options that differ from their defaults, for a worker process. Options for output are not included."""
        return {
            name: each.type.to_json(getattr(self, name))
            for name, each in self.declared().items()
            if not each.positional and each.panel is not Panel.OUTPUT and getattr(self, name) != each.default
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The options from the result of ``as_json``."""
        return merge_layers(cls, (Layer(Surface.TOKEN, values),))

    def _given_options(self) -> GivenOptions:
        values = {name: getattr(self, name) for name in self.declared()}
        return GivenOptions(self.declared(), values, self.explicit)


_AnyOptions = TypeVar("_AnyOptions", bound=Options)


def merge_layers(options_class: type[_AnyOptions], layers: Iterable[Layer]) -> _AnyOptions:
    """Merge the layers; the surface with the highest precedence wins."""
    kept = tuple(layers)
    return options_class(**merge_values(options_class.declared(), kept), layers=kept)
