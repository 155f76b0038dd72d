"""The folder that processes count into together; see service.metrics, which must come later."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def counting_together() -> Iterator[None]:
    """Let this process and those that it starts count into one folder, which ends with it.

    An operator who names a folder keeps it, with what is in it.
    """
    if FOLDER in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="changewire-metrics-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]
