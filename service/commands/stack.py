"""changewire stack: a lockfile or SBOM against the latest versions, over the API."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import typer

from openapi import shapes
from openapi.shapes import StackReport
from openapi.text import counted
from package_versions import component
from package_versions import read as reading
from service import component_reader
from service.commands.api import ApiKey, ApiKeyFile, ApiOptions, Url, connected
from service.commands.output import AsJson, CommandFailed, print_json, print_table, say
from service.stack import findings as finding
from service.stack import formats
from service.terminal_escape import plain, plain_json

FOUND: Final = 1
WRONG_USAGE: Final = 2
NO_ANSWER: Final = 4
PAUSE_SECONDS: Final = 4  # between questions
_DAYS: Final = re.compile(r"(?P<number>\d{1,4})(?P<unit>[dw])", re.ASCII)
Format: TypeAlias = Literal["text", "json", "sarif", "junit"]
NoLookup: TypeAlias = Annotated[
    bool, typer.Option("--no-lookup", help="Don't send names to the package index (deps.dev).")
]
Save: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Save these versions as a stack.")
]
FailOn: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Exit with 1 on any of: breaking, deprecation, security, end-of-life, review."
    ),
]
Within: TypeAlias = Annotated[
    str, typer.Option(help="Include ends of life this far ahead: 90d, 12w.")
]
Wait: TypeAlias = Annotated[
    int, typer.Option(min=0, max=3600, help="Seconds to wait for packages that are looked up.")
]


def stack(
    *,
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Lockfiles or SBOMs.")],
    before: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="The file with your current versions; FILE has the target versions.",
        ),
    ] = None,
    fail_on: FailOn = "",
    within: Within = "90d",
    format_: Annotated[Format, typer.Option("--format", help="Output format.")] = "text",
    no_lookup: NoLookup = False,
    wait: Wait = 20,
    save: Save = None,
    json: AsJson = False,
    sarif: Annotated[Path | None, typer.Option(help="Write SARIF 2.1.0 to this file.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    url: Url = None,
    api_key: ApiKey = None,
    api_key_file: ApiKeyFile = None,
) -> None:
    """List breaking changes between your versions and the latest.

    Sends only names and versions; unknown names are looked up in a package index.
    Exits with 1 if --fail-on matched, 2 for wrong usage, 4 without an answer.

    Example: changewire stack requirements.txt --fail-on breaking,end-of-life --within 90d
    """
    rules = _rules(fail_on)
    days = _days(within)
    wanted = _read(files)
    running = wanted if before is None else _read([before])
    asked = _asked(running, wanted if before else None, lookup=not no_lookup, name=save)
    report = _ask(ApiOptions(url, api_key, api_key_file), asked, wait)
    findings = finding.findings_of(report, wanted, within=days, running=running)
    failed = finding.failing(findings, report, rules, wanted)
    _write(sarif, plain_json(formats.as_sarif(findings, rules, report, wanted)).encode())
    _write(junit, formats.as_junit(report, wanted, findings, rules))
    shown = "json" if json else format_
    _print(shown, report, wanted, findings, rules=rules, failed=failed)
    for line in formats.summary(report, findings, wanted):
        say(plain(line))
    if failed:
        say(f"Failed: {', '.join(failed)}.")
        raise typer.Exit(FOUND)


def _rules(text: str) -> list[str]:
    rules = [word.strip() for word in text.split(",") if word.strip()]
    wrong = [word for word in rules if word not in finding.RULES]
    if wrong:
        message = f"{plain(wrong[0])!r} is not one of {', '.join(finding.RULES)}."
        raise typer.BadParameter(message, param_hint="--fail-on")
    return rules


def _days(text: str) -> int:
    match = _DAYS.fullmatch(text.strip())
    if match is None:
        raise typer.BadParameter("Write days or weeks: 90d, 12w.", param_hint="--within")
    return int(match["number"]) * (7 if match["unit"] == "w" else 1)


def _read(files: Iterable[Path]) -> finding.Stack:
    """Return what files name, read in a child process; a file that cannot be read ends it."""
    read = component_reader.component_reader()
    stack = finding.stack_of([(file.as_posix(), _components(file, read)) for file in files])
    if len(stack.purls) > component.MOST:
        say(f"changewire: These files name over {component.MOST:,} parts; give fewer at a time.")
        raise typer.Exit(WRONG_USAGE)
    return stack


def _components(file: Path, read: Callable[[bytes], component.FileParts]) -> component.FileParts:
    try:
        with file.open("rb") as stream:
            return read(stream.read(reading.LARGEST_BYTES + 1))
    except OSError as error:
        say(plain(f"changewire: {file} cannot be read: {error.strerror}."))
    except component.Unreadable as error:
        say(plain(f"changewire: {file}: {error}"))
    raise typer.Exit(WRONG_USAGE)


def _asked(
    running: finding.Stack, wanted: finding.Stack | None, *, lookup: bool, name: str | None
) -> shapes.Stack:
    stack: shapes.Stack = {"components": list(running.purls), "lookup": lookup}
    if wanted is not None:
        stack["wanted"] = list(wanted.purls)
    if name is not None:
        stack["name"] = name
    return stack


def _ask(options: ApiOptions, stack: shapes.Stack, wait: int) -> StackReport:
    """Return the answer; it is asked for again while packages are looked up, up to ``wait``."""
    ends = time.monotonic() + wait
    try:
        with connected(options) as client:
            report = client.check_stack(**stack)
            while (awaited := formats.awaited(report)) and time.monotonic() < ends:
                say(f"Looking up {counted(len(awaited), 'package')}…")
                time.sleep(PAUSE_SECONDS)
                report = client.check_stack(**stack)
            return report
    except CommandFailed as error:
        say(f"changewire: {error}")
        raise typer.Exit(NO_ANSWER) from error


def _write(file: Path | None, content: bytes) -> None:
    if file is not None:
        try:
            file.write_bytes(content)
        except OSError as error:
            say(plain(f"changewire: {file} cannot be written: {error.strerror}."))
            raise typer.Exit(WRONG_USAGE) from error


def _print(
    shown: Format,
    report: StackReport,
    stack: finding.Stack,
    findings: Sequence[finding.StackFinding],
    *,
    rules: Sequence[str],
    failed: Sequence[str],
) -> None:
    if shown == "text" and findings:
        print_table(formats.COLUMNS, formats.rows(findings))
    elif shown == "junit":
        typer.echo(formats.as_junit(report, stack, findings, rules))
    elif shown != "text":
        document: Any = formats.as_sarif(findings, rules, report, stack)
        print_json(
            formats.as_json(report, findings, failed, stack) if shown == "json" else document
        )
