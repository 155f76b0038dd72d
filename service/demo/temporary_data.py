"""The demo as `changewire up --demo` runs it: a database of its own that goes when it stops."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from service.settings import PREFIX

MEMORY: Final = "/dev/shm"  # noqa: S108 - a folder with a random name is made in it


@contextmanager
def temporary_data() -> Iterator[None]:
    """Let this process and its children keep their data in a folder that is removed afterwards.

    So nothing that the user has is read or changed. The folder is in memory where the system has
    such a place: what need not last need not wait for a disk.
    """
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    with TemporaryDirectory(prefix="changewire-demo-", dir=place) as folder:
        own = {
            "DATABASE_URL": f"sqlite:///{Path(folder) / 'demo.db'}",
            "OUTBOX": str(Path(folder) / "outbox"),
        }
        os.environ.update({f"{PREFIX}{name}": value for name, value in own.items()})
        yield
