"""Findings about the responses of the site, requested from this machine."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

import httpx2

from service.doctor.findings import Finding, fault, ok, warning
from service.doctor.of_database import clock_finding

TIMEOUT: Final = 10.0
SOON, VERY_SOON = timedelta(days=21), timedelta(days=5)
CLOCKS: Final = timedelta(seconds=30)


def site_findings(site: str, *, is_public: bool, now: datetime) -> Iterator[Finding]:
    """Request pages that must be public, and those that must not."""
    parts = urlsplit(site)
    if parts.scheme == "https":
        yield certificate_finding(parts.hostname or "", parts.port or 443, now=now)
    elif is_public:
        advice = "Put a proxy with TLS before it (deploy/nginx) and set CHANGEWIRE_SITE_URL."
        yield fault("tls", f"{site} is not encrypted: cookies and keys can be read.", advice)
    try:
        with httpx2.Client(timeout=TIMEOUT, follow_redirects=False) as client:
            yield from _answers(client, site, is_public=is_public, now=now)
    except httpx2.HTTPError as error:
        advice = "See whether the servers run (changewire serve), and what the proxy's log says."
        yield fault("site", f"{site} does not answer: {type(error).__name__}.", advice)


def _answers(
    client: httpx2.Client, site: str, *, is_public: bool, now: datetime
) -> Iterator[Finding]:
    alive, ready = client.get(f"{site}/healthz"), client.get(f"{site}/readyz")
    if (alive.status_code, alive.text) != (200, "alive\n"):
        advice = "See CHANGEWIRE_SITE_URL and where the proxy leads."
        yield fault("site", f"{site}/healthz is answered with {alive.status_code}.", advice)
        return
    if ready.status_code == 200:
        yield ok("site", f"{site} answers and is ready.")
    else:
        yield fault("site", f"{site}/readyz says: {ready.text.strip()[:80]}.", "See its log.")
    if "Date" in alive.headers:
        there = parsedate_to_datetime(alive.headers["Date"])
        yield clock_finding("the site's", there - now, may_differ=CLOCKS)
    if site.startswith("https:") and "Strict-Transport-Security" not in client.get(site).headers:
        yield warning("tls", "The site sends no HSTS.", "Set CHANGEWIRE_SITE_URL to https://…")
    if is_public and client.get(f"{site}/metrics").status_code == 200:
        yield fault("metrics", f"{site}/metrics answers anybody.", "Close it in the proxy.")


def certificate_finding(host: str, port: int, *, now: datetime) -> Finding:
    """Say for how long the certificate of a server is good, as this machine judges it."""
    try:
        with (
            socket.create_connection((host, port), TIMEOUT) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=host) as secure,
        ):
            certificate = secure.getpeercert() or {}
            version = secure.version()
    except ssl.SSLCertVerificationError as error:
        advice = "Renew it, or let the proxy send the whole chain."
        return fault(
            "tls", f"The certificate of {host} is refused: {error.verify_message}.", advice
        )
    except OSError as error:
        text = f"{host}:{port} cannot be reached: {error.strerror or type(error).__name__}."
        return fault("tls", text, "See the proxy, the name in the DNS, and the firewall.")
    return judge_certificate(str(certificate["notAfter"]), f"{version} at {host}", now=now)


def judge_certificate(not_after: str, where: str, *, now: datetime) -> Finding:
    """Say for how long a certificate is good, by the text of its end."""
    left = datetime.fromtimestamp(ssl.cert_time_to_seconds(not_after), UTC) - now
    text = f"{where}, whose certificate is good for {left.days} days."
    advice = "See why it is not renewed (certbot renew --dry-run)."
    if left < VERY_SOON:
        return fault("tls", text, advice)
    return warning("tls", text, advice) if left < SOON else ok("tls", text)
