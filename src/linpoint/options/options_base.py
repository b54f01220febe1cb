# SPDX-License-Identifier: Apache-2.0
"""``Options``: the base of the options of each command, merged from the layers that give them.

    options = CrashOptions(spec="map")                 # in code
    options = merge_layers(CrashOptions, layers)       # on a command line
    options.for_file("list_test.cpp")                  # with the comments of the file

Guarantee: an object holds only allowed values, whichever surface they come from. It is the configuration of the run:
fields have their defaults where no layer gives them.
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
"""Of the classes that were asked for them."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a command. Make one with keywords, or with ``merge_layers``."""

    layers: tuple[Layer, ...] = field(default=(), repr=False, compare=False)
    """The values by their origin; of an object that is made in code, its keywords."""
    rules: ClassVar[tuple[Rule, ...]] = ()
    description: ClassVar[str] = ""
    """The help of the command: paragraphs, and examples."""

    def __new__(cls, **values: Any) -> Self:
        """Remember which fields are given, also where that is their default."""
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
                object.__setattr__(self, name, each.default)  # None: not given
            elif value != each.default:
                object.__setattr__(self, name, each.type.check(value, each.flag))
        for rule in self.rules:
            rule.check(self._given_options())

    @classmethod
    def declared(cls) -> dict[str, Option]:
        """The options by field name, in the order of their declaration."""
        if cls not in _DECLARED:
            _DECLARED[cls] = declared_options(cls)
        return _DECLARED[cls]

    @property
    def explicit(self) -> frozenset[str]:
        """The fields that are given for this very run."""
        return frozenset(name for layer in self.layers if layer.surface & EXPLICIT for name in layer.values)

    def check_language(self, language: str) -> None:
        """Refuse options that mean nothing for targets in ``language``."""
        for rule in self.rules:
            if isinstance(rule, OnlyFor):
                rule.check_language(self._given_options(), language)

    def over(self, lower: Self) -> Self:
        """These options, and those of ``lower`` where nothing is given here."""
        return merge_layers(type(self), (*lower.layers, *self.layers))

    def with_values(self, surface: Surface = Surface.CODE, /, **values: Any) -> Self:
        """The same options with a layer of other values."""
        return merge_layers(type(self), (*self.layers, Layer(surface, values)))

    def for_file(self, file: str, *, only: Collection[str] = ()) -> Self:
        """With the comments ``// linpoint: ...`` of a C++ file below the command line; of these ``only`` some fields."""
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
        """The layers of the comments of a file; a mistake is reported at its line."""
        layers = []
        for place, layer in comment_layers(cls.declared(), file):
            try:
                merge_layers(cls, (layer,))
            except LinpointError as error:
                raise error.at(place) from None
            layers.append(layer)
        return layers

    def argv(self, *, passthrough: bool = True) -> list[str]:
        """The words that give the same options on a command line, in the order of their declaration.

        Without ``passthrough`` the words after ``--`` are left out.
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
        """The options that differ from their defaults, for a process that does the work; output stays here."""
        return {
            name: each.type.to_json(getattr(self, name))
            for name, each in self.declared().items()
            if not each.positional and each.panel is not Panel.OUTPUT and getattr(self, name) != each.default
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The options that ``as_json`` has given."""
        return merge_layers(cls, (Layer(Surface.TOKEN, values),))

    def _given_options(self) -> GivenOptions:
        values = {name: getattr(self, name) for name in self.declared()}
        return GivenOptions(self.declared(), values, self.explicit)


_AnyOptions = TypeVar("_AnyOptions", bound=Options)


def merge_layers(options_class: type[_AnyOptions], layers: Iterable[Layer]) -> _AnyOptions:
    """The options that the layers give together; those of a surface that comes later in the precedence win."""
    kept = tuple(layers)
    return options_class(**merge_values(options_class.declared(), kept), layers=kept)
