"""changewire doctor: check a deployment, and say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import Annotated, TypeAlias

import httpx2
import typer

from ingest.sandbox import jail
from openapi.text import counted
from outbound import mail
from service import database as service_database
from service import mail as service_mail
from service import secret_key
from service.clock import clock
from service.commands import tables
from service.commands.output import AsJson, print_json, say
from service.settings import Settings, load_settings, unknown
from service.telemetry import machine
from service.terminal_escape import plain
from storage.delivery import delivery_log, webhook_secrets
from storage.engine import database as databases
from storage.engine import write_probe
from storage.scheduling import progress

WARNING, FAULT = "warning", "fault"
LATE_SECONDS, CLOCK_SECONDS, DAY = 1800, 5, 86_400
Problem: TypeAlias = tuple[str, str]
"""How bad it is, and what it is and what to do."""


def doctor(
    url: Annotated[str | None, typer.Argument(help="Check the site at this address.")] = None,
    *,
    json: AsJson = False,
) -> None:
    """Check a deployment and list problems. Example: changewire doctor

    Run it as the service's user. It sends no mail and stores nothing. Exits with 1 on faults.
    """
    settings = load_settings()
    found = sorted(_problems(settings, (url or settings.site_url).rstrip("/")))
    if json:
        print_json([{"severity": severity, "text": line} for severity, line in found])
    else:
        for severity, line in found:
            typer.echo(plain(f"{severity}: {line}"))
    faults = [severity for severity, _ in found].count(FAULT)
    say(f"{counted(faults, 'fault')}, {counted(len(found) - faults, 'warning')}.")
    raise typer.Exit(1 if faults else 0)


def _problems(settings: Settings, site: str) -> Iterator[Problem]:
    now = clock()
    yield from ((WARNING, line) for line in unknown())
    yield from settings_problems(settings)
    yield from machine_problems(settings, now)
    yield from site_problems(site, is_public=settings.is_public)
    try:
        database = service_database.database_of(settings)
        with closing(database), databases.explain_errors(database.engine):
            databases.require_current(database)
            yield from database_problems(settings, database, now)
    except databases.DatabaseUnavailable as error:
        yield FAULT, str(error)


def settings_problems(settings: Settings) -> Iterator[Problem]:
    """Yield what the settings lack."""
    public, site = settings.is_public, settings.site_url
    if not public:
        yield WARNING, f"Only this machine reaches {site}: set CHANGEWIRE_SITE_URL."
    elif site.startswith("http:"):
        yield FAULT, f"{site} is not encrypted: put a proxy with TLS in front (deploy/nginx)."
    elif not settings.trusted_proxies:
        yield FAULT, "All clients share one rate limit: set CHANGEWIRE_TRUSTED_PROXIES."
    if wide := ", ".join(str(it) for it in settings.trusted_proxies if it.prefixlen < 8):
        yield FAULT, f"{wide} can forge addresses: shorten CHANGEWIRE_TRUSTED_PROXIES."
    if settings.secret_key is None and settings.sqlite_file is None:
        yield FAULT, "Machines have different secret keys: set one CHANGEWIRE_SECRET_KEY."
    if public and settings.metrics_token is None:
        yield WARNING, "Nobody can read /metrics: set CHANGEWIRE_METRICS_TOKEN."
    if public and (names := ", ".join(map(str, settings.webhook_allow))):
        yield WARNING, f"Every account can send webhooks to {names}: see CHANGEWIRE_WEBHOOK_ALLOW."


def machine_problems(settings: Settings, now: datetime) -> Iterator[Problem]:
    """Yield problems of disks, backups, mail and the parsers' jail."""
    for name, folder in machine.folders_of(settings).items():
        try:
            free = machine.free_ratio(folder)
        except OSError as error:
            yield FAULT, f"The folder of the {name} ({folder}) cannot be used: {error.strerror}."
            continue
        if free < 0.1:
            line = f"Only {free:.0%} of the disk of the {name} ({folder}) is free."
            yield FAULT if free < 0.03 else WARNING, line
    if settings.backups is None:
        yield WARNING, "No backups are known: set CHANGEWIRE_BACKUPS to their folder."
    elif (days := machine.age_of_newest(settings.backups, now) / DAY) > 1.1:
        line = f"{settings.backups} has no backup of today: run changewire db backup daily."
        yield FAULT if days > 3 else WARNING, line
    if settings.smtp_url is None:
        line = f"Mails stay in {settings.outbox}: set CHANGEWIRE_SMTP_URL to send sign-in links."
        yield FAULT if settings.is_public else WARNING, line
    else:
        try:
            service_mail.server_for(
                settings.smtp_url.get_secret_value(), settings.mail_from
            ).greet()
        except mail.Undelivered as error:
            yield FAULT, f"The mail server fails ({error}): check CHANGEWIRE_SMTP_URL."
    if missing := " and ".join(jail.missing_protections()):
        yield WARNING, f"Parsers are not jailed, the kernel lacks {missing}: see docs/security.md."


def database_problems(
    settings: Settings, database: databases.Database, now: datetime
) -> Iterator[Problem]:
    """Yield problems of a database that is of this version, and of the work in it."""
    if fault := write_probe.write_fault(database):
        yield FAULT, f"Nothing new is stored: {fault}"
    with database.read() as session:
        waiting = (
            progress.progress(session, now=now).due_since,
            delivery_log.backlog(session, now=now).due_since,
        )
        for what, since in zip(("Checks", "Webhooks"), waiting, strict=True):
            if since is not None and (late := (now - since).total_seconds()) > LATE_SECONDS:
                yield FAULT, f"{what} are {late / 60:.0f} minutes late: start workers."
        if count := webhook_secrets.unreadable_secrets(session, secret_key.secret_box(settings)):
            what = counted(count, "webhook secret")
            yield FAULT, f"No key of CHANGEWIRE_WEBHOOK_KEYS opens {what}."
        query = tables.text("SELECT now()")
        there = session.scalar(query) if databases.on_postgresql(database.engine) else now
        if there is None or abs((there - now).total_seconds()) > CLOCK_SECONDS:
            yield FAULT, f"It is {now} here and {there} in the database: use NTP."


def site_problems(site: str, *, is_public: bool) -> Iterator[Problem]:
    """Yield problems of the running site, seen from this machine."""
    try:
        with httpx2.Client(timeout=10, base_url=site) as client:
            ready, metrics = client.get("/readyz"), client.get("/metrics")
    except httpx2.HTTPError as error:
        reason = "nothing listens there" if "refused" in str(error) else error
        yield FAULT, f"{site} does not answer ({reason}): check the servers and the proxy."
        return
    if ready.status_code != 200:
        yield FAULT, f"{site}/readyz says: {ready.text.strip()[:80] or ready.status_code}"
    if is_public and metrics.status_code == 200:
        yield FAULT, f"{site}/metrics answers anybody: close it in the proxy."
