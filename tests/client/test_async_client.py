"""The client for asyncio against the running service."""

import asyncio
import inspect

from client import AsyncClient, Client
from client.operations import Operations


def test_pages_single_answers_and_changes_are_awaited(served):
    async def read():
        async with AsyncClient(served.url, served.keys["diffs"]) as client:
            entries = [entry async for entry in client.entries(["acme.storage"], limit=7)]
            first = await client.latest(limit=2).first()
            diffs = await client.diffs("acme.compute")
            news = [page async for page in client.follow(["acme.storage"])]
            at_once = await asyncio.gather(*(client.source("acme.compute") for _ in range(3)))
            return entries, first, diffs, news, at_once

    entries, first, diffs, news, at_once = asyncio.run(read())

    assert [entry["source"] for entry in entries] == ["acme.storage"] * 7
    assert len(first["items"]) == 2
    assert diffs["source"] == "acme.compute"
    assert sum(len(page.entries) for page in news) == 120
    assert [source["slug"] for source in at_once] == ["acme.compute"] * 3


def test_it_has_every_operation():
    names = {name for name, _ in inspect.getmembers(Operations, inspect.isfunction)}
    combined = {"sample", "source", "plan", "bulk"}

    assert {name for name in names if not name.startswith("_")} | combined <= set(dir(AsyncClient))
    assert combined <= set(dir(Client))
