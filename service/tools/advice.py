"""The next step for an agent after an error, and likely corrections."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

import jsonschema_rs

from client import ApiError, ChangewireError, Client
from openapi.text import counted
from openapi.vocabulary import Plan
from service.tools.tool_list import NEXT

MOST: Final = 3


class ToolError(ChangewireError):
    """A call that the tools refuse themselves, with a code as the API's errors have."""

    def __init__(self, code: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.code = code


def smaller_plan(plan: Plan | None) -> ToolError:
    """Return the refusal of a key below the All plan, to which the tools belong (spec. 5.8)."""
    name = "a smaller plan" if plan is None else f"the {plan.value.title()} plan"
    message = f"MCP requires the All plan; this key's account is on {name}."
    return ToolError("smaller_plan", message)


def next_step(error: Exception, *, site: str) -> str:
    """Return what to do after an error. ``site``: the address of the service's pages."""
    retry_after = error.retry_after if isinstance(error, ApiError) else None
    seconds = 10 if retry_after is None else round(retry_after.total_seconds())
    request_id = error.request_id if isinstance(error, ApiError) else None
    advice = NEXT.get(code_of(error), "Tell the user.")
    return advice.format(site=site, wait=counted(seconds, "second"), request_id=request_id)


def code_of(error: Exception) -> str:
    """Return the API's code of an error; for one of the client its class name in snake case."""
    if isinstance(error, (ApiError, ToolError)):
        return error.code
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).lower()


def error_message(error: ChangewireError) -> str:
    """Return what went wrong and what may be meant; other hints are about requests and Python."""
    meant = re.search(r"Did you mean [^?]+\?", error.hint or "")
    return error.message + (f" {meant[0]}" if meant else "")


def nearest(word: str, names: Collection[str]) -> list[str]:
    """Return the names that a word is likely to mean, the likeliest first."""
    return get_close_matches(word, names, n=MOST, cutoff=0.6)


def question(names: Iterable[str]) -> str:
    """Return "Did you mean a, b?" with a space before it; nothing without names."""
    listed = ", ".join(names)
    return f" Did you mean {listed}?" if listed else ""


def near(client: Client, name: str, member: str = "slug") -> list[str]:
    """Return slugs, or other members of sources, that are similar to what was taken for one."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    for q in dict.fromkeys([" ".join(words), *words]):
        try:
            sources: list[Any] = client.sources(q=q, limit=50).first()["items"]
        except ChangewireError:
            return []
        if found := list(dict.fromkeys(source[member] for source in sources)):
            return nearest(name.lower(), found) or found[:MOST]
    return []


def faults_of(
    validator: Any, schema: Mapping[str, Any], arguments: Mapping[str, Any], client: Client
) -> list[str]:
    """Return the errors of a tool's arguments, each with a suggestion."""
    return [
        f"{'.'.join(map(str, fault.instance_path)) or 'arguments'}: {fault.message}."
        f"{question(_meant(fault, schema, client))}"
        for fault in validator.iter_errors(arguments)
    ]


def _meant(
    fault: jsonschema_rs.ValidationError, schema: Mapping[str, Any], client: Client
) -> list[str]:
    kind: Any = fault.kind
    value: Any = fault.instance
    if kind.name == "additionalProperties":
        return [name for word in kind.unexpected for name in nearest(word, schema["properties"])]
    if kind.name == "type":
        return _of_type(value, kind.types)
    if kind.name == "enum":
        return nearest(str(value), [str(option) for option in kind.options])
    if kind.name == "pattern" and fault.instance_path[0] in ("slug", "source", "sources"):
        return near(client, str(value))
    if kind.name == "pattern" and fault.instance_path[0] == "purl" and "/" in str(value):
        return [f"pkg:{value}"]
    return []


def _of_type(value: Any, types: Collection[str]) -> list[str]:
    """Return a value converted to one of these types, if the conversion is certain."""
    match value:
        case [str(text)] if "string" in types:
            return [json.dumps(text)]
        case str() if "array" in types:
            return [json.dumps(value.replace(" ", "").split(","))]
        case str() if "integer" in types and value.isascii() and value.isdecimal():
            return [value]
        case "true" | "false" if "boolean" in types:
            return [value]
    return []
