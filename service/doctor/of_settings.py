"""Findings about the settings of a deployment and about its machine."""

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from service.doctor.findings import Finding, fault, ok, warning
from service.mail import MailTrouble, try_server
from service.settings import Settings
from service.telemetry.machine import Machine, age_of_newest, free_ratio

LEAST_FREE, LITTLE_FREE = 0.03, 0.10
BACKUP_DUE, BACKUP_LATE = timedelta(hours=26), timedelta(days=3)
WIDEST_PROXY: Final = {4: 8, 6: 16}
"""The shortest prefix, by the version of IP, of a network that may be one's own proxies."""


def settings_findings(settings: Settings, unknown: list[str]) -> Iterator[Finding]:
    """Report settings that are missing, and variables that are no settings."""
    for line in unknown:
        yield warning("settings", line, "Correct the name or remove it.")
    if not settings.is_public:
        yield warning(
            "settings",
            f"The site is at {settings.site_url}, which only this machine reaches.",
            "Set CHANGEWIRE_SITE_URL to the public address.",
        )
    if settings.secret_key is None and settings.sqlite_file is None:
        yield fault(
            "settings",
            "Each machine makes a secret key of its own, and webhook secrets are stored openly.",
            "Set CHANGEWIRE_SECRET_KEY, the same for all servers and workers.",
        )
    if settings.is_public and settings.metrics_token is None:
        yield warning(
            "settings", "Nobody can read /metrics.", "Set CHANGEWIRE_METRICS_TOKEN and watch it."
        )
    if settings.is_public and settings.webhook_allow:
        yield warning(
            "settings",
            f"Every account can send webhooks to {', '.join(map(str, settings.webhook_allow))}.",
            "Name only networks of receivers in CHANGEWIRE_WEBHOOK_ALLOW.",
        )
    if not unknown and settings.secret_key is not None:
        yield ok("settings", "All are read, and no name is unknown.")


def proxy_findings(settings: Settings) -> Iterator[Finding]:
    """Say whether the service can tell its clients apart behind a proxy."""
    wide = [
        str(network)
        for network in settings.trusted_proxies
        if network.prefixlen < WIDEST_PROXY[network.version]
    ]
    if wide:
        yield fault(
            "proxy trust",
            f"{', '.join(wide)} is trusted: anybody can write the address that he comes from.",
            "Name only your proxies in CHANGEWIRE_TRUSTED_PROXIES.",
        )
    elif settings.site_url.startswith("https://") and not settings.trusted_proxies:
        yield fault(
            "proxy trust",
            "TLS ends at a proxy, and none is trusted: everybody behind it shares one allowance.",
            "Name it in CHANGEWIRE_TRUSTED_PROXIES, such as 127.0.0.1/32.",
        )
    else:
        trusted = ", ".join(map(str, settings.trusted_proxies)) or "nobody"
        yield ok("proxy trust", f"X-Forwarded-For counts from {trusted}.")


def disk_findings(machine: Machine) -> Iterator[Finding]:
    """Say how much room is left where something is written."""
    for name, folder in machine.folders.items():
        free = free_ratio(folder)
        text = f"{free:.0%} of the disk of the {name} ({folder}) is free."
        if free < LEAST_FREE:
            yield fault("disk", text, "Make room now: writes are about to fail.")
        elif free < LITTLE_FREE:
            yield warning("disk", text, "Make room.")
        else:
            yield ok("disk", text)


def backup_finding(machine: Machine, *, now: datetime) -> Finding:
    """Say how old the newest backup is."""
    if machine.backups is None:
        advice = "Name their folder in CHANGEWIRE_BACKUPS, and run: changewire db backup FILE"
        return warning("backups", "Nobody knows of any.", advice)
    seconds = age_of_newest(machine.backups, now)
    if math.isinf(seconds):
        advice = "Run daily: changewire db backup FILE"
        return fault("backups", f"There is none in {machine.backups}.", advice)
    age = timedelta(seconds=round(seconds))
    if age <= BACKUP_DUE:
        return ok("backups", f"The newest is {age} old.")
    severity = warning if age <= BACKUP_LATE else fault
    return severity("backups", f"The newest is {age} old.", "See why the daily one did not run.")


def mail_finding(settings: Settings) -> Finding:
    """Say whether mails would leave: connect to their server, with its password, and send none."""
    if settings.smtp_url is None:
        text = f"Mails are files in {settings.outbox}; nobody gets a sign-in link."
        severity = fault if settings.is_public else warning
        return severity("mail", text, "Set CHANGEWIRE_SMTP_URL.")
    try:
        try_server(settings.smtp_url.get_secret_value(), settings.mail_from)
    except MailTrouble as error:
        return fault("mail", f"The server takes none: {error}.", "Look at CHANGEWIRE_SMTP_URL.")
    return ok("mail", "The server answers and takes our name.")


def jail_finding(missing: tuple[str, ...]) -> Finding:
    """Say whether the kernel jails the parsers."""
    if missing:
        advice = "Use a kernel or container that offers it: docs/security.md"
        return warning("jail", f"The kernel lacks {' and '.join(missing)}.", advice)
    return ok("jail", "Landlock and seccomp hold the parsers.")
