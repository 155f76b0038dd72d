"""What a sentence says ends, which of its versions, and what to use instead.

All three are in the vendor's words. What is not said, or only pointed to ("it", "this version"), is
None: a wrong name misleads more than a missing one.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from changelog_reader.importance.lazy_pattern import patterns_of, written
from changelog_reader.importance.results import Deadline
from changelog_reader.vocabulary import DeadlineKind

LONGEST = 120  # characters of a name
_FAR = 400  # characters of a sentence in which a successor is looked for
_SAID = patterns_of(written("ends"))
_BEYOND = re.compile(r" to | (?:for|with) (?=[a-z])| and (?=\w+ (?:with|from|the|an?)\b)| below$")


class End(NamedTuple):
    """What ends, which versions of it, and what takes its place; None where it is not said."""

    subject: str | None = None
    versions: str | None = None
    successor: str | None = None


def end_of(sentence: str, kind: DeadlineKind, verb: tuple[int, int], day: tuple[int, int]) -> End:
    """Return what a sentence says ends, by the spans of its verb and of the day."""
    moves = kind is DeadlineKind.MIGRATION
    subject = _moved(sentence) if moves else _ended(sentence, verb, day)
    return End(subject, versions_of(subject or ""), successor_of(sentence, besides=subject))


def end_after(told: str, sentence: str) -> End:
    """Return what ends by a sentence that points to the one before it: "After that date ..."."""
    subject = _before(told)
    successor = successor_of(told, besides=subject) or successor_of(sentence, besides=subject)
    return End(subject, versions_of(subject or ""), successor)


def completed(deadline: Deadline, around: Sequence[str]) -> Deadline:
    """Return a deadline with what its sentence and those beside it say, where it lacks that.

    "It" is what the sentence before is about; what to use instead often is in the one after.
    """
    subject = deadline.subject
    if subject is None and deadline.kind is not DeadlineKind.MIGRATION:
        subject = _before(around[0])
    others = (successor_of(sentence, besides=subject) for sentence in reversed(around))
    successor = deadline.successor or next(filter(None, others), None)
    versions = deadline.versions or versions_of(subject or "")
    return replace(deadline, subject=subject, versions=versions, successor=successor)


def is_apart(subject: str | None) -> bool:
    """Return whether nobody has to act for what ends: an office, an offer, a limit."""
    return subject is not None and _SAID["apart"].fullmatch(subject) is not None


def of_item(deadline: Deadline, item: str) -> Deadline:
    """Return the deadline of an item of a list under a sentence: "These will be removed on D:"."""
    subject = _name(re.split(r"\s(?:→|->|=>|–|—|-)\s|[:;(,]|\.\s", item, maxsplit=1)[0])
    arrow = re.search(r"(?:→|->|=>)\s{0,3}(.+)", item)
    successor = _name(_cut(arrow[1])) if arrow else successor_of(item, besides=subject)
    versions = versions_of(subject or "")
    return replace(deadline, subject=subject, versions=versions, successor=successor)


def kind_of(kind: DeadlineKind | None, said: str, sentence: str) -> DeadlineKind | None:
    """Return the kind of an event: an end of life is one of support or of sale, if it says so."""
    if kind is not DeadlineKind.END_OF_LIFE or _SAID["life"].search(said):
        return kind
    if _SAID["sale"].search(said):
        return DeadlineKind.END_OF_SALE
    is_support = _SAID["support"].search(sentence if _SAID["unsaid"].fullmatch(said) else said)
    return DeadlineKind.END_OF_SUPPORT if is_support else kind


def subject_of_title(title: str) -> str | None:
    """Return what a title says ends: "Deprecation of the v1 API", "Reports end of life"."""
    of = _SAID["of"].search(title)
    if of is not None:
        return _name(_cut(title[of.end() :]))
    named = _SAID["title"].match(_without_lead(title))
    return _name(named[1]) if named else None


@lru_cache(maxsize=16)  # asked more than once around a deadline
def successor_of(text: str, *, besides: str | None = None) -> str | None:
    """Return what a text says to use instead of what ends."""
    for found in _SAID["successor"].finditer(text[:_FAR]):
        name = _name(_BEYOND.split(_cut(found["name"]))[0])
        if name is None or all(map(_SAID["vague"].fullmatch, name.split())) or name == besides:
            continue
        if _SAID["forced"].search(text[: found.start("name")]):
            continue  # "are upgraded to 14" is what happens to them
        is_code = "`" in found["name"]
        if is_code or _SAID["specific"].search(name) or _SAID["article"].match(found["name"]):
            return name
    return None


@lru_cache(maxsize=16)
def versions_of(subject: str) -> str | None:
    """Return the versions that a subject names: ``3.1``, ``3.1|3.2``, ``<=3.1``, ``>=3|<=5``."""
    if not any(map(str.isdecimal, subject)):
        return None
    named = _SAID["named"].search(subject)
    through, under = _SAID["through"].search(subject), _SAID["under"].search(subject)
    if through:
        return f">={through[1]}|<={through[2]}"
    if under:
        return f"<{under[1]}"
    numbered = _SAID["numbered"].finditer(subject)
    found = [it for it in numbered if not _SAID["month"].search(subject[: it.end(1)])]
    if any(_SAID["counted"].search(subject[: it.end()]) for it in found):
        found = []
    if not found:
        return named[1] if named else None
    last = found[-1]
    if _SAID["older"].match(subject, last.end()):
        return f"<={last[1]}"
    if _SAID["newer"].match(subject, last.end()):
        return f">={last[1]}"
    if named:
        return named[1]
    between = (subject[one.end() : last.start()] for one in found)
    listed = not any(re.sub(r"[\d.vx,&/\s]|\band\b|\bor\b", "", it) for it in between)
    return "|".join(dict.fromkeys(match[1] for match in found)) if listed else None


def _moved(sentence: str) -> str | None:
    """Return what readers have to leave."""
    left = _SAID["move_from"].search(sentence)
    if left is not None:
        return _name(re.split(r"\sto\s", _cut(sentence[left.end() :]))[0])
    replaced = _SAID["replace"].search(sentence)
    return _name(replaced[1]) if replaced else None


def _ended(sentence: str, event: tuple[int, int], day: tuple[int, int]) -> str | None:
    """Return what the verb is about: its object, or its subject before it."""
    said = sentence[event[0] : event[1]]
    after = sentence[event[1] : day[0]] if day[0] >= event[1] else sentence[event[1] :]
    split = _SAID["split"].search(said)
    if split is not None:
        return _name(split[1])
    of = _SAID["of"].search(said + after)
    if of is not None and of.end() <= len(said) + 40 and not re.match(r"(?:receiv|get)", said):
        return _name(_cut((said + after)[of.end() :]))
    is_active = _SAID["active"].search(said.lower()) and not _SAID["passive"].search(said.lower())
    inside = _SAID["object"].match(said)
    if is_active or inside:
        written = (inside[inside.lastindex or 0] if inside and not is_active else "") + after
        name = _name(_cut(re.sub(r"^\s(?:for|of)\s", " ", written)))
        if name is not None:
            return name
    proper = _SAID["proper"].search(sentence[: event[0]]) if _SAID["noun"].match(said) else None
    if proper is not None:
        return _name(proper[0])
    which = _SAID["which"].search(sentence[: event[0]])
    before = which[1] if which else _clause(sentence, event[0], day)
    if not before.strip():
        before = after if event[0] <= 2 else ""
    told = _SAID["until_verb"].match(before)
    return _name(told[1] if told else before) or _before(sentence[: event[0]])


def _before(sentence: str) -> str | None:
    """Return what the part of a sentence before "it", "they" or a second verb is about."""
    sentence = _without_lead(sentence)
    told = _SAID["until_verb"].match(sentence) or _SAID["label"].match(sentence)
    return _name(told[1].rpartition(": ")[2]) if told else None


def _clause(sentence: str, end: int, day: tuple[int, int]) -> str:
    """Return what is between the beginning of a clause and its verb, without its day."""
    start = 0
    is_first = day[1] <= end and day[0] <= 60
    if is_first and _SAID["when"].match(_without_lead(sentence)):
        rest = re.match(r"[\w ]{0,20},\s", sentence[day[1] : end])  # "after the March updates, "
        start = day[1] + (rest.end() if rest else 0)
    for cut in _SAID["clause"].finditer(sentence, start, end):
        is_list = cut[0].startswith(",") and not _SAID["until_verb"].match(
            sentence, start, cut.start()
        )
        if cut.end() < end - 1 and not is_list:
            start = cut.end()
    return _without_lead(sentence[start:end].lstrip(" ,:;)")).rstrip()


def _without_lead(text: str) -> str:
    text = text.lstrip(" \t\n\"'“")
    for _ in range(4):
        lead = _SAID["lead"].match(text)
        if lead is None or not lead.end():
            break
        text = text[lead.end() :]
    return text


def _cut(text: str) -> str:
    """Return a text up to where a name ends."""
    text = " " + text[: 2 * LONGEST].lstrip()
    end = _SAID["end_of_name"].search(text)
    return text[: end.start()] if end else text


def _name(text: str) -> str | None:
    """Return a text as a name; None when it is none."""
    name = _SAID["marks"].sub("", text)
    name = re.sub(r"(?<!\S)\[([^\[\]]+)\](?!\w)", r"\1", name)
    name = _SAID["tail"].sub("", " ".join(name.split()).strip(" ,;:–—\"'“”").rstrip("."))
    article = _SAID["article"].match(name)
    if article and article[0].lower().split()[0] not in ("your", "its", "their"):
        name = name[article.end() :]
    if name.count("(") != name.count(")"):
        name = name.split("(")[0].rstrip(" )")
    is_short = 2 <= len(name) <= LONGEST and any(map(str.isalnum, name))
    is_general = "`" not in text and _SAID["general"].fullmatch(name)
    return name if is_short and not is_general and not _SAID["pointing"].fullmatch(name) else None
