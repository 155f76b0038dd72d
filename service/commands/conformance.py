"""changewire conformance: is a deployment what the contract and the specification say?"""

import json as json_module
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from openapi.contract import parse_contract
from service.clock import clock
from service.commands.shared import AsJson, CommandFailed, say


def conformance(
    url: Annotated[str, typer.Option(help="The site's address, without /api/v1.")],
    api_key: Annotated[
        list[str] | None,
        typer.Option(envvar="CHANGEWIRE_API_KEYS", help="A key to check with; repeatable."),
    ] = None,
    dead_key: Annotated[
        list[str] | None, typer.Option(help="A key that is revoked or expired; repeatable.")
    ] = None,
    limited_key: Annotated[
        list[str] | None,
        typer.Option(help="A key that lacks something: KEY=/diffs:402; repeatable."),
    ] = None,
    max_examples: Annotated[
        int, typer.Option(min=0, help="Random requests an operation and caller.")
    ] = 50,
    seed: Annotated[int, typer.Option(help="Repeats a run.")] = 1,
    rate: Annotated[float | None, typer.Option(min=0.1, help="Requests a second at most.")] = None,
    max_time: Annotated[
        float | None, typer.Option(min=1, help="Seconds that the run may take.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="A folder for report.html, junit.xml and report.json.")
    ] = None,
    contract: Annotated[
        Path | None, typer.Option(help="Hold answers against this contract, not the served one.")
    ] = None,
    *,
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Also store source requests.")
    ] = False,
    only_specification: Annotated[
        bool, typer.Option("--only-specification", help="Leave out this project's own decisions.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Check a deployment from outside; exit 1 if it fails.

    Example: changewire conformance --url http://127.0.0.1:8080 --api-key cw_…
    """
    from conformance.callers import LimitedKey, UnusableKey  # the fuzzer takes long to load
    from conformance.console import print_report, progress, write_report
    from conformance.site import Unreachable
    from conformance.suite import Options, UnreadableContract, run

    options = Options(
        max_examples=max_examples,
        seed=seed,
        rate=rate,
        longest=None if max_time is None else timedelta(seconds=max_time),
        allow_writes=allow_writes,
        decisions=not only_specification,
        dead_keys=tuple(dead_key or ()),
        limited_keys=tuple(LimitedKey(*_limited(each)) for each in limited_key or ()),
    )

    try:
        held_against = None if contract is None else parse_contract(contract.read_bytes())
        with progress(Console(stderr=True)) as tell:
            found = run(
                url.rstrip("/"),
                api_key or [],
                now=clock(),
                options=options,
                contract=held_against,
                progress=tell,
            )
    except (Unreachable, UnusableKey, UnreadableContract, ValueError, OSError) as error:
        raise CommandFailed(str(error)) from error
    if json:
        sys.stdout.write(json_module.dumps(found.as_json(), indent=2) + "\n")
    else:
        print_report(found, Console())
    for file in write_report(found, report) if report is not None else ():
        say(f"Wrote {file}")
    if found.failed:
        raise typer.Exit(1)


def _limited(text: str) -> tuple[str, str, int]:
    key, _, refused = text.partition("=")
    path, _, status = refused.rpartition(":")
    if not path.startswith("/") or not status.isdecimal():
        raise CommandFailed(f"--limited-key takes KEY=/path:status, not {text.partition('=')[2]!r}")
    return key, path, int(status)
