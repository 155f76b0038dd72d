"""Names that people give to their keys and webhooks. Pure."""

from typing import Final

LONGEST_NAME: Final = 80


class WrongName(Exception):
    """A text cannot be a name. The message says what a name is."""


def name_for(what: str, text: str) -> str:
    """Return a text as the name of a key or webhook: one line of 1 to 80 visible characters.

    Raises WrongName.
    """
    name = " ".join(text.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise WrongName(f"Give the {what} a name of 1 to {LONGEST_NAME} characters.")
    return name
