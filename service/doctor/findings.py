"""What a check of a deployment found."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How something is: a closed list."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """How one thing is, in one line; ``advice`` says what to do, and is empty where all is well."""

    subject: str
    verdict: Verdict
    text: str
    advice: str = ""


def ok(subject: str, text: str) -> Finding:
    """Return that something is well."""
    return Finding(subject, Verdict.OK, text)


def warning(subject: str, text: str, advice: str) -> Finding:
    """Return that something should be looked after."""
    return Finding(subject, Verdict.WARNING, text, advice)


def fault(subject: str, text: str, advice: str) -> Finding:
    """Return that something is wrong."""
    return Finding(subject, Verdict.FAULT, text, advice)
