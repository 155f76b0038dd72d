"""A request and its response, as the suite records them."""

import json
import re
import shlex
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import ascii_letters
from typing import Any

KEY_VARIABLE, WRONG_KEY = "$CHANGEWIRE_API_KEY", "$WRONG_KEY"
"""What reports show instead of a key, and of a wrong one that was made of it."""
_SHOWN = 400
"""Characters of a body that are shown in a report."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it was sent, with its full URL and the headers that matter."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def curl(self) -> str:
        """Return the command line that repeats the request; variables in headers are expanded."""
        method = {"GET": [], "HEAD": ["-I"]}.get(self.method, ["-X", self.method])
        words = ["curl", "-i", *method, shlex.quote(self.url)]
        for name, value in self.headers.items():
            escaped = re.sub(r'([\\"$`])', r"\\\1", f"{name}: {value}")
            words += ["-H", f'"{escaped}"']
        if self.body is not None:
            words += ["--data-binary", shlex.quote(self.body.decode("utf-8", "replace"))]
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Response:
    """A response. Header names are in lower case; repeated headers are joined by commas."""

    request: Request
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; what is no UTF-8 is replaced."""
        return self.body.decode("utf-8", "replace")

    @property
    def json(self) -> Any:
        """The body as JSON, where 1.0 is 1; None if it is no JSON, or nested too deeply."""
        try:
            return json.loads(self.body, parse_float=number)
        except (ValueError, RecursionError):
            return None

    @property
    def items(self) -> list[dict[str, Any]]:
        """The items of a page; none where there is no page."""
        items = self.field("items")
        return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    @property
    def total(self) -> int:
        """How many items a list claims to have; 0 where it claims nothing."""
        total = self.field("total")
        return total if isinstance(total, int) else 0

    def field(self, name: str) -> Any:
        """Return one member of the object in the body; None where there is none."""
        body = self.json
        return body.get(name) if isinstance(body, dict) else None

    def report(self, sentence: str, *more: str) -> str:
        """Return a sentence about the response, with the request and the beginning of the body."""
        summary = f"{self.status} {self.text[:_SHOWN]}{'…' if len(self.text) > _SHOWN else ''}"
        shown = "\n    ".join((self.request.curl(), summary.strip()))
        return "\n\n    ".join((f"{self.request.method} {sentence}", shown, *more))


def number(written: str) -> int | float:
    """Parse a JSON number with a point or an exponent; return an integer if its value is one."""
    value = float(written)
    return int(value) if value.is_integer() else value


def altered_keys(key: str) -> list[str]:
    """Return wrong keys that are made from a right one."""
    last = "a" if key[-1:] != "a" else "b"
    middle = len(key) // 2
    other = next(letter for letter in ascii_letters if letter != key[middle : middle + 1])
    return [
        f"{key}x", key[:-1] + last, key[:-1], key.swapcase(), key[::-1],
        key[:middle] + other + key[middle + 1 :], b64encode(f"{key}:".encode()).decode(),
    ]  # fmt: skip


def redacted(text: str, keys: Iterable[str]) -> str:
    """Return the text without keys, and without the wrong ones made of them, which reveal them."""
    for key in filter(None, keys):
        secrets = [(secret, WRONG_KEY) for secret in altered_keys(key)] + [(key, KEY_VARIABLE)]
        for secret, shown in sorted(secrets, key=lambda pair: -len(pair[0])):
            text = text.replace(secret, shown) if secret else text
    return text
