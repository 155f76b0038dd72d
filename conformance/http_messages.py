"""A request and its response, as the suite records them."""

import json
import shlex
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import ascii_letters
from typing import Any

KEY_VARIABLE = "$CHANGEWIRE_API_KEY"
"""What reports show instead of a key."""
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
        """Return the command line that repeats the request."""
        words = ["curl", "-i"]
        if self.method == "HEAD":
            words.append("-I")
        elif self.method != "GET":
            words += ["-X", self.method]
        words.append(shlex.quote(self.url))
        for name, value in self.headers.items():
            words += ["-H", shlex.quote(f"{name}: {value}")]
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
        """The body as JSON; None if it is no JSON, or nested too deeply.

        1.0 is 1, as it is to JSON Schema.
        """
        try:
            return json.loads(self.body, parse_float=number)
        except (ValueError, RecursionError):
            return None

    @property
    def items(self) -> list[dict[str, Any]]:
        """The items of a page; none where there is no page."""
        body = self.json
        items = body.get("items") if isinstance(body, dict) else None
        return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    def field(self, name: str) -> Any:
        """Return one member of the object in the body; None where there is none."""
        body = self.json
        return body.get(name) if isinstance(body, dict) else None

    def summary(self) -> str:
        """Return the status and the beginning of the body, for a report."""
        shown = self.text[:_SHOWN]
        return f"{self.status} {shown}{'…' if len(self.text) > _SHOWN else ''}".strip()


def number(written: str) -> int | float:
    """Parse a JSON number with a point or an exponent; return an integer if its value is one."""
    value = float(written)
    return int(value) if value.is_integer() else value


def altered_keys(key: str) -> dict[str, str]:
    """Return wrong keys made from a right one, by the shell expression that makes them."""
    last = "a" if key[-1:] != "a" else "b"
    middle = len(key) // 2
    other = next(letter for letter in ascii_letters if letter != key[middle : middle + 1])
    piped = f'$(printf %s "{KEY_VARIABLE}" | '
    name = KEY_VARIABLE.removeprefix("$")
    return {
        f"${{{name}}}x": f"{key}x",
        f"${{{name}%?}}{last}": key[:-1] + last,
        f"${{{name}%?}}": key[:-1],
        f"{piped}tr a-zA-Z A-Za-z)": key.swapcase(),
        f"{piped}rev)": key[::-1],
        f'{piped}sed "s/./{other}/{middle + 1}")': key[:middle] + other + key[middle + 1 :],
        f'$(printf %s: "{KEY_VARIABLE}" | base64)': b64encode(f"{key}:".encode()).decode(),
    }


def redacted(text: str, keys: Iterable[str]) -> str:
    """Return the text with each key replaced by a shell variable, in quotes that expand it.

    Wrong keys that are made from it are replaced too, because they reveal it.
    """
    for key in filter(None, keys):
        secrets = [(KEY_VARIABLE, key), *altered_keys(key).items()]
        for words, secret in sorted(secrets, key=lambda pair: -len(pair[1])):
            if secret and secret in text:
                text = _unquoted(text, secret, words)
    return text


def _unquoted(text: str, key: str, words: str) -> str:
    """Turn single quotes around a word with the key into double quotes."""
    before, _, after = text.partition(key)
    start, end = before.rfind("'"), after.find("'")
    if before.count("'") % 2 == 1 and end >= 0:
        before = f'{before[:start]}"{before[start + 1 :]}'
        after = f'{after[:end]}"{after[end + 1 :]}'
    return before + words + (_unquoted(after, key, words) if key in after else after)
