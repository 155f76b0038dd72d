"""A difference between two contracts, and its severity.

A schema says which values are allowed. A change of it narrows that set, widens it, or does
something that cannot be ordered. A narrower set breaks the sender of the value, a wider one its
receiver. The consumer sends requests and the service sends responses, so the same edit of a
schema can be harmless in one and breaking in the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum


class Severity(StrEnum):
    """The severity of a change for consumers, the highest first."""

    BREAKING = "breaking"
    WARNING = "warning"
    INFO = "info"


class Side(StrEnum):
    """Who sends the value: the consumer (request) or the service (response)."""

    REQUEST = "request"
    RESPONSE = "response"

    @property
    def other(self) -> "Side":
        """The opposite side; a callback turns the roles around."""
        return Side.RESPONSE if self is Side.REQUEST else Side.REQUEST


class Effect(Enum):
    """The effect of a change on the set of allowed values."""

    NARROWS = "narrows"
    WIDENS = "widens"
    INCOMPARABLE = "incomparable"
    """Some values are no longer allowed and others are new."""
    UNDECIDED = "undecided"
    """Cannot be decided, such as two different patterns."""
    NOTE = "note"
    """Allows exactly the same values."""


@dataclass(frozen=True, slots=True)
class ContractChange:
    """A difference between two contracts: a stable id, its severity, its place and a sentence."""

    kind: str
    severity: Severity
    place: str
    sentence: str


_WEIGHTS: dict[tuple[Effect, Side], Severity] = {
    (Effect.NARROWS, Side.REQUEST): Severity.BREAKING,
    (Effect.NARROWS, Side.RESPONSE): Severity.INFO,
    (Effect.WIDENS, Side.REQUEST): Severity.INFO,
    (Effect.WIDENS, Side.RESPONSE): Severity.BREAKING,
}
_WEIGHTS_OF_BOTH_SIDES: dict[Effect, Severity] = {
    Effect.INCOMPARABLE: Severity.BREAKING,
    Effect.UNDECIDED: Severity.WARNING,
    Effect.NOTE: Severity.INFO,
}


def weigh(effect: Effect, side: Side) -> Severity:
    """Return the severity of an effect on one side."""
    return _WEIGHTS.get((effect, side)) or _WEIGHTS_OF_BOTH_SIDES[effect]


@dataclass(frozen=True, slots=True)
class Spot:
    """The place that a comparison is at, and the words for it.

    `subject` begins the kinds of its changes ("request-property"), `noun` their sentences
    ("the property title"), `place` leads a reader there.
    """

    side: Side
    subject: str
    noun: str
    place: str
    unsent: bool = False
    """True below a readOnly property of a request or a writeOnly one of a response."""

    def report(self, what: str, weight: Effect | Severity, phrase: str) -> ContractChange:
        """Return a change of this spot: "<subject>-<what>", "<Noun> <phrase>."."""
        severity = weigh(weight, self.side) if isinstance(weight, Effect) else weight
        if self.unsent:
            severity = Severity.INFO
        sentence = f"{self.noun[0].upper()}{self.noun[1:]} {phrase}."
        return ContractChange(f"{self.subject}-{what}", severity, self.place, sentence)

    def requirement(self, *, was: bool, now: bool) -> Iterator[ContractChange]:
        """Yield the change of whether this spot is required."""
        if now and not was:
            yield self.report("became-required", Effect.NARROWS, "is now required")
        if was and not now:
            yield self.report("became-optional", Effect.WIDENS, "is now optional")

    def into(self, step: str) -> "Spot":
        """Return the spot of the same subject one step further, such as a media type."""
        return replace(self, place=f"{self.place} › {step}")

    def property(self, name: str) -> "Spot":
        """Return the spot of a property of this object."""
        subject = self.subject.removesuffix("-body").removesuffix("-property") + "-property"
        inside = self.into(name)
        return replace(inside, subject=subject, noun=f"the property {name}")

    def items(self) -> "Spot":
        """Return the spot of the items of this array."""
        subject = self.subject.removesuffix("-body").removesuffix("-property")
        noun = f"each item of {self.noun}"
        return replace(self, subject=f"{subject}-property", noun=noun, place=f"{self.place}[]")


def ordered(changes: list[ContractChange]) -> list[ContractChange]:
    """Sort changes by severity, place, kind and sentence, without duplicates."""
    heavy = list(Severity)
    return sorted(
        set(changes),
        key=lambda it: (heavy.index(it.severity), it.place, it.kind, it.sentence),
    )
