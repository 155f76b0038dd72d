"""Short texts for people: counts in words, texts cut to a length or on one line."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with the word for what is counted; ``many`` is ``one`` and an s if left out.

    From a thousand on the digits stand as they are in JSON, without a comma.
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters; an ellipsis ends one that was cut."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def readable(text: str) -> str:
    """Return a text with a space for each character that cannot be seen; line breaks stay."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


def one_line(text: str) -> str:
    """Return a text on one line, without characters that cannot be seen or written."""
    return " ".join(readable(text).split())
