"""changewire contract: validate the contract, compare two, generate code from it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from contract_diff import Severity, as_json, as_markdown, as_text, compare, readable
from contract_diff.render import escape_control
from openapi import release as releases
from openapi import rules
from openapi.contract import load_contract
from openapi.generation import files as generation
from openapi.generation.types import GeneratorFailed
from openapi.text import counted
from service.clock import clock
from service.commands.inputs import read_contract
from service.commands.output import CommandFailed, WrongInput, command_group, say

contract = command_group("Validate and compare contracts.")

CONTRACT = "openapi/openapi.yaml"
_RENDERERS = {"text": as_text, "json": as_json, "markdown": as_markdown}
_MOST_REASONS = 3
"""How many reasons against a comparison are printed."""


@contract.command("check")
def contract_check(
    file: Annotated[
        Path | None, typer.Argument(help="A contract; default: the shipped one.")
    ] = None,
) -> None:
    """Validate a contract and check the house rules. Example: changewire contract check"""
    faults = rules.check(load_contract() if file is None else read_contract(file))
    if faults:
        raise CommandFailed(
            f"{counted(len(faults), 'fault')}:\n" + escape_control("\n".join(faults))
        )
    say("The contract is valid and keeps the house rules.")


@contract.command("diff")
def contract_diff(
    old: Annotated[Path, typer.Argument(help="The current contract.")],
    new: Annotated[Path, typer.Argument(help="The new contract.")],
    form: Annotated[
        Literal["text", "json", "markdown"], typer.Option("--format", help="Output format.")
    ] = "text",
) -> None:
    """List changes, breaking ones first; exit with 1 on breaking changes.

    Exit 2: a file cannot be compared, because it cannot be read, is not valid OpenAPI 3.0, or has
    references that lead out of it, nowhere or back to themselves.

    Example: changewire contract diff old.yaml openapi/openapi.yaml
    """
    changes = compare(_comparable(old), _comparable(new), today=clock().date())
    sys.stdout.write(_RENDERERS[form](changes))
    if any(change.severity is Severity.BREAKING for change in changes):
        raise typer.Exit(1)


def _comparable(file: Path) -> dict[str, Any]:
    document = read_contract(file)
    reasons = readable.reasons_not_to_compare(document)
    if reasons:
        message = escape_control(" ".join(reasons[:_MOST_REASONS]))
        raise WrongInput(f"{file} cannot be compared: {message}")
    return document


@contract.command("update")
def contract_update(
    root: Annotated[Path, typer.Argument(help="The root of a checkout.")] = Path(),
    *,
    check_only: Annotated[
        bool, typer.Option("--check", help="Don't write; fail if files are stale.")
    ] = False,
) -> None:
    """Generate files from the contract, and list broken promises.

    Example: changewire contract update
    """
    tasks = list(_left_to_do(root, write=not check_only))
    if tasks:
        raise CommandFailed(f"{len(tasks)} to do:\n" + "\n".join(tasks))
    say("The generated files match the contract. ./tests/run lists what is not served yet.")


def _left_to_do(root: Path, *, write: bool) -> Iterator[str]:
    document = read_contract(root / CONTRACT)
    faults = rules.check(document)
    if faults:  # files generated from a wrong contract would be wrong too
        yield from (f"{CONTRACT}: {fault}" for fault in faults)
        return
    yield from _stale_files(root, document, write=write)
    yield from _broken_promises(root, document)


def _stale_files(root: Path, document: dict[str, Any], *, write: bool) -> Iterator[str]:
    try:
        files = list(generation.generated_files(root, document, os.environ))
    except GeneratorFailed as error:
        raise CommandFailed(str(error)) from error
    for name, text in files:
        file = root / name
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        if write:
            file.write_text(text, encoding="utf-8")
            say(f"Generated: {name}")
        else:
            yield f"{name}: does not match the contract; run changewire contract update"


def _broken_promises(root: Path, document: dict[str, Any]) -> Iterator[str]:
    try:
        release = releases.last_release(root)
    except releases.UnreadableRelease as error:
        yield str(error)
        return
    if release is None:
        say("Not compared with a release: nothing is released yet.")
        return
    say(f"Compared with version {release['info']['version']}.")
    for fault in releases.broken_promises(release, document, today=clock().date()):
        yield f"{CONTRACT}: {fault}"
