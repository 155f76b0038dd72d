"""The folder in which the processes of a service count their metrics together."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Give this process and its children one folder for their counters; remove it afterwards.

    A folder that the operator has set is not removed. Open this before
    ``service.telemetry.metrics`` is imported (docs/decisions/0076).
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
