"""Agents that are connected to the tool interface: over real stdio, or in this process."""

import json
import os
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import anyio.from_thread
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from specimen.serving import PROGRAM

from client import Client as ApiClient
from service.tools.server import ToolServer, protocol_server

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
"""The first message of an agent."""
MANUAL = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text()
CONFIGURATIONS = [
    json.loads(text)["mcpServers"]["changewire"]
    for text in re.findall(r"```json\n(.*?)```", MANUAL, re.DOTALL)
]
"""What the manual lets an agent be told: of a process, and of an address."""


class Agent:
    """A connected agent; its calls wait for their answers."""

    def __init__(self, portal, client, log):
        self._portal, self._client, self.log = portal, client, log

    def ask(self, method, *arguments):
        return self._portal.call(getattr(self._client, method), *arguments)

    def call(self, name, **arguments):
        return self.ask("call_tool", name, arguments)

    @property
    def instructions(self):
        return self._client.instructions


@pytest.fixture(scope="module")
def portal():
    """Where the asynchronous clients live, and what ends with them."""
    with anyio.from_thread.start_blocking_portal() as portal, ExitStack() as stack:
        yield SimpleNamespace(
            call=portal.call,
            enter=stack.enter_context,
            connect=lambda client: stack.enter_context(portal.wrap_async_context_manager(client)),
        )


@pytest.fixture(scope="module")
def started(portal, served, tmp_path_factory):
    """Start changewire mcp as a process and connect to it: ``started("all", "--flag")``."""

    def started(key, *flags, mode="auto"):
        folder = tmp_path_factory.mktemp("agent")
        shown = CONFIGURATIONS[0]
        settings = dict(zip(shown["env"], (served.url, served.keys[key]), strict=True))
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-c", PROGRAM, *shown["args"], *flags],
            cwd=folder,
            env=os.environ | settings,
        )
        errlog = portal.enter((folder / "log").open("w"))
        client = Client(stdio_client(parameters, errlog=errlog), mode=mode)
        return Agent(portal, portal.connect(client), folder / "log")

    return started


@pytest.fixture(scope="module")
def agent(started):
    """An agent whose key is on the All plan, with the add-on."""
    return started("diffs")


@pytest.fixture(scope="module")
def asking(started):
    """An older agent that may ask for sources."""
    return started("all", "--allow-requests", mode="legacy")


@pytest.fixture(scope="module")
def agent_of(portal, served):
    """Connect to a tool server of this process, whatever its key: ``agent_of("free")``."""

    def agent_of(key, url=served.url):
        api = portal.enter(ApiClient(url, served.keys.get(key, key)))
        tools = ToolServer(api, now=lambda: served.now, nonce=lambda: "0" * 16, allow_requests=True)
        return Agent(portal, portal.connect(Client(protocol_server(lambda _: tools, url))), None)

    return agent_of
