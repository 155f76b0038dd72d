"""What contracts and deployments say, made fit for a terminal."""


def harmless(text: str) -> str:
    """The text without the characters that a terminal obeys; line breaks stay."""
    return "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in text)
