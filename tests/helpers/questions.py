"""Put forty questions with known answers to a scripted agent: ``python -m questions [--each]``.

Prints how many calls and tokens the answers took, and exits with 1 where one is wrong. The
installation is invented and its time is fixed, so that the figures are the same at every run.
"""

import argparse
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import yaml
from anyio.from_thread import BlockingPortal, start_blocking_portal
from pydantic import SecretStr
from specimen.site import fill_site, quiet
from starlette.types import ASGIApp

from client import Client
from service.app import create_app
from service.demo.sample_data import add_visitor, fill
from service.demo.vendors import read_products
from service.settings import Settings
from service.tools.results import compact
from service.tools.server import ToolServer
from service.tools.tool_list import REQUESTING, TOOLS
from storage.engine.database import open_database, upgrade

QUESTIONS = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
SITE = "http://localhost"
LAST_ASKED = "2026-11-22T00:00:00Z"
BYTES_PER_TOKEN = 4
Items = list[dict[str, Any]]
READ: dict[str, Callable[[Items], object]] = {
    "slug": lambda items: items[0]["slug"],
    "slugs": lambda items: [it["slug"] for it in items],
    "health": lambda items: items[0]["health"],
    "title": lambda items: items[0]["title"],
    "titles": lambda items: sorted(it["title"] for it in items),
    "important": lambda items: sorted(it["title"] for it in items if it.get("importance")),
    "count": len,
    "hit": lambda items: [items[0]["source"], items[0]["title"]],
    "sources": lambda items: sorted({it["source"] for it in items}),
    "changes": lambda items: [it["entry"]["title"] for it in items],
    "days": lambda items: sorted([it["from"], it["entry"]["source"]] for it in items),
    "ends": lambda items: READ["days"]([it for it in items if it["kind"] == "end_of_life"]),
    "moved": lambda items: any(
        change["op"] == "changed" and "webhook" in (change["after"]["title"] or "").lower()
        for item in items
        for change in item["changes"]
    ),
}


@dataclass
class Agent:
    """Calls tools, and counts the calls and the tokens of what it sends and gets.

    A token is four bytes of the arguments and of the text of the result, which is what a model
    reads; the structured content beside it is for programs. ``cursor`` is what it stored last.
    """

    tools: ToolServer
    cursor: str
    calls: int = 0
    tokens: int = 0

    def items(self, name: str, arguments: dict[str, Any]) -> Items:
        """Return the items of a result; an error is a fault of the question."""
        result = self.tools.call(name, arguments)
        (content,) = result.content
        assert not result.is_error, content.text
        sent = json.dumps({"name": name, "arguments": arguments})
        self.calls += 1
        self.tokens += (len(sent.encode()) + len(content.text.encode())) // BYTES_PER_TOKEN
        return result.structured_content["items"]

    def answer(self, question: dict[str, Any]) -> object:
        """Return what the agent reads out of the items, page by page."""
        name, arguments = question["call"], dict(question["with"])
        if arguments.get("after") == "CURSOR":
            arguments["after"] = self.cursor
        if "find" in question:
            found = self.items("search_sources", {"q": question["find"], "limit": 3})
            arguments["sources"] = [found[0]["slug"]]
        items = page = self.items(name, arguments)
        while question["read"] in ("important", "moved") and len(page) == arguments["limit"]:
            page = self.items(name, arguments | {"offset": len(items)})
            items = items + page
        return READ[question["read"]](items)


class InProcess(httpx2.BaseTransport):
    """Gives requests to an application that runs on the event loop of another thread."""

    def __init__(self, portal: BlockingPortal, app: ASGIApp) -> None:
        self._portal, self._transport = portal, httpx2.ASGITransport(app)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._portal.call(self._answer, request)

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._transport.handle_async_request(request)
        body = await response.aread()  # not compressed any more
        response.headers.pop("Content-Encoding", None)
        return httpx2.Response(response.status_code, headers=response.headers, content=body)


@contextmanager
def installation(folder: str) -> Iterator[Client]:
    """Give the client of somebody on the All plan, among the vendors of demo and specimen."""
    quiet()
    url = f"sqlite:///{folder}/questions.db"
    settings = Settings(database_url=url, site_url=SITE, secret_key=SecretStr("x" * 32))
    database = open_database(url)
    upgrade(database)
    fill(settings, database, read_products(), threading.Event(), now=NOW)
    with database.write() as session:
        _, key = add_visitor(session, now=NOW)
    fill_site(url, now=NOW, large=True)
    with patch("service.app.clock", lambda: NOW):
        app = create_app(settings, database)
    with start_blocking_portal() as portal:
        yield Client(SITE, key, transport=InProcess(portal, app), trust_env=False)
    database.close()


def cursor_of(client: Client) -> str:
    """Return the cursor before the first change of the last days."""
    cursor = "start"
    for news in client.follow(limit=1):
        if any(entry["published_at"] > LAST_ASKED for entry in news.entries):
            return cursor
        cursor = news.cursor
    raise AssertionError("nothing is that new")


def main() -> None:
    """Print what the answers cost."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", action="store_true", help="Print every question.")
    options = parser.parse_args()
    right = calls = tokens = 0
    with tempfile.TemporaryDirectory() as folder, installation(folder) as client:
        server = ToolServer(client, now=lambda: NOW, nonce=lambda: "0" * 16)
        cursor = cursor_of(client)
        for question in QUESTIONS:
            agent = Agent(server, cursor)
            answer = agent.answer(question)
            if options.each:
                print(f"{agent.calls:4} calls {agent.tokens:10,}  {question['ask']}")
            if answer != question["answer"]:
                print(f"Wrong: {question['ask']} {answer}, not {question['answer']}")
            right += answer == question["answer"]
            calls, tokens = calls + agent.calls, tokens + agent.tokens
    listed = sum(
        len(compact(tool.model_dump(by_alias=True, exclude_none=True, mode="json")))
        for name, tool in TOOLS.items()
        if name != REQUESTING
    )
    print(
        f"{right} of {len(QUESTIONS)} right, {calls} calls, {tokens:,} tokens, "
        f"and {listed // BYTES_PER_TOKEN:,} for the list of tools"
    )
    sys.exit(right < len(QUESTIONS))


if __name__ == "__main__":
    main()
