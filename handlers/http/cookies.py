"""Read the cookies of a request by the alphabet of the ones that this site sets.

No parser of a library sees the header as it was sent: ``http.cookies`` unquotes a value in time
that is quadratic in its length on Python before 3.11.10 and 3.12.6 (CVE-2024-7592).
"""

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

Headers: TypeAlias = Iterable[tuple[bytes, bytes]]
_COOKIE: Final = re.compile(rb"([\w-]+)=([\w.-]*)")


def cookies_sent(headers: Headers) -> dict[str, str]:
    """Return the well-formed cookies of a request; the first of each name counts."""
    cookies: dict[str, str] = {}
    for name, value in headers:
        if name == b"cookie":
            for pair in value.split(b";"):
                if cookie := _COOKIE.fullmatch(pair.strip()):
                    cookies.setdefault(cookie[1].decode(), cookie[2].decode())
    return cookies


def with_plain_cookies(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request with one Cookie header, of its well-formed cookies alone."""
    headers = list(headers)
    others = [header for header in headers if header[0] != b"cookie"]
    cookies = "; ".join(f"{name}={text}" for name, text in cookies_sent(headers).items())
    return [*others, (b"cookie", cookies.encode())] if cookies else others
