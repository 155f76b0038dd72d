"""How psycopg writes texts."""

from psycopg.adapt import Dumper


class TextWithoutNul(Dumper):
    """Writes UTF-8, and U+FFFD for NUL."""

    def dump(self, obj: str) -> bytes:
        """Return the text as bytes."""
        return obj.replace("\0", "\ufffd").encode()
