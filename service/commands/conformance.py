"""changewire conformance: does a deployment keep the contract and the specification?

Exit status: 0 no finding, 1 findings, 2 wrong usage, 3 not everything was seen (only with
--require-evidence), 4 the site cannot be reached or a key is refused.
"""

import json as json_module
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from conformance.callers import LimitedKey, UnusableKey
from conformance.console import print_report, progress
from conformance.junit import as_junit
from conformance.report import Report
from conformance.site import Unreachable
from conformance.suite import NoContract, Options, UnreadableContract
from conformance.suite import run as run_suite
from contract_diff.readable import reasons_against
from service.clock import clock
from service.commands.inputs import CommandFailed, WrongInput, read_contract
from service.commands.output import AsJson, say
from service.terminal_escape import plain

Url = Annotated[str, typer.Option(help="The site's address.")]
ApiKeys = Annotated[
    list[str] | None,
    typer.Option(
        "--api-key", envvar="CHANGEWIRE_API_KEYS", help="A key to check with; repeatable."
    ),
]
DeadKeys = Annotated[
    list[str] | None,
    typer.Option("--dead-key", help="A key that is revoked or expired; repeatable."),
]
Session = Annotated[str, typer.Option(help="The cookie of somebody who is signed in: NAME=VALUE.")]
LimitedKeys = Annotated[
    list[str] | None,
    typer.Option("--limited-key", help="A key that lacks something: KEY=/diffs:402; repeatable."),
]
MaxExamples = Annotated[int, typer.Option(min=0, help="Random requests an operation and caller.")]
Rate = Annotated[float | None, typer.Option(min=0.1, help="Requests a second at most.")]
Junit = Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")]
RequireEvidence = Annotated[
    bool, typer.Option("--require-evidence", help="Exit with 3 if not everything was seen.")
]
Contract = Annotated[
    Path | None, typer.Option(help="Hold answers against this contract, not the served one.")
]
AllowWrites = Annotated[bool, typer.Option("--allow-writes", help="Also store source requests.")]
OnlySpecification = Annotated[
    bool, typer.Option("--only-specification", help="Leave out this project's own decisions.")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="No field may come that the served contract does not name.")
]
FeedAddresses = Annotated[
    list[str] | None,
    typer.Option("--feed-address", help="A feed address that no response may show; repeatable."),
]
FeedAddressFile = Annotated[
    Path | None, typer.Option("--feed-addresses", help="A file with feed addresses, one a line.")
]
_FINDINGS, _UNSEEN, _NOT_STARTED = 1, 3, 4
"""Exit statuses; the last where the site cannot be reached or a key is refused."""
_API = "/api/v"


def conformance(
    url: Url,
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
    """Check a deployment from outside.

    Exit 0: no finding; 1: findings; 2: wrong usage; 3: not everything was seen, only with
    --require-evidence; 4: the site cannot be reached or a key is refused.

    Example: changewire conformance --url http://127.0.0.1:8080 --api-key cw_…
    """
    site, api = _addresses(url)
    options = Options(
        api=api,
        max_examples=max_examples,
        strict=strict,
        rate=rate,
        allow_writes=allow_writes,
        decisions=not only_specification,
        session=_session(session),
        dead_keys=_keys(dead_keys, "--dead-key"),
        limited_keys=tuple(map(_limited_key, limited_keys or ())),
        feed_addresses=_feed_addresses(feed_addresses or [], feed_address_file),
    )
    report = _run(site, _keys(api_keys, "--api-key"), options, contract)
    _show(report, junit, as_json=json)
    if report.failed:
        raise typer.Exit(_FINDINGS)
    if require_evidence and report.unseen:
        raise typer.Exit(_UNSEEN)


def _show(report: Report, junit: Path | None, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json_module.dumps(report.as_json(), indent=2) + "\n")
    else:
        print_report(report, Console())
    if junit is not None:
        try:
            junit.write_text(as_junit(report), encoding="utf-8")
        except OSError as error:
            raise WrongInput(f"{junit} cannot be written: {error.strerror}.") from error


def _run(url: str, api_keys: Sequence[str], options: Options, contract: Path | None) -> Report:
    """Run the suite, its progress on stderr; report what keeps it from running in one line."""
    document = None if contract is None else _contract_in(contract)
    try:
        with progress(Console(stderr=True)) as on_progress:
            return run_suite(
                url,
                api_keys,
                now=clock(),
                options=options,
                contract=document,
                progress=on_progress,
            )
    except (Unreachable, UnusableKey, NoContract, UnreadableContract) as error:
        say(plain(str(error)))
        raise typer.Exit(_NOT_STARTED) from error
    except (ValueError, OSError) as error:
        raise CommandFailed(plain(str(error))) from error


def _contract_in(file: Path) -> dict[str, Any]:
    """Return the contract in a file; a file that holds none is wrong usage."""
    document = read_contract(file)
    for reason in reasons_against(document)[:1]:
        raise WrongInput(f"{file}: {plain(reason)}")
    return document


def _addresses_in(file: Path) -> list[str]:
    """Return the addresses in a file; empty lines and those that begin with # are left out."""
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise WrongInput(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise WrongInput(f"{file} is no text in UTF-8.") from error
    return [line for line in lines if line and not line.startswith("#")]


def _feed_addresses(from_options: list[str], file: Path | None) -> tuple[str, ...]:
    """Return the feed addresses that no response may show."""
    addresses = [*from_options, *(_addresses_in(file) if file is not None else ())]
    for address in addresses:
        if not address.startswith(("http://", "https://")):
            raise WrongInput(f"{address} is no address of a feed, which begins with https://")
    return tuple(addresses)


def _addresses(url: str) -> tuple[str, str]:
    """Return the site's address and the API's path on it, empty where the address has none."""
    if not url.startswith(("http://", "https://")):
        raise typer.BadParameter(
            f"{url!r} is not an address such as https://changewire.example", param_hint="--url"
        )
    site, api, version = url.rstrip("/").rpartition(_API)
    return (site, api + version) if api and version.isdecimal() else (url.rstrip("/"), "")


def _key(key: str, option: str) -> str:
    """Return a key if it can be sent in a header; errors do not show it."""
    if not key or not key.isascii() or not key.isprintable():
        raise typer.BadParameter(
            "a key is not empty, and of printable ASCII: is the variable set?", param_hint=option
        )
    return key


def _keys(values: list[str] | None, option: str) -> tuple[str, ...]:
    return tuple(_key(key, option) for key in values or ())


def _session(cookie: str) -> str:
    name, _, value = cookie.partition("=")
    if cookie and not (name and value and cookie.isascii() and cookie.isprintable()):
        raise typer.BadParameter("write the cookie as NAME=VALUE", param_hint="--session")
    return cookie


def _limited_key(text: str) -> LimitedKey:
    key, _, refusal = text.partition("=")
    path, _, status = refusal.rpartition(":")
    if path not in ("/entries", "/diffs") or status not in ("402", "403"):
        raise typer.BadParameter(  # never with the text itself: it may be a key
            "write the key and what it is refused: KEY=/diffs:402 or KEY=/entries:403",
            param_hint="--limited-key",
        )
    return LimitedKey(_key(key, "--limited-key"), path, int(status))
