"""What somebody may have meant: names of arguments, values, tools, sources and entries."""

import json
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
            slugs = [item["slug"] for item in client.sources(q=q, limit=SEARCHED).first()["items"]]
        except ChangewireError:
            return []
        if slugs:
            return nearest(slug.lower(), slugs) or slugs[:MOST]
    return []


def near_vendors(client: Client, name: str) -> list[str]:
    """Return vendors of the catalog that are similar to what was taken for one."""
    try:
        sources = client.sources(q=name, limit=SEARCHED).first()["items"]
    except ChangewireError:
        return []
    vendors = list(dict.fromkeys(item["vendor"] for item in sources))
    return nearest(name.lower(), vendors) or vendors[:MOST]


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
    if kind.name == "type":
        return _of_type(fault.instance, kind.types)
    if kind.name == "enum":
        return nearest(str(fault.instance), [str(option) for option in kind.options])
    if kind.name == "pattern" and fault.instance_path[0] in ("slug", "source", "sources"):
        return near_sources(client, str(fault.instance))
    if kind.name == "pattern" and fault.instance_path[0] == "purl" and "/" in str(fault.instance):
        return [f"pkg:{fault.instance}"]
    return []


def _of_type(value: Any, types: Collection[str]) -> list[str]:
    """Return a value converted to one of these types, if the conversion is certain."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return [json.dumps(value[0])] if "string" in types else []
    if not isinstance(value, str):
        return []
    if "array" in types:
        return [json.dumps(value.replace(" ", "").split(","))]
    number, flag = "integer" in types, "boolean" in types
    if (number and value.isascii() and value.isdecimal()) or (flag and value in ("true", "false")):
        return [value]
    return []
