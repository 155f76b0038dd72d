"""The tools of other people, and the service as a process of its own behind a loopback port."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from openapi.vocabulary import AdapterType, Kind, Plan, Scope
from storage.accounts import add_account
from storage.archive import WrittenEntry, save_entries
from storage.database import Database, open_database
from storage.diffs import add_diff
from storage.documents import EntryText
from storage.keys import add_key, select_sources
from storage.sources import ids_of, save_sources

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"
TOOLS = "CHANGEWIRE_CONTRACT_TOOLS"
"""Names the folder that tools are kept in; without it they are installed each time."""
collect_ignore_glob = [] if TOOLS in os.environ else ["test_*.py"]
"""Slow, and they install what they need: only asked for by name or by that variable."""
LONGEST = 300
"""Seconds that any of the tools may take."""
SLUGS = [
    f"{vendor}.{product}"
    for vendor in ("acme", "globex", "initech", "umbrella", "hooli", "wonka")
    for product in ("compute", "storage", "mail")
]


@dataclass(frozen=True)
class Outcome:
    """What a tool said."""

    status: int
    out: str
    err: str


@pytest.fixture(scope="session")
def tools_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that tools are installed in."""
    return Path(os.environ.get(TOOLS) or tmp_path_factory.mktemp("tools"))


