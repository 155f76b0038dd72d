"""Vendors' text made harmless for terminals and readers: nothing unseen, nothing obeyed.

A terminal obeys control characters (ECMA-48: C0, DEL and C1, which is a second way to begin an
escape sequence); marks of direction make text look like other text (Unicode TR 36); tags and
supplementary variation selectors carry messages that only programs see.
"""

import json
import re
import unicodedata

_KEPT_FORMATS = frozenset("\u200c\u200d")  # joiners: Persian, Indic scripts and emoji need them
_REMOVED = frozenset({"Cf", "Cs"})
_SPACES = frozenset({"Cc", "Zl", "Zp", "Zs"})
_NEVER_SHOWN = range(0xE0000, 0xE1000)  # tags, selectors, and what is reserved for more of them
_RUN_OF_SPACE = re.compile(r"[ ]+")


def plain(text: str) -> str:
    """Return text as one line: controls and separators become spaces, unseen marks go."""
    return _RUN_OF_SPACE.sub(" ", "".join(map(_shown, text))).strip()


def plain_lines(text: str) -> str:
    """Return text with its line breaks, each line made plain, no two empty lines in a row."""
    lines = [plain(line) for line in re.split(r"\r\n|[\n\r\u2028\u2029]", text)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def plain_json(value: object) -> str:
    """Return JSON in which everything unseen is escaped: the same value, safe to print."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    unseen = (each for each in set(text) - {"\n"} if not _is_seen(each))
    return text.translate({ord(each): json.dumps(each)[1:-1] for each in unseen})


def _shown(character: str) -> str:
    if _is_seen(character):
        return character
    return "" if unicodedata.category(character) not in _SPACES else " "


def _is_seen(character: str) -> bool:
    if character.isascii():
        return character.isprintable()
    if character in _KEPT_FORMATS:
        return True
    if ord(character) in _NEVER_SHOWN:
        return False
    return unicodedata.category(character) not in _REMOVED | _SPACES
