"""Normalisation: the same content becomes the same text, whatever it was wrapped in.

What differs from one response to the next although nobody wrote anything is taken out
before texts are compared: whitespace, invisible characters, tracking parameters, relative
times, nonces, counters (docs/decisions/0011). A normalised text stays as it is.
"""

import re
import tomllib
import unicodedata
from pathlib import Path

NORMALISATION_VERSION = 1
"""Raised whenever a rule here changes: older snapshots then start a new baseline."""

MAX_TEXT_BYTES = 64 * 1024
"""Longest text a snapshot keeps, in bytes of UTF-8."""

MAX_LINE = 2_000
"""Longest title or heading a snapshot keeps, in characters."""

OMITTED = "[…]"
"""Stands where something volatile was left out."""

CUT = "\n[… cut …]"
"""Ends a text that was cut at MAX_TEXT_BYTES."""

# Zero-width space, word joiner, byte order mark, soft hyphen. The joiners that
# Persian and emoji need (U+200C, U+200D) stay.
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_CONTROL_TO_SPACE = bytes(0x20 if _CONTROL.match(chr(byte)) else byte for byte in range(256))

_WRITTEN = tomllib.loads(Path(__file__).with_name("normalise.toml").read_text(encoding="utf-8"))
_PARAMETERS = {kind: tuple(names.split()) for kind, names in _WRITTEN["parameters"].items()}
_VISITOR = frozenset(_PARAMETERS["visitor"])
_SESSIONS_OR_CACHE_BUSTERS = {*_PARAMETERS["sessions"], *_PARAMETERS["cache_busters"]}
_SIGNATURE_PREFIXES = ("x-amz-", "x-goog-")
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*", re.IGNORECASE)
_WRITTEN_URL = re.compile(
    r"https?://[^\s<>\"'|\\^`{}]{0,2000}[^\s<>\"'|\\^`{}.,;:!?)\]]", re.IGNORECASE
)

_RELATIVE_TIME, _VOLATILE_LINE, _TOKEN = (
    re.compile(_WRITTEN["patterns"][name], re.IGNORECASE) for name in ("time", "line", "token")
)
_LONGEST_NOW = 60  # characters; the longest that _VOLATILE_LINE finds has 45, a counter any number
_LOOSE = ("  ", " \n", "\n ")  # where spaces are more than one, or around a line
# Without any of these _RELATIVE_TIME and _TOKEN find nothing, and looking for them first is much
# faster. In UTF-8, ASCII in lower case. No i among them: patterns that ignore case take "ı" and
# "İ" for one; and "ſ" for an s, which is looked for apart.
_TIME_HINTS = tuple(
    sign.encode() for sign in (" ago", "vor ", "l y a ", "hace ", "há ", "hÁ ", "前")
)
_TOKEN_HINTS = (b"csrf", b"xsrf", b"nonce", b"request", b"ray", b"trace", b"sess", b"correlat")
_TOKEN_ENDS = (b":", b"=")


def normal_url(url: str) -> str:
    """Return an address without parameters that only name the visitor, the session or the request.

    The others stay byte for byte, in their order.
    """
    if "?" not in url and ";" not in url and url.isascii():
        return url.strip()  # as most do: nothing below would change it
    url = _PATH_SESSION.sub("", _INVISIBLE.sub("", url.strip()))
    address, hash_mark, fragment = url.partition("#")
    path, _, query = address.partition("?")
    parameters = "&".join(
        parameter for parameter in query.split("&") if parameter and not _is_tracking(parameter)
    )
    return path + ("?" + parameters if parameters else "") + hash_mark + fragment


def _is_tracking(parameter: str) -> bool:
    name = parameter.partition("=")[0].casefold()
    if names_visitor(name) or name in _SESSIONS_OR_CACHE_BUSTERS:
        return True
    return name.startswith(_SIGNATURE_PREFIXES)


def names_visitor(name: str) -> bool:
    """Return whether a parameter of this name only says where a visitor came from.

    Session and cache parameters do not count: on some sites they name a page (``?sid=12``).
    """
    name = name.casefold()
    return name in _VISITOR or name.startswith(_PARAMETERS["visitor_prefixes"])


def normal_line(text: str) -> str:
    """Return text on one line: NFC, single spaces, nothing volatile (titles, headings)."""
    line = " ".join(_visible(text[: 4 * MAX_LINE]).split())
    return _steady(line)[:MAX_LINE].rstrip()


def normal_heading(text: str) -> str:
    """Return a heading on one line; one that is only a time is the same every day."""
    line = normal_line(text)
    return OMITTED if _is_volatile(line) else line


def normal_text(text: str) -> str:
    """Return text line by line, without empty lines and lines that are only a count or a time.

    Empty lines go because they say how a text was marked up, not what it says. At most
    MAX_TEXT_BYTES; a longer text ends with CUT.
    """
    # What lies beyond four times the limit is cut anyway: do not spend time on it.
    text = text[: 4 * MAX_TEXT_BYTES]
    joined = text.replace("\n", "")
    if joined.isprintable() and not any(map(text.__contains__, _LOOSE)):
        # As ingestion writes them: no white space but this, nothing invisible, no control.
        even = text.strip(" ")
        lines = (even if joined.isascii() else unicodedata.normalize("NFC", even)).split("\n")
    else:
        lines = [" ".join(line.split()) for line in _visible(text).splitlines()]
    joined = " ".join(lines)
    if "://" in joined or _may_hold_time_or_token(joined):
        lines = list(map(_steady, lines))
    return bounded("\n".join([line for line in lines if line and not _is_volatile(line)]))


def bounded(text: str) -> str:
    """Return a text, cut between two characters when it is longer than MAX_TEXT_BYTES."""
    if len(text) * 4 <= MAX_TEXT_BYTES:
        return text
    body = text.encode()
    if len(body) <= MAX_TEXT_BYTES:
        return text
    room = MAX_TEXT_BYTES - len(CUT.encode())
    return body[:room].decode(errors="ignore").rstrip() + CUT


def is_cut(text: str | None) -> bool:
    """Return whether ``bounded`` had to cut this text."""
    return text is not None and text.endswith(CUT)


def _visible(text: str) -> str:
    if text.isascii():  # as most is: nothing in it is invisible, or to be composed
        return text.encode("ascii").translate(_CONTROL_TO_SPACE).decode("ascii")
    return unicodedata.normalize("NFC", _CONTROL.sub(" ", _INVISIBLE.sub("", text)))


def _steady(line: str) -> str:
    if "://" in line:
        line = _WRITTEN_URL.sub(lambda url: normal_url(url[0]), line)
    if not _may_hold_time_or_token(line):
        return line
    line = _RELATIVE_TIME.sub(OMITTED, line)
    return _TOKEN.sub(rf"\1{OMITTED}", line)


def _may_hold_time_or_token(spaced: str) -> bool:
    """Return whether a text, its white space single spaces, may hold a relative time or a token."""
    if "ſ" in spaced:
        return True
    body = spaced.encode("utf-8", "surrogatepass").lower()
    if any(map(body.__contains__, _TIME_HINTS)):
        return True
    return any(map(body.__contains__, _TOKEN_ENDS)) and any(map(body.__contains__, _TOKEN_HINTS))


def _is_volatile(line: str) -> bool:
    if line.startswith("- ") and not (line[2:3].isdigit() or line[2:3] in ".,"):
        return False  # of items, only counters are
    if len(line) > _LONGEST_NOW and line[0] not in "-.," and not line[0].isdigit():
        return False  # as most lines are
    return _VOLATILE_LINE.fullmatch(line) is not None
