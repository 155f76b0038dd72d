"""changewire doctor: try a deployment, and say what to do."""

from collections.abc import Iterable
from contextlib import closing
from typing import Annotated

import typer

from ingest.sandbox.jail import missing_protections
from openapi.vocabulary import Json
from service.clock import clock
from service.commands.output import AsJson, print_json, say
from service.commands.variables import unknown
from service.doctor.findings import Finding, Verdict, fault
from service.doctor.of_database import database_findings
from service.doctor.of_settings import (
    backup_finding,
    disk_findings,
    jail_finding,
    mail_finding,
    proxy_findings,
    settings_findings,
)
from service.doctor.of_site import site_findings
from service.settings import Settings, load_settings
from service.telemetry.machine import machine_of
from service.terminal_escape import plain
from service.webhook_keys import secret_box
from storage.engine.database import DatabaseUnavailable, open_database


def doctor(
    url: Annotated[
        str | None, typer.Option(help="Ask the site at this address; default: the settings'.")
    ] = None,
    *,
    json: AsJson = False,
) -> None:
    """Try the running deployment and say in a line each what to do. Example: changewire doctor

    Run it as the service's user and with its settings. It sends no mail and stores nothing. Exit
    status 0: nothing is wrong, though there may be warnings; 1: something is.
    """
    settings = load_settings()
    findings = sorted(_all(settings, (url or settings.site_url).rstrip("/")), key=_urgency)
    if json:
        print_json([_as_json(finding) for finding in findings])
    else:
        for finding in findings:
            typer.echo(line_of(finding))
        say(_summary(findings))
    if any(finding.verdict is Verdict.FAULT for finding in findings):
        raise typer.Exit(1)


def line_of(finding: Finding) -> str:
    """Return the line of a finding; text of others in it cannot begin a new line."""
    advice = f" {finding.advice}" if finding.advice else ""
    return plain(f"{finding.verdict.value:8}{finding.subject}: {finding.text}{advice}")


def _all(settings: Settings, site: str) -> Iterable[Finding]:
    now, machine = clock(), machine_of(settings)
    yield from settings_findings(settings, unknown())
    yield from proxy_findings(settings)
    yield from site_findings(site, is_public=settings.is_public, now=now)
    yield from _of_database(settings)
    yield from disk_findings(machine)
    yield backup_finding(machine, now=now)
    yield mail_finding(settings)
    yield jail_finding(missing_protections())


def _of_database(settings: Settings) -> Iterable[Finding]:
    try:
        database = open_database(
            settings.database_url,
            may_lose_writes=settings.database_may_lose_writes,
            make=False,
            connections=settings.connections,
        )
    except DatabaseUnavailable as error:
        yield fault("database", str(error), "")
        return
    with closing(database):
        yield from database_findings(database, secret_box(settings), now=clock())


def _urgency(finding: Finding) -> int:
    return -list(Verdict).index(finding.verdict)


def _as_json(finding: Finding) -> dict[str, Json]:
    return {
        "subject": finding.subject,
        "verdict": finding.verdict.value,
        "text": finding.text,
        "advice": finding.advice,
    }


def _summary(findings: Iterable[Finding]) -> str:
    verdicts = [finding.verdict for finding in findings]
    faults, warnings = verdicts.count(Verdict.FAULT), verdicts.count(Verdict.WARNING)
    return f"{faults} wrong, {warnings} to look after, {verdicts.count(Verdict.OK)} well."
