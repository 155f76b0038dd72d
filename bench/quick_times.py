"""What is named and watched without a peer: starting, loading the catalog, the conformance suite.

CPU seconds of the programs that take part, user and system, from their start to their end.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from specimen.processes import seconds_of_children
from specimen.serving import CHANGEWIRE, serve
from specimen.site import make_site, the_time

EXAMPLES = 1  # random requests of each kind; the named checks are most of it


def times() -> dict[str, float]:
    """Return CPU seconds by name."""
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="changewire-quick-") as name:
        folder = Path(name)
        database = {"CHANGEWIRE_DATABASE_URL": f"sqlite:///{folder / 'catalog.db'}"}
        _run(folder, database, "db", "upgrade")
        with _noted(seconds, "loading the catalog"):
            _run(folder, database, "catalog", "load")
        started = "starting, to the first answer"  # and stopping, which is little
        with _noted(seconds, started), serve(database["CHANGEWIRE_DATABASE_URL"], folder):
            pass
        site = make_site(folder / "specimen", now=the_time())
        suite = "the conformance suite, with its service"
        with _noted(seconds, suite), serve(site.url, folder) as url:
            keys = [f"--api-key={site.keys[plan]}" for plan in ("free", "starter", "diffs")]
            _run(
                folder, database, "conformance", f"--url={url}", f"--max-examples={EXAMPLES}", *keys
            )
    return seconds


@contextmanager
def _noted(seconds: dict[str, float], name: str) -> Iterator[None]:
    before = seconds_of_children()
    yield
    seconds[name] = seconds_of_children() - before


def _run(folder: Path, settings: Mapping[str, str], *command: str) -> None:
    """Run a command of ours, which has to succeed."""
    done = subprocess.run(
        [*CHANGEWIRE, *command],
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        output = (done.stdout + done.stderr)[-500:]
        raise AssertionError(f"{command[0]} ended with {done.returncode}: {output}")
