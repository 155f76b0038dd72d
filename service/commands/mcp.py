"""changewire mcp: the local tool interface of the All plan, over stdio."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from service.clock import clock
from service.commands.api import ApiKey, ApiKeyFile, ApiOptions, Url, new_client, site_of
from service.commands.output import say
from service.settings import load_settings
from service.telemetry import logs
from service.tools import server


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
    logs.set_up_logs(settings.log, settings.log_level)
    with new_client(ApiOptions(url, api_key, api_key_file)) as client:
        site = site_of(client)
        key = "with a key" if client.has_key else "without a key: set CHANGEWIRE_API_KEY"
        say(f"Serving tools for agents on stdin and stdout; they read {site}, {key}.")
        if sys.stdin.isatty():
            say("An agent starts this by itself; nothing is to be typed here. Ctrl+C ends it.")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads runs no handler
        tools = server.ToolServer(client, now=clock, allow_requests=allow_requests)
        server.serve_on_stdio(tools, site)
