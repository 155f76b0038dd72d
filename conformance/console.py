"""A report on a terminal, and the files beside it."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import indent

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from conformance.markup import as_html, as_junit, by_caller
from conformance.report import NOBODY, Report, Result, Verdict
from conformance.terminal_escape import escape_control

_COLOURS = {"failed": "red", "passed": "green", "skipped": "yellow"}
_SHOWN = 3
"""Faults of one check that are printed; the files have more."""
_VERDICTS = {
    Verdict.FAILED: "[red]does not conform[/]",
    Verdict.UNFINISHED: "[yellow]showed no fault before the time was over[/]",
    Verdict.UNTRIED: "[yellow]could not be checked[/]",
    Verdict.PASSED: "[green]conforms[/]",
}
_NAMED = 3
"""Checks that are named for one reason not to make them; the files name all."""


@contextmanager
def progress(console: Console) -> Iterator[Callable[[Result], None]]:
    """Print the progress of a run: a status line on a terminal, else a line for each caller."""
    if console.is_terminal:
        with console.status("Finding out what each key may do") as status:
            yield lambda result: _tell(result, console, status)
        return
    callers: list[str] = []

    def begin(result: Result) -> None:
        if result.caller not in (*callers, NOBODY):
            callers.append(result.caller)
            console.print(f"Asking as {_plain(result.caller)}", highlight=False)

    yield begin


def _tell(result: Result, console: Console, status: Status) -> None:
    words = _plain(f"{result.caller}: {result.operation}, {result.check}")
    status.update(words)
    if result.faults:
        console.print(f"[red]failed[/] {words}", highlight=False)


def print_report(report: Report, console: Console) -> None:
    """Print a table for each caller, then every fault with the command that repeats it."""
    for name, results in by_caller(report):
        if name != NOBODY:
            console.print(_table(name, results))
    for result in report.failed:
        console.print(
            f"\n[red]FAILED[/] [bold]{_plain(result.check)}[/] {_plain(result.operation)}, "
            f"{_plain(result.caller)}",
            soft_wrap=True,
        )
        says = f"  {result.says} ({result.origin})"
        console.print(says, style="dim", markup=False, soft_wrap=True)
        for fault in result.faults[:_SHOWN]:
            console.print(f"  {escape_control(fault.sentence)}", markup=False, soft_wrap=True)
            console.print(_indented(fault.curl), markup=False, soft_wrap=True, end="")
            console.print(
                _indented(fault.answer), markup=False, style="dim", soft_wrap=True, end=""
            )
        left = len(result.faults) - _SHOWN
        if left > 0:
            console.print(f"  and {left} more", style="dim")
    for line in _reasons(report):
        console.print(_plain(line), style="dim", highlight=False, soft_wrap=True)
    counts = report.counts()
    numbers = ", ".join(f"{counts[column]} {column}" for column in _COLUMNS)
    console.print(
        f"\n{_plain(report.target)} {_VERDICTS[report.verdict]}: {numbers}, "
        f"{report.requests} requests, seed {report.seed}.",
        soft_wrap=True,
    )


def _plain(text: str) -> str:
    """Return a text from a deployment escaped for rich and for terminals."""
    return escape(escape_control(text))


def _indented(text: str) -> str:
    return indent(f"{escape_control(text)}\n", "    ") if text else ""


def _reasons(report: Report) -> Iterator[str]:
    """Yield why checks were skipped, a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for result in report.results:
        if result.outcome == "skipped":
            by_reason.setdefault(result.skipped, []).append(_named(result))
    for reason, names in by_reason.items():
        more = len(names) - _NAMED
        tail = f" and {more} more" if more > 0 else ""
        yield f"skipped, {reason}: {', '.join(names[:_NAMED])}{tail}"


def _named(result: Result) -> str:
    return f"{result.check} ({result.caller})" if result.caller != NOBODY else result.check


def _table(name: str, results: list[Result]) -> Table:
    table = Table(title=_plain(name), title_justify="left")
    for heading in ("operation", "checks", "passed", "failed", "skipped"):
        table.add_column(heading, justify="left" if heading == "operation" else "right")
    operations = sorted({result.operation for result in results})
    for operation in operations:
        counts = Counter(result.outcome for result in results if result.operation == operation)
        cells = [
            f"[{_COLOURS[column]}]{counts[column]}[/]" if counts[column] else "0"
            for column in _COLUMNS
        ]
        table.add_row(_plain(operation), str(counts.total()), *cells)
    return table


_COLUMNS = ("passed", "failed", "skipped")


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write report.html, report.json and junit.xml; make the folder if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.html": as_html(report),
        "report.json": json.dumps(report.as_json(), indent=2, ensure_ascii=True) + "\n",
        "junit.xml": as_junit(report),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
