"""Describe the errors of a value in sentences for its sender.

A sentence names the place and the rule. It never shows a schema, and of the request only names,
shortened and made printable.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jsonschema_rs import ValidationError

from openapi.text import counted

MOST = 5
"""How many violations are listed at once; a reader corrects no more than that anyway."""

_LONGEST_NAME = 60
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_FORMATS = {
    "uri": "must be a complete address such as https://acme.example/changelog",
    "email": "must be an email address such as ada@acme.example",
    "date-time": "must be a date and time with an offset such as 2026-11-01T00:00:00Z",
    "date": "must be a date such as 2026-11-01",
}
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_RULES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "type": lambda facts: "must be " + " or ".join(_TYPES[name] for name in facts["types"]),
    "format": lambda facts: _FORMATS.get(facts["format"], "is not well formed"),
    "enum": lambda facts: "must be " + _one_of(facts["options"]),
    "minimum": lambda facts: f"must be at least {facts['limit']}",
    "maximum": lambda facts: f"must be at most {facts['limit']}",
    "minLength": lambda facts: "must have at least " + counted(facts["limit"], "character"),
    "maxLength": lambda facts: "must have at most " + counted(facts["limit"], "character"),
    "minItems": lambda facts: "must have at least " + counted(facts["limit"], "item"),
    "maxItems": lambda facts: "must have at most " + counted(facts["limit"], "item"),
    "uniqueItems": lambda _: "must not repeat an item",
    "not": lambda _: "must not contain a NUL character",
    "oneOf": lambda _: "has none of the shapes it may have",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule.

    ``where`` is a parameter's or a field's name; further in, names and positions are joined
    by slashes; empty means the value itself. ``sentence`` is the rule, with a full stop;
    ``hint`` says what to do.
    """

    where: str
    sentence: str
    hint: str | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence}"


def printable(name: str) -> str:
    """Return a name from a request in a form that is safe to show."""
    if _PLAIN_NAME.fullmatch(name) and len(name) <= _LONGEST_NAME:
        return name
    shown = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name
    )
    return f'"{shown[:_LONGEST_NAME]}"'


def unknown_name(name: str, names: Iterable[str], *, kind: str) -> Violation:
    """Return the violation for a name that the contract does not have, with a near one."""
    near = get_close_matches(name[:_LONGEST_NAME], list(names), n=1)
    sentence = f"{printable(name)} is not a {kind}."
    return Violation(name, sentence, f"Did you mean {near[0]}?" if near else None)


def violations_of(
    errors: Iterable[ValidationError],
    *,
    root_name: str,
    names: Iterable[str] = (),
    examples: Mapping[str, str] | None = None,
) -> tuple[Violation, ...]:
    """Return at most one violation for each place, at most ``MOST`` in all.

    ``root_name`` is what the checked value is called, ``names`` those that it may have, and
    ``examples`` has a good value for each place whose pattern people cannot guess.
    """
    violations: dict[str, Violation] = {}
    for error in sorted(errors, key=_rank):
        for violation in _violations(error, root_name, tuple(names), examples or {}):
            violations.setdefault(violation.where, violation)
    return tuple(violations.values())[:MOST]


def _rank(error: ValidationError) -> int:
    """Order what is broken in one place: a format says most, a pattern least."""
    return {"format": 0, "pattern": 2, "not": 2}.get(error.kind.name, 1)


def _violations(
    error: ValidationError, root_name: str, names: tuple[str, ...], examples: Mapping[str, str]
) -> Iterable[Violation]:
    facts = error.kind.as_dict()
    if error.kind.name == "oneOf" and (nearest := _nearest(facts["context"])):
        for nearer in nearest:
            yield from _violations(nearer, root_name, names, examples)
        return
    if error.kind.name == "additionalProperties":
        for name in facts["unexpected"][:MOST]:
            yield unknown_name(name, names, kind=f"field of {_called(error, root_name)}")
        return
    if error.kind.name == "required":
        name = facts["property"]
        yield Violation(_path([*error.instance_path, name]), f"{name} is missing.")
        return
    place = error.instance_path[0] if error.instance_path else ""
    rule = _rule(error.kind.name, facts, examples.get(str(place)))
    subject = _called(error, root_name)
    if subject == root_name:
        subject = subject[:1].upper() + subject[1:]
    yield Violation(_path(error.instance_path), f"{subject} {rule}.")


def _nearest(shapes: Iterable[list[ValidationError]]) -> list[ValidationError]:
    """Return what keeps a value from the shape that it comes nearest to."""
    return min(
        shapes, key=lambda errors: (sum(not error.instance_path for error in errors), len(errors))
    )


def _rule(keyword: str, facts: Mapping[str, Any], example: str | None) -> str:
    if keyword == "pattern":
        return f"must look like {example}" if example else "has characters it must not have"
    rule = _RULES.get(keyword)
    return rule(facts) if rule else "does not follow the contract"


def _one_of(options: list[Any]) -> str:
    *others, last = map(str, options)
    return f"{', '.join(others)} or {last}" if others else last


def _called(error: ValidationError, root_name: str) -> str:
    path = error.instance_path
    if not path:
        return root_name
    if isinstance(path[-1], int):
        inner = "/".join(str(step) for step in path[:-1])
        return f"item {path[-1] + 1} of {inner or root_name}"
    return "/".join(str(step) for step in path)


def _path(path: Iterable[str | int]) -> str:
    return "/".join(str(step) for step in path)
