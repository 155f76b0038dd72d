"""changewire contract: validate the contract, and compare two of them."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from conformance.evolution import Severity, as_json, as_markdown, as_text, compare
from openapi.contract import load_contract, parse_contract
from service.clock import clock
from service.commands.shared import CommandFailed, say

contract = typer.Typer(help="Validate and compare contracts.", no_args_is_help=True)


class DiffFormat(StrEnum):
    """How changes are printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


RENDERERS = {
    DiffFormat.TEXT: as_text,
    DiffFormat.JSON: as_json,
    DiffFormat.MARKDOWN: as_markdown,
}


@contract.command("check")
def contract_check(
    file: Annotated[
        Path | None, typer.Argument(help="A contract; the shipped one without it.")
    ] = None,
) -> None:
    """Validate a contract and check the house rules. Example: changewire contract check"""
    from openapi.rules import check  # loads a validator that no other command needs

    found = check(load_contract() if file is None else _read(file))
    if found:
        raise CommandFailed(f"{len(found)} faults:\n" + "\n".join(found))
    say("The contract is valid and keeps the house rules.")


@contract.command("diff")
def contract_diff(
    old: Annotated[Path, typer.Argument(help="The contract that consumers have.")],
    new: Annotated[Path, typer.Argument(help="The contract that is to come.")],
    form: Annotated[
        DiffFormat, typer.Option("--format", help="text, json or markdown.")
    ] = DiffFormat.TEXT,
) -> None:
    """List the changes, breaking ones first; exit 1 if there are any of those.

    Example: changewire contract diff old.yaml openapi/openapi.yaml
    """
    changes = compare(_read(old), _read(new), today=clock().date())
    sys.stdout.write(RENDERERS[form](changes))
    if any(change.severity is Severity.BREAKING for change in changes):
        raise typer.Exit(1)


def _read(file: Path) -> dict[str, Any]:
    try:
        return parse_contract(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandFailed(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise CommandFailed(f"{file}: {error}") from error
