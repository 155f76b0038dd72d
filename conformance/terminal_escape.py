"""Texts of contracts and deployments, safe to print on a terminal."""


def escape_control(text: str) -> str:
    """Return the text with control characters replaced; line breaks stay."""
    return "".join(
        character if character.isprintable() or character == "\n" else "\ufffd"
        for character in text
    )
