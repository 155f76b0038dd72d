"""What somebody may have meant: names of arguments, values, tools, sources and entries."""

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import jsonschema_rs

from client import ChangewireError, Client

MOST = 3
SEARCHED = 50
_SENTENCE = re.compile(r"Did you mean [^?]+\?")
_PARTS = re.compile(r"[^a-z0-9]+")


def nearest(word: str, names: Collection[str]) -> list[str]:
    """Return the names that a word is likely to mean, the likeliest first."""
    return get_close_matches(word, names, n=MOST, cutoff=0.6)


def question(names: Iterable[str]) -> str:
    """Return "Did you mean a, b?" with a space before it; nothing without names."""
    listed = ", ".join(names)
    return f" Did you mean {listed}?" if listed else ""


def question_in(hint: str | None) -> str:
    """Return the same question out of an API's hint, whose other advice is about requests."""
    match = _SENTENCE.search(hint or "")
    return f" {match[0]}" if match else ""


def near_sources(client: Client, slug: str) -> list[str]:
    """Return slugs of the catalog that are similar to what was taken for one."""
    words = [word for word in _PARTS.split(slug.lower()) if word]
    for q in dict.fromkeys([" ".join(words), *words]):
        try:
            found = [item["slug"] for item in client.sources(q=q, limit=SEARCHED).first()["items"]]
        except ChangewireError:
            return []
        if found:
            return nearest(slug.lower(), found) or found[:MOST]
    return []


def faults_of(
    validator: Any, schema: Mapping[str, Any], arguments: Mapping[str, Any], client: Client
) -> list[str]:
    """Return what is wrong with the arguments of a tool, each with what may be meant."""
    return [
        f"{'.'.join(map(str, fault.instance_path)) or 'arguments'}: {fault.message}."
        f"{question(_meant(fault, schema, client))}"
        for fault in validator.iter_errors(arguments)
    ]


def _meant(
    fault: jsonschema_rs.ValidationError, schema: Mapping[str, Any], client: Client
) -> list[str]:
    kind: Any = fault.kind
    if kind.name == "additionalProperties":
        return [name for word in kind.unexpected for name in nearest(word, schema["properties"])]
    if kind.name == "enum":
        return nearest(str(fault.instance), [str(option) for option in kind.options])
    if kind.name == "pattern" and fault.instance_path[0] in ("slug", "source", "sources"):
        return near_sources(client, str(fault.instance))
    return []
