"""The tool server on stdin and stdout, until stdin ends."""

import anyio
from mcp.server.stdio import stdio_server

from service.tools.protocol_server import protocol_server
from service.tools.server import ToolServer


def serve(tools: ToolServer, site: str) -> None:
    """Serve the protocol on stdin and stdout until stdin ends; print nothing else on stdout."""

    async def speak() -> None:
        server = protocol_server(lambda: tools, site)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(speak)