@pytest.fixture(scope="session")
def tools(tools_folder: Path) -> Path:
    """The folder of the npm packages of package.json, installed if they are not there yet."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("Node.js 20 or newer with npm is needed to check the contract with this tool")
    folder = tools_folder / "node"
    wanted, installed = (HERE / "package.json").read_text(), folder / "package.json"
    if not installed.exists() or installed.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        names = [f"{name}@{at}" for name, at in json.loads(wanted)["dependencies"].items()]
        quick = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1"]
        done = subprocess.run(
            [npm, "install", *quick, "--prefix", folder, *names],
            timeout=LONGEST,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"npm could not install the tools:\n{done.stderr}"
        installed.write_text(wanted)  # last: half an installation is made again
    return folder


@pytest.fixture(scope="session")
def command(tools: Path) -> Callable[..., list[str]]:
    """The command line of a tool: ``command("spectral", "lint", file)``."""

    def command(name: str, *arguments: object) -> list[str]:
        return [str(tools / "node_modules" / ".bin" / name), *map(str, arguments)]

    return command


@pytest.fixture(scope="session")
def call(command: Callable[..., list[str]]) -> Callable[..., Outcome]:
    """Run a tool to its end: ``call("spectral", "lint", file)``."""

    def call(name: str, *arguments: object, folder: Path | None = None) -> Outcome:
        done = subprocess.run(
            command(name, *arguments),
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", "REDOCLY_TELEMETRY": "off"},
            timeout=LONGEST,
            capture_output=True,
            text=True,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture(scope="session")
def listening() -> Callable[..., object]:
    """Start a program that listens: ``with listening(command, port, path, log): …``."""

    @contextmanager
    def listening(
        command: list[str], port: int, path: str, log: Path, environment: dict[str, str]
    ) -> Iterator[str]:
        with log.open("wb") as written:
            program = subprocess.Popen(
                command,
                env={**os.environ, **environment},
                stdout=written,
                stderr=subprocess.STDOUT,
                cwd=log.parent,
                start_new_session=True,
            )
        try:
            wait_for(f"http://127.0.0.1:{port}{path}", program, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            program.terminate()
            try:
                program.wait(timeout=15)
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()

    return listening


def wait_for(url: str, program: subprocess.Popen[bytes], log: Path) -> None:
    """Return as soon as anything is answered."""
    until = time.monotonic() + 60
    while time.monotonic() < until and program.poll() is None:
        try:
            urlopen(url, timeout=5).close()
        except HTTPError as answer:
            answer.close()
        except (URLError, OSError):
            time.sleep(0.2)
            continue
        return
    raise AssertionError(f"nothing answers at {url}:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture(scope="session")
def free_port() -> Callable[[], int]:
    """Find a loopback port that nothing listens on."""

    def free_port() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return free_port


@dataclass(frozen=True)
class Live:
    """The running service: its address, and keys by what they may."""

    url: str
    keys: dict[str, str] = field(repr=False)


@pytest.fixture(scope="session")
def live(
    empty_database_file: Path,
    tmp_path_factory: pytest.TempPathFactory,
    listening: Callable[..., object],
    free_port: Callable[[], int],
) -> Iterator[Live]:
    """The service as a process, over a database of its own with sources, entries and keys."""
    folder = tmp_path_factory.mktemp("service")
    file = folder / "changewire.db"
    shutil.copy(empty_database_file, file)
    database = open_database(f"sqlite:///{file}")
    keys = filled(database, datetime.now(UTC).replace(microsecond=0))
    database.close()
    environment = {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{file}",
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }
    port, program = free_port(), "from service.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", str(port)]
    log = folder / "service.log"
    with listening(command, port, "/api/v1/sources", log, environment) as url:
        yield Live(url, keys)


def filled(database: Database, now: datetime) -> dict[str, str]:
    """Write a catalog, entries, a diff and keys; returns the keys."""
    with database.write() as session:
        save_sources(session, [source(slug) for slug in SLUGS])
        ids = ids_of(session, SLUGS)
        for slug in SLUGS[:4]:
            new = [entry(slug, n, now - timedelta(hours=5 * n + 1)) for n in range(30)]
            save_entries(session, ids[slug], new=new, edited=[], now=now)
        add_diff(session, ids["acme.compute"], document=diff(now), now=now)
        return dict(keys_of(session, ids, now))


def keys_of(session, ids: dict[str, int], now: datetime) -> Iterator[tuple[str, str]]:
    """One key of every plan, and some that lack something."""
    for name, plan, addon, scopes in (
        ("free", Plan.FREE, False, list(Scope)),
        ("starter", Plan.STARTER, False, list(Scope)),
        ("all", Plan.ALL, False, list(Scope)),
        ("diffs", Plan.ALL, True, list(Scope)),
        ("no scope", Plan.FREE, False, []),
    ):
        email = f"{name.replace(' ', '-')}@acme.example"
        account = add_account(session, email, now=now, plan=plan, diffs_addon=addon)
        key, text = add_key(session, account, name="test", scopes=scopes, now=now)
        if plan is not Plan.ALL:
            select_sources(session, key, [ids[slug] for slug in SLUGS[:3]], now=now)
        yield name, text


def source(slug: str) -> SimpleNamespace:
    """A row of the catalog."""
    vendor, _, product = slug.partition(".")
    return SimpleNamespace(
        slug=slug,
        vendor=vendor,
        name=f"{vendor.title()} {product.title()}",
        kind=Kind.CHANGELOG if product == "mail" else Kind.RELEASE_NOTES,
        homepage=f"https://{vendor}.example/",
        changelog_url=f"https://{vendor}.example/{product}",
        adapter_type=AdapterType.ATOM if product == "mail" else AdapterType.RSS,
        feed_url=f"https://feeds.{vendor}.example/{product}.xml",
        tags=("cloud", product),
    )


def entry(slug: str, number: int, at: datetime) -> WrittenEntry:
    """An entry; every third is important."""
    text = EntryText(
        external_id=f"{slug}/{number:03}",
        source=slug,
        vendor=slug.partition(".")[0],
        published_at=at,
        title=f"removed version {number}",
        url=None if number % 7 == 0 else f"https://{slug}.example/{number}",
        summary=None if number % 5 == 0 else "All about it. " * 60,
        raw={"guid": f"{slug}/{number:03}"},
        tags=["cloud", slug.partition(".")[2]],
    )
    passage = {"field": "title", "text": "removed", "start": 0, "end": 7}
    day = f"{at + timedelta(days=400):%Y-%m-%d}"
    importance = {
        "categories": ["breaking"],
        "evidence": [{"category": "breaking", **passage}],
        "deadlines": [{"kind": "removal", "from": day, "to": day, "evidence": passage}],
    }
    return WrittenEntry(
        text,
        content_hash="0" * 64,
        importance=None if number % 3 else json.dumps(importance).encode(),
        importance_version=1,
    )


def diff(now: datetime) -> bytes:
    """A diff in which a title was edited, as it is kept."""
    before = {"index": 0, "id": "1", "title": "Version 1", "url": None, "summary": None}
    snapshot = {"fetchedAt": f"{now:%Y-%m-%dT%H:%M:%SZ}", "entryCount": 1}
    title = {"path": "title", "before": "Version 1", "after": "Version 2"}
    return json.dumps(
        {
            "id": "diff_1_2",
            "before": {"snapshotId": "snapshot_1", "contentHash": "0" * 64, **snapshot},
            "after": {"snapshotId": "snapshot_2", "contentHash": "1" * 64, **snapshot},
            "stats": {"added": 0, "changed": 1, "removed": 0, "rolledOff": 0, "unchanged": 0},
            "truncated": False,
            "changes": [
                {
                    "op": "changed",
                    "entryId": "1",
                    "before": before,
                    "after": {**before, "title": "Version 2"},
                    "fields": [title],
                    "facts": [{"type": "title_changed", "path": "title", "detail": None}],
                }
            ],
        }
    ).encode()
