"""changewire conformance: is a deployment what the contract and the specification say?"""

import json as json_module
import sys
from datetime import timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from service.cleaning import plain
from service.clock import clock
from service.commands.options import AsJson
from service.commands.shared import CommandFailed, read_contract, say


def conformance(
    url: Annotated[str, typer.Option(help="The site's address.")],
    api_key: Annotated[
        list[str] | None,
        typer.Option(envvar="CHANGEWIRE_API_KEYS", help="A key to check with; repeatable."),
    ] = None,
    dead_key: Annotated[
        list[str] | None, typer.Option(help="A key that is revoked or expired; repeatable.")
    ] = None,
    session: Annotated[
        str, typer.Option(help="The cookie of somebody who is signed in: NAME=VALUE.")
    ] = "",
    limited_key: Annotated[
        list[str] | None,
        typer.Option(help="A key that lacks something: KEY=/diffs:402; repeatable."),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(help="Make only the named check of this name; repeatable."),
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
        session=session,
        dead_keys=tuple(dead_key or ()),
        limited_keys=tuple(LimitedKey(*_limited(each)) for each in limited_key or ()),
        only=frozenset(_known(each) for each in check or ()),
    )

    try:
        held_against = None if contract is None else read_contract(contract)
        with progress(Console(stderr=True)) as tell:
            found = run(
                _site(url),
                api_key or [],
                now=clock(),
                options=options,
                contract=held_against,
                progress=tell,
            )
    except (Unreachable, UnusableKey, UnreadableContract, ValueError, OSError) as error:
        raise CommandFailed(plain(str(error))) from error
    if json:
        sys.stdout.write(json_module.dumps(found.as_json(), indent=2) + "\n")
    else:
        print_report(found, Console())
    for file in write_report(found, report) if report is not None else ():
        say(f"Wrote {file}")
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def _site(url: str) -> str:
    """The site's address; that of the API is understood as well."""
    if not url.startswith(("http://", "https://")):
        raise typer.BadParameter(
            f"{url} is no address such as https://changewire.example", param_hint="--url"
        )
    return url.rstrip("/").removesuffix("/api/v1")


def _limited(text: str) -> tuple[str, str, int]:
    key, _, refused = text.partition("=")
    path, _, status = refused.rpartition(":")
    if path not in ("/entries", "/diffs") or status not in ("402", "403"):
        raise typer.BadParameter(  # never with the text itself: it may be a key
            "write the key and what it is refused: KEY=/diffs:402 or KEY=/entries:403",
            param_hint="--limited-key",
        )
    return key, path, int(status)


def _known(name: str) -> str:
    """The name of a check."""
    from conformance.checks import CHECKS
    from conformance.checks.universal import RULES

    names = [*(each.name for each in CHECKS), *(each.name for each in RULES)]
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else "docs/conformance.md lists all of them."
        raise typer.BadParameter(f"{name} is no check; {hint}", param_hint="--check")
    return name
