"""A service that is killed while clients read it, and comes back."""

import os
import signal
import subprocess
from pathlib import Path

from specimen.rows import entry
from specimen.serving import CHANGEWIRE, free_port, wait_for
from specimen.site import make_site, the_time

from storage.catalog.sources import ids_of
from storage.engine.database import open_database
from storage.entries.entry_writes import save_entries

SOURCES = ("acme.compute", "acme.storage")


class MortalService:
    """A service over a database of its own, which is killed and comes back at the same port."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        site = make_site(folder, now=the_time())
        self.key, self._database = site.keys["all"], open_database(site.url)
        self.url = f"http://127.0.0.1:{self._port}"
        self._environment = {
            **os.environ,
            "CHANGEWIRE_DATABASE_URL": site.url,
            "CHANGEWIRE_SECRET_KEY": "x" * 32,
            "CHANGEWIRE_LOG_LEVEL": "warning",
        }
        self.ids = {f"{source}/{number:03}" for source in SOURCES for number in range(40)}
        self.start()

    def start(self) -> None:
        with (self._folder / "service.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*CHANGEWIRE, "serve", "--port", str(self._port)],
                env=self._environment,
                cwd=self._folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_for(f"{self.url}/api/v1/sources", self._process, self._folder / "service.log")

    def kill(self) -> None:
        """Kill every process of it, whatever it answers just now."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def killed_and_started(self) -> None:
        """Kill it, let an entry come meanwhile, and start it again."""
        self.kill()
        number = len(self.ids)
        with self._database.write() as session:
            new = [entry(SOURCES[0], number, the_time())]
            save_entries(
                session, ids_of(session, SOURCES)[SOURCES[0]], new=new, edited=[], now=the_time()
            )
        self.ids.add(f"{SOURCES[0]}/{number:03}")
        self.start()

    def close(self) -> None:
        self.kill()
        self._database.close()
