"""Command lines that send the bytes of a raw request."""

import re
import shlex

_REPEATED = re.compile(rb"([ -&(-\[\]-~]{1,8}?)\1{30,}")
"""A short text that repeats more than thirty times, without quotes and backslashes."""
_ESCAPED = {"\\": "\\\\", "%": "%%", "'": "\\047", "\r": "\\r", "\n": "\\n", "\t": "\\t"}
_PATIENCE = 60
"""Seconds that a request without an end is kept open; a service should not wait that long."""


def command_line(raw: bytes, host: str, port: int, *, secure: bool, unfinished: bool) -> str:
    """Return a command for any POSIX shell that sends the bytes and shows the response."""
    words = printing(raw)
    if unfinished:
        words = [*words, f"sleep {_PATIENCE}"]
    sent = words[0] if len(words) == 1 else f"{{ {'; '.join(words)}; }}"
    if secure:
        return f"{sent} | openssl s_client -quiet -connect {shlex.quote(f'{host}:{port}')}"
    return f"{sent} | nc {shlex.quote(host)} {port}"


def printing(raw: bytes) -> list[str]:
    """Return commands that print the bytes; a repeated part is written once."""
    commands, done = [], 0
    for match in _REPEATED.finditer(raw):
        unit, times = match[1].decode("ascii"), len(match[0]) // len(match[1])
        commands += [_printed(raw[done : match.start()])] if match.start() > done else []
        commands.append(f"yes '{unit}' | head -n {times} | tr -d '\\n'")
        done = match.end()
    tail = [_printed(raw[done:])] if done < len(raw) or not commands else []
    return [*commands, *tail]


def _printed(raw: bytes) -> str:
    return f"printf '{''.join(map(_escaped, raw.decode('latin-1')))}'"


def _escaped(sign: str) -> str:
    if sign in _ESCAPED:
        return _ESCAPED[sign]
    return sign if " " <= sign <= "~" else f"\\{ord(sign):03o}"
