"""The folder in which the processes of a service count their metrics together."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Let this process and its children count into one folder, and remove it afterwards.

    A folder that the operator names stays, with what is in it. Open this before ``service.metrics``
    is imported (docs/decisions/0075).
    """
    if VARIABLE in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="changewire-metrics-") as folder:
        os.environ[VARIABLE] = folder
        try:
            yield
        finally:
            del os.environ[VARIABLE]
