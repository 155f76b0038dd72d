"""changewire conformance: does a deployment keep the contract and the specification?

It starts pytest on the checks of the package conformance, and translates its exit status.
"""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from conformance import callers, reports
from contract_diff import readable
from service.commands.inputs import read_contract
from service.commands.output import AsJson, WrongInput
from service.terminal_escape import plain

Url = Annotated[str, typer.Option(help="The site's address.")]
ApiKeys = Annotated[
    list[str] | None,
    typer.Option("--api-key", envvar="CHANGEWIRE_API_KEYS", help="A key to test with; repeatable."),
]
DeadKeys = Annotated[
    list[str] | None, typer.Option("--dead-key", help="A revoked or expired key; repeatable.")
]
Session = Annotated[str, typer.Option(help="A session cookie: NAME=VALUE.")]
LimitedKeys = Annotated[
    list[str] | None,
    typer.Option("--limited-key", help="A key with limits: KEY=/diffs:402; repeatable."),
]
MaxExamples = Annotated[int, typer.Option(min=0, help="Random requests per operation and caller.")]
Rate = Annotated[float | None, typer.Option(min=0.1, help="Maximum requests per second.")]
Junit = Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")]
RequireEvidence = Annotated[
    bool, typer.Option("--require-evidence", help="Exit with 3 if some responses were not seen.")
]
Contract = Annotated[
    Path | None, typer.Option(help="Validate against this contract instead of the served one.")
]
AllowWrites = Annotated[bool, typer.Option("--allow-writes", help="Also store source requests.")]
OnlySpecification = Annotated[
    bool,
    typer.Option("--only-specification", help="Skip checks of this project's own conventions."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Report fields that the contract does not define.")
]
FeedAddresses = Annotated[
    list[str] | None,
    typer.Option(
        "--feed-address", help="A feed address that responses must not contain; repeatable."
    ),
]
FeedAddressFile = Annotated[
    Path | None, typer.Option("--feed-addresses", help="A file of such addresses, one per line.")
]
Further = Annotated[
    list[str] | None, typer.Argument(help="Options of pytest, after --: -k entries -n 4.")
]
_FINDINGS, _WRONG, _UNSEEN, _NOT_STARTED, _INTERRUPTED = 1, 2, 3, 4, 130
"""Exit statuses; the fourth where the site cannot be reached or a key is refused."""


def conformance(
    url: Url,
    pytest_options: Further = None,
    api_keys: ApiKeys = None,
    dead_keys: DeadKeys = None,
    session: Session = "",
    limited_keys: LimitedKeys = None,
    max_examples: MaxExamples = 50,
    rate: Rate = None,
    junit: Junit = None,
    contract: Contract = None,
    feed_addresses: FeedAddresses = None,
    feed_address_file: FeedAddressFile = None,
    *,
    allow_writes: AllowWrites = False,
    only_specification: OnlySpecification = False,
    strict: Strict = False,
    require_evidence: RequireEvidence = False,
    json: AsJson = False,
) -> None:
    """Test a deployment against the contract.

    Exit 0: no finding; 1: findings; 2: wrong usage; 3: not everything was seen, only with
    --require-evidence; 4: the site cannot be reached or a key is refused.

    Example: changewire conformance --url http://127.0.0.1:8080 --api-key cw_…
    """
    addresses = _feed_addresses(feed_addresses or [], feed_address_file)
    arguments = [
        *("--site", _url(url), "--session", _session(session), "--max-examples", str(max_examples)),
        *_repeated("--api-key", [_key(key, "--api-key") for key in api_keys or ()]),
        *_repeated("--dead-key", [_key(key, "--dead-key") for key in dead_keys or ()]),
        *_repeated("--limited-key", [_limited_key(text) for text in limited_keys or ()]),
        *_repeated("--feed-address", addresses),
        *(["--rate", str(rate)] if rate else []),
        *(["--contract", str(_contract(contract))] if contract else []),
        *(["--junit-xml", str(_writable(junit))] if junit else []),
        *(["--allow-writes"] if allow_writes else []),
        *(["--only-specification"] if only_specification else []),
        *(["--no-unnamed"] if strict else []),
        *(["-p", "no:terminal"] if json else []),
        *(pytest_options or ()),
    ]
    report = reports.run(arguments)
    if json:
        sys.stdout.write(json_module.dumps(report.as_json(), indent=2) + "\n")
    status = _status(report, require_evidence=require_evidence)
    if status:
        raise typer.Exit(status)


def _status(report: reports.Report, *, require_evidence: bool) -> int:
    """Return the exit status of a run, from that of pytest."""
    match int(report.status):
        case 0:
            return _UNSEEN if require_evidence and report.unseen else 0
        case 2:
            return _INTERRUPTED
        case 4:
            return _NOT_STARTED if report.configured else _WRONG
        case 5:
            return _WRONG
        case _:
            return _FINDINGS


def _repeated(option: str, values: list[str]) -> Iterator[str]:
    for value in values:
        yield from (option, value)


def _contract(file: Path) -> Path:
    """Return a file that holds a contract; anything else is wrong usage."""
    for reason in readable.reasons_against(read_contract(file))[:1]:
        raise WrongInput(f"{file}: {plain(reason)}")
    return file


def _writable(file: Path) -> Path:
    """Return a file that can be written."""
    try:
        file.open("a").close()
    except OSError as error:
        raise WrongInput(f"{file} cannot be written: {error.strerror}.") from error
    return file


def _addresses_in(file: Path) -> list[str]:
    """Return the addresses in a file; empty lines and those that begin with # are left out."""
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise WrongInput(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise WrongInput(f"{file} is not UTF-8 text.") from error
    return [line for line in lines if line and not line.startswith("#")]


def _feed_addresses(from_options: list[str], file: Path | None) -> list[str]:
    """Return the feed addresses that no response may show."""
    addresses = [*from_options, *(_addresses_in(file) if file is not None else ())]
    for address in addresses:
        if not address.startswith(("http://", "https://")):
            raise WrongInput(f"{address} is no address of a feed, which begins with https://")
    return addresses


def _url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise typer.BadParameter(
            f"{url!r} is not an address such as https://changewire.example", param_hint="--url"
        )
    return url


def _key(key: str, option: str) -> str:
    """Return a key if it can be sent in a header; errors do not show it."""
    if not key or not key.isascii() or not key.isprintable():
        raise typer.BadParameter(
            "a key is not empty, and of printable ASCII: is the variable set?", param_hint=option
        )
    return key


def _session(cookie: str) -> str:
    name, _, value = cookie.partition("=")
    if cookie and not (name and value and cookie.isascii() and cookie.isprintable()):
        raise typer.BadParameter("write the cookie as NAME=VALUE", param_hint="--session")
    return cookie


def _limited_key(text: str) -> str:
    try:
        key, *_ = callers.limited_key(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--limited-key") from error
    _key(key, "--limited-key")
    return text
