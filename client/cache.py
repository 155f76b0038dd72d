"""Response caches, revalidated with If-None-Match (RFC 9111 section 4.3)."""

import contextlib
import hashlib
import os
import tempfile
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Protocol, TypeAlias

CachedAnswer: TypeAlias = tuple[str, bytes]
"""The ETag of a response, and its body."""


class Cache(Protocol):
    """Stores responses by name. It may drop any of them: the client requests it again."""

    def find(self, name: str) -> CachedAnswer | None:
        """Return the response stored under a name, or None."""

    def save(self, name: str, answer: CachedAnswer) -> None:
        """Store a response under a name."""


def name_of(api_key: str | None, url: str) -> str:
    """Return the name of the response to this key at this URL: a digest that hides the key."""
    return hashlib.sha256(f"{api_key or ''}\n{url}".encode()).hexdigest()


class MemoryCache:
    """The default: holds the ``most`` recently used responses in memory, for all threads."""

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._answers: OrderedDict[str, CachedAnswer] = OrderedDict()
        self._lock = Lock()

    def find(self, name: str) -> CachedAnswer | None:
        """Return the response stored under a name, or None."""
        with self._lock:
            if name in self._answers:
                self._answers.move_to_end(name)
            return self._answers.get(name)

    def save(self, name: str, answer: CachedAnswer) -> None:
        """Store a response; the least recently used one is dropped if there are too many."""
        with self._lock:
            self._answers[name] = answer
            self._answers.move_to_end(name)
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)


class FolderCache:
    """Stores responses as files in a folder, for programs that run repeatedly.

    Only their owner may read them: they hold what a key may see. The ``most`` newest are kept.
    Programs may share a folder; an incomplete file is ignored.
    """

    def __init__(self, folder: Path | str, most: int = 256) -> None:
        """Create the folder if it is missing; raises OSError if that fails."""
        self._folder = Path(folder)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._most = most

    def find(self, name: str) -> CachedAnswer | None:
        """Return the response stored under a name, or None."""
        try:
            content = (self._folder / f"{name}.answer").read_bytes()
        except OSError:
            return None
        digest, _, payload = content.partition(b"\n")
        if hashlib.sha256(payload).hexdigest().encode() != digest:
            return None
        etag, _, body = payload.partition(b"\n")
        return etag.decode("ascii"), body

    def save(self, name: str, answer: CachedAnswer) -> None:
        """Store a response atomically; raises OSError if the folder cannot be written."""
        etag, body = answer
        payload = etag.encode("ascii") + b"\n" + body
        handle, part = tempfile.mkstemp(dir=self._folder, suffix=".part")  # readable by owner
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
            Path(part).replace(self._folder / f"{name}.answer")
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
        with contextlib.suppress(OSError):  # another program removes old ones, too
            files = sorted(self._folder.glob("*.answer"), key=lambda file: file.stat().st_mtime_ns)
            for file in files[: -self._most]:
                file.unlink()
