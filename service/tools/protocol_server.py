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

    async def list_tools(_context: Context, _params: Paging) -> protocol.ListToolsResult:
        return protocol.ListToolsResult(tools=tools_of_caller().tools)

    async def call_tool(
        _context: Context, params: protocol.CallToolRequestParams
    ) -> protocol.CallToolResult:
        tools = tools_of_caller()
        names = {tool.name for tool in tools.tools}
        if params.name not in names:
            raise MCPError(protocol.INVALID_PARAMS, _no_tool(params.name, names))
        call = partial(tools.call, params.name, params.arguments or {})
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=limiter)

    async def list_resources(_context: Context, _params: Paging) -> protocol.ListResourcesResult:
        return protocol.ListResourcesResult(resources=[])  # too many to list: see the templates

    async def list_templates(
        _context: Context, _params: Paging
    ) -> protocol.ListResourceTemplatesResult:
        return protocol.ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read_resource(
        _context: Context, params: protocol.ReadResourceRequestParams
    ) -> protocol.ReadResourceResult:
        read = partial(tools_of_caller().read, params.uri)
        text = await anyio.to_thread.run_sync(read, abandon_on_cancel=True, limiter=limiter)
        contents = protocol.TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)
        return protocol.ReadResourceResult(contents=[contents])

    return Server(
        "changewire",
        version=version("changewire"),
        title="Changewire",
        website_url=site,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _no_tool(name: str, names: Collection[str]) -> str:
    return f"There is no tool {name!r}.{question(nearest(name, names))}"
