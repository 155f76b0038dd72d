"""changewire mcp: the local tool interface of the All plan, over stdio."""

import secrets
import signal
import sys
from datetime import timedelta
from typing import Annotated

import typer

from client import Client, RetryPolicy
from client.transport import BASE_PATH
from service.clock import clock
from service.commands.inputs import CommandFailed, settings_for_command
from service.commands.output import say
from service.reader.key_store import address_and_key
from service.telemetry.logs import set_up_logs
from service.tools.server import ToolServer
from service.tools.stdio import serve

TIMEOUT = timedelta(seconds=30)


def mcp(
    *,
    allow_requests: Annotated[
        bool, typer.Option("--allow-requests", help="Let agents ask for new sources.")
    ] = False,
) -> None:
    """Serve the API to an agent: the Model Context Protocol on stdin and stdout.

    Example: CHANGEWIRE_API_URL=https://changewire.example CHANGEWIRE_API_KEY=cw_… changewire mcp
    """
    settings = settings_for_command()
    set_up_logs(settings.log, settings.log_level)
    try:
        address, own_key = address_and_key(settings)
        client = Client(
            address,
            own_key,
            timeout=TIMEOUT,
            retry=RetryPolicy(attempts=3, longest_wait=timedelta(seconds=10)),
        )
    except ValueError as error:
        raise CommandFailed(f"CHANGEWIRE_API_URL or CHANGEWIRE_API_KEY: {error}") from error
    with client:
        site = client.base_url.removesuffix(BASE_PATH)
        key = "with a key" if own_key else "without a key (run changewire login)"
        say(f"Serving tools for agents on stdin and stdout; they read {site}, {key}.")
        if sys.stdin.isatty():
            say("An agent starts this by itself; nothing is to be typed here. Ctrl+C ends it.")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads runs no handler
        tools = ToolServer(
            client,
            now=clock,
            nonce=lambda: secrets.token_hex(8),
            allow_requests=allow_requests,
        )
        serve(tools, site)
