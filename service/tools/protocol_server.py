"""The tools in the protocol, however its messages come."""

from collections.abc import Callable, Collection
from functools import partial
from importlib.metadata import version

import anyio.to_thread
import mcp_types as protocol
from anyio import CapacityLimiter
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from service.tools.server import TEMPLATES, ToolServer
from service.tools.suggestions import nearest, question
from service.tools.tool_list import INSTRUCTIONS

Context = ServerRequestContext[dict[str, object]]
Paging = protocol.PaginatedRequestParams | None


def protocol_server(
    tools_of_caller: Callable[[], ToolServer],
    site: str,
    *,
    limiter: CapacityLimiter | None = None,
) -> Server[dict[str, object]]:
    """Return a server of the protocol. ``site``: the address of the service's pages.

    ``tools_of_caller`` gives the tools for the request at hand. ``limiter``: how many calls run at
    a time.
    """
    answers = _Answers(tools_of_caller, limiter)
    return Server(
        "changewire",
        version=version("changewire"),
        title="Changewire",
        website_url=site,
        instructions=INSTRUCTIONS,
        on_list_tools=answers.list_tools,
        on_call_tool=answers.call_tool,
        on_list_resources=answers.list_resources,
        on_list_resource_templates=answers.list_templates,
        on_read_resource=answers.read_resource,
    )


class _Answers:
    """What the server answers to each request of the protocol."""

    def __init__(
        self, tools_of_caller: Callable[[], ToolServer], limiter: CapacityLimiter | None
    ) -> None:
        self._tools_of_caller, self._limiter = tools_of_caller, limiter

    async def list_tools(self, _context: Context, _params: Paging) -> protocol.ListToolsResult:
        return protocol.ListToolsResult(tools=self._tools_of_caller().tools)

    async def call_tool(
        self, _context: Context, params: protocol.CallToolRequestParams
    ) -> protocol.CallToolResult:
        tools = self._tools_of_caller()
        names = {tool.name for tool in tools.tools}
        if params.name not in names:
            raise MCPError(protocol.INVALID_PARAMS, _no_tool(params.name, names))
        call = partial(tools.call, params.name, params.arguments or {})
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=self._limiter)

    async def list_resources(
        self, _context: Context, _params: Paging
    ) -> protocol.ListResourcesResult:
        return protocol.ListResourcesResult(resources=[])  # too many to list: see the templates

    async def list_templates(
        self, _context: Context, _params: Paging
    ) -> protocol.ListResourceTemplatesResult:
        return protocol.ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read_resource(
        self, _context: Context, params: protocol.ReadResourceRequestParams
    ) -> protocol.ReadResourceResult:
        read = partial(self._tools_of_caller().read, params.uri)
        text = await anyio.to_thread.run_sync(read, abandon_on_cancel=True, limiter=self._limiter)
        contents = protocol.TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)
        return protocol.ReadResourceResult(contents=[contents])


def _no_tool(name: str, names: Collection[str]) -> str:
    return f"There is no tool {name!r}.{question(nearest(name, names))}"
