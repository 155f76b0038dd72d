"""Copy a large database to PostgreSQL and back with ``changewire db copy``; print how long it took.

    python bench/copies.py [--entries 1000000] [--keep]

The entries are those of bench/api.py, all of them in the index of words. PostgreSQL has its data on
a disk and its own settings, but for the room that a million entries need. Exit 1 where a copy is
not the same.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from api_data import FOLDER, DataSet, data_set, remove
from command_line import parser_of
from specimen.postgresql import running_server
from specimen.serving import CHANGEWIRE

from storage.engine.database import open_database
from storage.entries.search.index import index_missing

SETTINGS = {"shared_buffers": "256MB", "max_wal_size": "4GB", "fsync": "on", "autovacuum": "on"}
AT_ONCE = 5_000


def index_all(data: DataSet) -> None:
    """Index what is not in the index yet, as a worker does."""
    with closing(open_database(data.url)) as database:
        remaining = AT_ONCE
        while remaining:
            with database.write() as session:
                remaining = index_missing(session, most=AT_ONCE)


def copied(source: str, target: str) -> bool:
    """Copy as an operator does; print what is said, and when. Return whether it is the same."""
    begun = time.monotonic()
    command = [*CHANGEWIRE, "db", "copy", source, target]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as copy:
        assert copy.stdout is not None
        for line in copy.stdout:
            print(f"{time.monotonic() - begun:7.1f} s  {line.rstrip()}", flush=True)
    print(f"{time.monotonic() - begun:7.1f} s  ended with status {copy.returncode}", flush=True)
    return copy.returncode == 0


def both_ways(data: DataSet, folder: Path) -> bool:
    """Copy a database to PostgreSQL, and from there into a file."""
    with running_server(on_disk=True, **SETTINGS) as server:
        middle = server.address(server.create())
        return copied(data.url, middle) and copied(middle, f"sqlite:///{folder}/back.db")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the database, copy it, and delete what was made."""
    parser = parser_of(__doc__, entries=1_000_000)
    parser.add_argument("--keep", action="store_true", help="keep the database that is copied")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(arguments)
    data = data_set(options.folder, options.entries)
    back = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        index_all(data)
        same = both_ways(data, back)
    finally:
        shutil.rmtree(back)
        if not options.keep:
            remove(data)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
