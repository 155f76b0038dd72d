"""Counts in words: "1 entry", "2 entries"."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with the word for what is counted; ``many`` is ``one`` and an s if left out.

    From a thousand on the digits stand as they are in JSON, without a comma.
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"
