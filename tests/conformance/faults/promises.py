"""Faults that the served contract does not tell: it says the same wrong thing as the answers.

What the specification says of fields has to be checked whatever the contract says of them.
"""

import json
from collections.abc import Callable
from typing import Any

import yaml

from faults.fault import BASE, Fault, Reply

_LISTINGS = {
    "ChangelogSource": ("/sources",),
    "ChangelogSourceSample": ("/sources",),
    "ChangelogEntry": ("/entries",),
}
"""Where objects of a schema are listed."""


def _both(
    name: str, schema: str, on_schema: Callable[[Any], None], on_item: Callable[[Any], None]
) -> Fault:
    """A fault of the items of a listing, and of their schema in the served contract."""

    def answered(reply: Reply) -> None:
        if reply.status != 200 or not reply.body:
            return
        if reply.asked.path in ("/openapi.json", "/openapi.yaml"):
            contract = yaml.safe_load(reply.body)  # JSON is YAML
            on_schema(contract["components"]["schemas"][schema])
            reply.body = json.dumps(contract, default=str).encode()
        elif reply.asked.path in {BASE + listing for listing in _LISTINGS[schema]}:
            page = reply.json
            if ("sample" in page) == (schema == "ChangelogSourceSample"):
                for item in page["items"]:
                    on_item(item)
                reply.json = page

    return Fault(name, answered=answered)


def _renamed(old: str, new: str, schema: str) -> Fault:
    def on_schema(found: Any) -> None:
        found["properties"][new] = found["properties"].pop(old)
        found["required"] = [new if each == old else each for each in found["required"]]

    def on_item(item: Any) -> None:
        if old in item:
            item[new] = item.pop(old)

    return _both(f"{schema} has {new} for {old}, as it promises", schema, on_schema, on_item)


def _optional(field: str, schema: str) -> Fault:
    def on_schema(found: Any) -> None:
        found["required"].remove(field)

    return _both(
        f"{schema} may lack {field}, as it promises", schema, on_schema,
        lambda item: item.pop(field, None),
    )  # fmt: skip


def _otherwise(field: str, schema: str, form: Any, value: Callable[[Any], Any]) -> Fault:
    def on_schema(found: Any) -> None:
        found["properties"][field] = form

    def on_item(item: Any) -> None:
        if item.get(field) is not None:
            item[field] = value(item[field])

    name = f"{schema} has {field} in another form, as it promises"
    return _both(name, schema, on_schema, on_item)


_TEXT = {"type": "string", "nullable": True}

CHECKS = frozenset({
    "sources-have-their-fields",
    "sample-sources-have-their-fields",
    "entries-have-their-fields",
    "entries-keep-their-id",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    _renamed("changelogUrl", "changelog_url", "ChangelogSource"),
    _optional("tags", "ChangelogSource"),
    _otherwise("kind", "ChangelogSource", _TEXT, lambda kind: kind.replace("_", "-")),
    _otherwise("health", "ChangelogSource", _TEXT, str.upper),
    _otherwise("lastUpdatedAt", "ChangelogSource", _TEXT, lambda at: at[:10]),
    _optional("vendor", "ChangelogSourceSample"),
    _otherwise("homepage", "ChangelogSourceSample", _TEXT, lambda url: url[len("https://") :]),
    _renamed("published_at", "publishedAt", "ChangelogEntry"),
    _optional("title", "ChangelogEntry"),
    _otherwise("published_at", "ChangelogEntry", _TEXT, lambda at: at.replace("T", " ")),
    _otherwise("raw", "ChangelogEntry", _TEXT, str),
)
