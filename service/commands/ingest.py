"""changewire ingest: one sweep now."""

from typing import Annotated

import typer

from service.commands.options import AsJson
from service.commands.sweeping import ingest_slugs


def ingest_now(
    slugs: Annotated[
        list[str] | None, typer.Argument(help="Sources; the due ones without.")
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Look at every source.")] = False,
    json: AsJson = False,
) -> None:
    """Look at sources now and say what came of it.

    Example: changewire ingest stripe.changelog
    """
    ingest_slugs(slugs or [], everything=everything, json=json)
