"""The tools as a server of the Model Context Protocol, however its messages come (docs/mcp.md)."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from importlib.metadata import version
from secrets import token_hex
from typing import Any, Final, TypeAlias

import anyio
import anyio.to_thread
import jsonschema_rs
import mcp_types as protocol
from anyio import CapacityLimiter
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from client import ChangewireError, Client, InsufficientScope
from client.transport import BASE_PATH
from openapi.vocabulary import Plan
from service.terminal_escape import plain
from service.tools import advice
from service.tools.calls import CALLS
from service.tools.results import STEPS, WHOLE, bounded, fenced
from service.tools.tool_list import INSTRUCTIONS, NEXT, REQUESTING, TOOLS

VALIDATORS: Final = {n: jsonschema_rs.validator_for(it.input_schema) for n, it in TOOLS.items()}
Context: TypeAlias = ServerRequestContext[dict[str, object], Any]
Paging: TypeAlias = protocol.PaginatedRequestParams | None


class ToolServer:
    """Answers tool calls with calls of the API, several at a time."""

    def __init__(
        self,
        client: Client,
        *,
        now: Callable[[], datetime],
        nonce: Callable[[], str] | None = None,
        allow_requests: bool = False,
        plan: Plan | None = None,
    ) -> None:
        """``plan``: of the key, where it is known; else the API is asked."""
        self.tools = {**TOOLS}
        if not allow_requests:
            del self.tools[REQUESTING]
        self._client, self._now, self._nonce = client, now, nonce or partial(token_hex, 8)
        self._site = client.base_url.removesuffix(BASE_PATH)
        self._plan, self._is_member = plan, False

    def call(self, name: str, arguments: dict[str, Any]) -> protocol.CallToolResult:
        """Run a tool; an error becomes a result that says what to do next."""
        if name not in self.tools:
            near = advice.question(advice.nearest(name, self.tools))
            raise MCPError(protocol.INVALID_PARAMS, f"There is no tool {name!r}.{near}")
        try:
            self._require_membership()
            schema = self.tools[name].input_schema
            if faults := advice.faults_of(VALIDATORS[name], schema, arguments, self._client):
                return _refused(" ".join(faults), "invalid_request")
            page = CALLS[name](self._client, _whole(arguments), self._now())
        except ChangewireError as error:
            self._is_member = False
            next_step = advice.next_step(error, site=self._site)
            return _refused(advice.error_message(error), advice.code_of(error), next_step)
        except ValueError as error:
            return _refused(str(error), "invalid_request")
        self._is_member = page.facts.get("plan", Plan.ALL) == Plan.ALL
        items, truncated = bounded(page.items, steps=WHOLE if page.whole else STEPS)
        next_offset = page.offset + len(items)
        facts = {
            **page.facts,
            "total": page.total,
            "truncated": truncated,
            "next_offset": next_offset if items and next_offset < page.total else None,
        }
        text = f"{json.dumps(facts)}\n{fenced(items, self._nonce)}"
        return protocol.CallToolResult(
            content=[protocol.TextContent(text=text)], structured_content={**facts, "items": items}
        )

    def _require_membership(self) -> None:
        """Raise ToolError unless the key is on the All plan. A yes is remembered.

        Only the responses of /entries name a key's plan. For a key without that scope its
        selection decides: on the All plan it is the whole catalog.
        """
        if self._is_member:
            return
        plan = self._plan
        if plan is None:
            with suppress(InsufficientScope):
                name = self._client.plan()
                plan = None if name is None else Plan(name)
        if plan is None:
            lists = (self._client.sources(selected=only, limit=1) for only in (True, False))
            selected, every = (list_.first()["total"] for list_ in lists)
            plan = Plan.ALL if selected == every else None
        if plan is not Plan.ALL:
            raise advice.smaller_plan(plan)
        self._is_member = True


def _whole(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with integers as such: JSON Schema calls 2.0 an integer too."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in arguments.items()
    }


def _refused(message: str, code: str, step: str | None = None) -> protocol.CallToolResult:
    """Return an error result in the shape of every result, as some agents validate errors too."""
    message, step = plain(message), step or NEXT[code]
    empty = {"total": 0, "items": [], "truncated": False, "next_offset": None}
    return protocol.CallToolResult(
        content=[protocol.TextContent(text=f"{message}\nNext: {step}")],
        structured_content={**empty, "error": {"code": code, "message": message, "next": step}},
        is_error=True,
    )


def protocol_server(
    tools_of: Callable[[Context], ToolServer], site: str, *, limiter: CapacityLimiter | None = None
) -> Server[dict[str, object]]:
    """Return a server of the protocol. ``site``: the address of the service's pages.

    ``tools_of`` gives the tools for a request. ``limiter``: how many calls run at a time.
    """

    async def list_tools(context: Context, _: Paging) -> protocol.ListToolsResult:
        return protocol.ListToolsResult(tools=[*tools_of(context).tools.values()])

    async def call_tool(
        context: Context, params: protocol.CallToolRequestParams
    ) -> protocol.CallToolResult:
        call = partial(tools_of(context).call, params.name, params.arguments or {})
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=limiter)

    return Server(
        "changewire",
        version=version("changewire"),
        title="Changewire",
        website_url=site,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_on_stdio(tools: ToolServer, site: str) -> None:
    """Serve the protocol on stdin and stdout until stdin ends; print nothing else on stdout."""
    server = protocol_server(lambda _: tools, site)

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
