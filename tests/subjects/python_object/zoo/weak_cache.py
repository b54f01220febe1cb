# SPDX-License-Identifier: Apache-2.0
"""A cache of weak references: the picture dies between the check and its use."""

from __future__ import annotations

import weakref

import linpoint


class Picture:
    def __init__(self, name: str) -> None:
        self.name = name


class Gallery:
    def __init__(self) -> None:
        self._shown: dict[str, Picture] = {"sunrise": Picture("sunrise")}
        self._known = weakref.WeakValueDictionary(self._shown)

    def take_down(self, name: str) -> None:
        self._shown.pop(name, None)

    def look(self, name: str) -> str | None:
        if name in self._known:
            return self._known[name].name
        return None


class CarefulGallery(Gallery):
    def look(self, name: str) -> str | None:
        picture = self._known.get(name)
        return None if picture is None else picture.name


@linpoint.spec
class Pictures:
    """A removed picture may be seen while another thread still looks at it, but not again once it was gone."""

    initial = "shown"

    def look(state: str, name: str) -> list[tuple[str | None, str]]:  # noqa: N805 - a step of a spec
        return {"shown": [(name, "shown")], "down": [(name, "down"), (None, "gone")], "gone": [(None, "gone")]}[state]

    def take_down(state: str, _name: str) -> tuple[None, str]:  # noqa: N805
        return None, "down" if state == "shown" else state


class TestGallery(linpoint.ConcurrentTest):
    spec = Pictures
    operations = 1

    def setup(self) -> Gallery:
        return Gallery()

    @linpoint.operation({"name": ["sunrise"]})
    def look(self, gallery: Gallery, name: str) -> str | None:
        return gallery.look(name)

    @linpoint.operation({"name": ["sunrise"]})
    def take_down(self, gallery: Gallery, name: str) -> None:
        gallery.take_down(name)


class TestCarefulGallery(TestGallery):
    def setup(self) -> Gallery:
        return CarefulGallery()
