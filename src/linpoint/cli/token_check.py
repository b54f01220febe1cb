# SPDX-License-Identifier: Apache-2.0
"""Decides whether a replay token may be run, and proposes a command line where it may not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from linpoint.errors import LinpointError
from linpoint.histories.values import freeze
from linpoint.options.project_words import COMMANDS_OF_TOKENS, project_words
from linpoint.options.token_fields import options_from_token
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.text.shell_commands import shell_command
from linpoint.verdicts.token_trust import allow_arguments, foreign_words, refuse_foreign_words

_MAX_COMMAND_CHARS: Final = 2_000
_HISTORY: Final = "HISTORY"
"""Stands for the file of a check, which tokens do not name."""


def refuse_foreign_token(content: Mapping[str, Any], allowed: Collection[str] = ()) -> None:
    """Raise LP-U010 for a token with code, flags or a compiler that rules, project and user do not allow."""
    found = foreign_words(content, {*allowed})
    if found:
        # Comments of a file outside the project do not count: the sender of a token could supply that file.
        file = content.get("file")
        own = project_words(content["kind"], None if any(each.word == file for each in found) else file)
        found = [each for each in found if each.word not in own]
    refuse_foreign_words(found, _remedy(content))


def _remedy(content: Mapping[str, Any]) -> str:
    """Two ways for a user who trusts the sender: a readable command line, or the token with permissions."""
    again = shell_command(allow_arguments(content))
    command = shell_command(["linpoint", *command_of_token(content)])
    ways = (f"`{command}`", f"replay the token with {again}")
    known = ", or ".join(each for each in ways if len(each) <= _MAX_COMMAND_CHARS)
    return f"If you trust these arguments, run {known}." if known else "Ask its sender for the command line."


def command_of_token(content: Mapping[str, Any]) -> Sequence[str]:
    """The arguments of ``linpoint`` that search for the finding of a token again, in the scenario of the token."""
    command, options_class = COMMANDS_OF_TOKENS.get(content["kind"], ("replay", None))
    if options_class is None:
        return [command]
    try:
        given = dict(options_from_token(options_class, content).layers[0].values)
        given |= _scenario(content)
        after = given.pop("args" if content["kind"] == "explore" else "flags", ())
        options = options_class(**given).argv()
    except (LinpointError, LookupError, TypeError, ValueError):
        return [command, *_target(content)]
    if content["kind"].startswith("stress"):
        options.append("--stress")
    if content["kind"] == "explore-cpp":
        after = content.get("flags") or ()
    return [command, *_target(content), *options, *(["--", *map(str, after)] if after else [])]


def _target(content: Mapping[str, Any]) -> list[str]:
    """The arguments that name the target of the command."""
    if content["kind"] == "check":
        return [_HISTORY]
    files = content.get("files")
    if isinstance(files, list):
        return [str(each) for each in files]
    name = content.get("test", content.get("model"))
    return [f"{content.get('file')}:{name}" if name else str(content.get("file"))]


def _scenario(content: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of a token, as options."""
    if isinstance(content.get("scenario"), dict):
        scenario = Scenario.from_dict(content["scenario"])
        before, after = ("; ".join(map(str, each)) for each in (scenario.before, scenario.after))
        return {
            "scenario": str(scenario),
            **({"before": before} if before else {}),
            **({"after": after} if after else {}),
        }
    if isinstance(content.get("workload"), list):
        calls = [Call(name, freeze(args)) for name, args in content["workload"]]
        return {"scenario": "; ".join(map(str, calls))}
    return {}
