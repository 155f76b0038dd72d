"""changewire mcp: the local tool interface of the All plan, over stdio."""

import signal
import sys
from typing import Annotated

import anyio
import typer
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from service.clock import clock
from service.commands.api import ApiKey, ApiKeyFile, ApiOptions, Url, new_client, site_of
from service.commands.output import say
from service.settings import load_settings
from service.telemetry.logs import set_up_logs
from service.tools.server import ToolServer, protocol_server


def mcp(
    *,
    allow_requests: Annotated[
        bool, typer.Option("--allow-requests", help="Let agents ask for new sources.")
    ] = False,
    url: Url = None,
    api_key: ApiKey = None,
    api_key_file: ApiKeyFile = None,
) -> None:
    """Run the MCP server for coding agents, on stdin and stdout.

    Example: CHANGEWIRE_API_URL=https://changewire.example CHANGEWIRE_API_KEY=cw_… changewire mcp
    """
    settings = load_settings()
    set_up_logs(settings.log, settings.log_level)
    with new_client(ApiOptions(url, api_key, api_key_file)) as client:
        site = site_of(client)
        key = "with a key" if client.has_key else "without a key: set CHANGEWIRE_API_KEY"
        say(f"Serving tools for agents on stdin and stdout; they read {site}, {key}.")
        if sys.stdin.isatty():
            say("An agent starts this by itself; nothing is to be typed here. Ctrl+C ends it.")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads runs no handler
        tools = ToolServer(client, now=clock, allow_requests=allow_requests)
        anyio.run(_serve, protocol_server(lambda _: tools, site))


async def _serve(server: Server[dict[str, object]]) -> None:
    """Serve the protocol on stdin and stdout until stdin ends; print nothing else on stdout."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
