"""An agent whose calls are counted, with all tools or with the plain ones."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from service.tools.server import ToolServer

BYTES_PER_TOKEN = 4
LARGEST: Mapping[str, int] = {"get_diffs": 20}
"""How many items an answer has at most, where that is not 100."""
PLAIN: Mapping[str, frozenset[str]] = {
    "search_sources": frozenset({"q", "vendor", "limit", "offset"}),
    "get_source": frozenset({"slug"}),
    "get_entries": frozenset({"sources", "since", "limit", "offset"}),
    "get_latest": frozenset({"limit", "offset"}),
    "get_important": frozenset({"limit", "offset"}),
    "get_diffs": frozenset({"source", "limit", "offset"}),
}
"""The plain tools, as they were before there were filters, searches and deadlines."""


@dataclass
class Agent:
    """Calls tools, and counts the calls and the tokens of what it sends and gets.

    A token is four bytes of the arguments and of the text of the result, which is what a model
    reads; the structured content beside it is for programs. ``cursor`` is what it stored last.
    """

    tools: ToolServer
    cursor: str
    offered: Mapping[str, frozenset[str]] | None = None
    calls: int = 0
    tokens: int = 0

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured content of a result; an error is a fault of the script."""
        arguments = {key.rstrip("_"): value for key, value in arguments.items()}
        if self.offered is not None and not self.offered[name] >= arguments.keys():
            raise AssertionError(f"{name} has no {arguments.keys() - self.offered[name]}")
        result = self.tools.call(name, arguments)
        (content,) = result.content
        assert not result.is_error, content.text
        sent = json.dumps({"name": name, "arguments": arguments})
        self.calls += 1
        self.tokens += (len(sent.encode()) + len(content.text.encode())) // BYTES_PER_TOKEN
        return result.structured_content

    def items(self, name: str, **arguments: Any) -> list[dict[str, Any]]:
        """Return the items of one call."""
        return self.call(name, **arguments)["items"]

    def every(self, name: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Yield the items of a list, page by page, as far as they are wanted."""
        offset: int | None = 0
        while offset is not None:
            place = {"offset": offset} if offset else {}
            page = self.call(name, limit=LARGEST.get(name, 100), **place, **arguments)
            yield from page["items"]
            offset = page["next_offset"]

    def slug(self, words: str) -> str:
        """Return the likeliest source for words, as an agent looks it up first."""
        return self.items("search_sources", q=words, limit=3)[0]["slug"]


Script = Callable[[Agent], Any]


@dataclass(frozen=True)
class Question:
    """A question, its answer, and how agents with all tools and with the plain ones find it."""

    text: str
    answer: Any
    tools: Script
    plain: Script
