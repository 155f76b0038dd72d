"""A report on a terminal."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import indent

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from conformance.report import NOBODY, Finding, Report, Result, Shown
from contract_diff.render import escape_control

_COLOURS = {"failed": "red", "passed": "green", "skipped": "yellow"}
_SHOWN = 3
"""Faults of one check that are printed; JSON and JUnit have more."""
_NAMED = 3
"""Checks that are named for each reason to skip; JSON and JUnit have more."""


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
    for name, results in report.by_caller:
        if name != NOBODY:
            console.print(_table(name, results))
    for finding in report.findings:
        _print_finding(finding, console)
    for line in (*_reasons(report), *_gaps(report)):
        console.print(_plain(line), style="dim", highlight=False, soft_wrap=True)
    counts = report.counts()
    colour = "red" if report.failed else "yellow" if report.unseen else "green"
    numbers = ", ".join(f"{counts[column]} {column}" for column in _COLUMNS)
    console.print(
        f"\n{_plain(report.target)} [{colour}]{report.verdict}[/]: {numbers}, "
        f"{report.requests} requests.",
        soft_wrap=True,
    )


def _print_finding(finding: Finding, console: Console) -> None:
    console.print(
        f"\n[red]FAILED[/] [bold]{_plain(finding.check)}[/] {_plain(finding.operation)}, "
        f"{_plain(', '.join(finding.callers))}",
        soft_wrap=True,
    )
    says = f"  {finding.says} ({finding.origin})"
    console.print(says, style="dim", markup=False, soft_wrap=True)
    for shown in finding.faults[:_SHOWN]:
        sentence = escape_control(shown.fault.sentence) + _of_some(shown, finding)
        console.print(f"  {sentence}", markup=False, soft_wrap=True)
        console.print(_indented(shown.fault.curl), markup=False, soft_wrap=True, end="")
        answer = _indented(shown.fault.answer)
        console.print(answer, markup=False, style="dim", soft_wrap=True, end="")
    left = len(finding.faults) - _SHOWN
    if left > 0:
        console.print(f"  and {left} more", style="dim")


def _of_some(shown: Shown, finding: Finding) -> str:
    """Return the callers that met a fault, where others of the finding did not."""
    if shown.callers == finding.callers:
        return ""
    return f" ({escape_control(', '.join(shown.callers))})"


def _gaps(report: Report) -> Iterator[str]:
    """Yield what was never seen, and what the options left out."""
    yield from (f"never seen, {line}" for line in report.unseen)
    yield from (f"left out, {line}" for line in report.left_out)


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
