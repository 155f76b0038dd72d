"""Servers and workers over a real pgbouncer in transaction mode, as its shipped file sets it."""

import asyncio
import os
import pwd
import subprocess
from contextlib import closing

import httpx2
import psycopg
import pytest
from shared_workers import Vendor, Workers, fill
from specimen.rows import SLUGS
from specimen.serving import free_port, serve
from specimen.site import fill_site, the_time
from sqlalchemy import func, select, text
from waiting import wait_until

from storage.engine.backup import backup
from storage.engine.database import DatabaseUnavailable, faults, open_database
from storage.engine.postgresql import Connections
from storage.models import Entry, FetchFacts, Source

POOLED = Connections(pooler=True)
PASSWORD = "correct-horse"
CONNECTIONS = 4  # to PostgreSQL, far fewer than clients
SOURCES = 24
BOUNDS = "SELECT current_setting('statement_timeout'), current_setting('TimeZone')"


@pytest.fixture(scope="module")
def postgresql(new_server):
    """A server, whose role has a password, with an empty database."""
    server = new_server()
    server.start(max_connections="20", TimeZone="Asia/Kathmandu")
    server.execute(f"CREATE ROLE changewire LOGIN PASSWORD '{PASSWORD}'")
    server.execute("CREATE DATABASE changewire OWNER changewire TEMPLATE template0")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def pooler(postgresql, root, program):
    """A pgbouncer in front of it; gives the address over it."""
    command, port, folder = program("pgbouncer", "pgbouncer"), free_port(), postgresql.folder
    configuration = (root / "deploy" / "pgbouncer" / "pgbouncer.ini").read_text()
    for shipped, tried in (
        ("host=127.0.0.1 port=5432", f"host={folder} port=5432"),
        ("listen_port = 6432", f"listen_port = {port}"),
        ("unix_socket_dir = /var/run/postgresql", "unix_socket_dir ="),
        ("/etc/pgbouncer/userlist.txt", str(folder / "userlist.txt")),
        ("/var/log/postgresql/pgbouncer.log", str(folder / "pgbouncer.log")),
        ("/var/run/postgresql/pgbouncer.pid", str(folder / "pgbouncer.pid")),
        ("default_pool_size = 40", f"default_pool_size = {CONNECTIONS}"),
        ("reserve_pool_size = 10", "reserve_pool_size = 0"),
    ):
        assert shipped in configuration
        configuration = configuration.replace(shipped, tried)
    (folder / "pgbouncer.ini").write_text(configuration)
    (folder / "userlist.txt").write_text(f'"changewire" "{PASSWORD}"\n')
    nobody = pwd.getpwnam("nobody")
    somebody = {"user": nobody.pw_uid, "group": nobody.pw_gid} if os.geteuid() == 0 else {}
    with subprocess.Popen(
        [command, "--quiet", folder / "pgbouncer.ini"], cwd=folder, **somebody
    ) as process:
        address = f"postgresql://changewire:{PASSWORD}@127.0.0.1:{port}/changewire"
        wait_until(lambda: can_connect(address), 15)
        yield address.replace("://", "+psycopg://", 1)
        process.terminate()


@pytest.fixture(scope="module")
def site(pooler):
    """The specimen, migrated and written over the pooler."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CHANGEWIRE_DATABASE_POOLER", "1")
        yield fill_site(pooler, now=the_time(), connections=POOLED)


@pytest.fixture
def database(site):
    with closing(open_database(site.url, connections=POOLED)) as database:
        yield database


def can_connect(address):
    try:
        psycopg.connect(address, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def test_a_transaction_has_the_bounds_of_the_service_and_leaves_none_behind(database, pooler):
    with database.write() as session:
        assert session.execute(text(BOUNDS)).one() == ("30s", "UTC")

    with psycopg.connect(pooler.replace("+psycopg", ""), autocommit=True) as another:
        another.prepare_threshold = None
        assert another.execute(BOUNDS).fetchone() == ("0", "Asia/Kathmandu")


def test_bounds_in_the_address_win(site):
    address = f"{site.url}?options=-c%20statement_timeout%3D5000%20--work_mem=8MB%20--TimeZone=EST"
    with closing(open_database(address, connections=POOLED)) as database, database.read() as read:
        assert read.execute(text(BOUNDS)).one() == ("5s", "UTC")
        assert read.scalar(text("SHOW work_mem")) == "8MB"


def test_a_backup_names_the_server_itself(database, tmp_path):
    with pytest.raises(DatabaseUnavailable, match="CHANGEWIRE_DATABASE_POOLER"):
        backup(database, tmp_path / "copy")


def test_servers_and_workers_share_few_connections(site, database, postgresql, tmp_path):
    vendor = Vendor()
    fill(database, SOURCES, vendor.port)
    workers = Workers(site.url, tmp_path / "workers.log")
    for _ in range(2):
        workers.start()
    try:
        with serve(site.url, tmp_path) as url:
            statuses = asyncio.run(many_requests(url, site.keys["all"], 300))
            wait_until(lambda: checked(database) == SOURCES, 60)
    finally:
        workers.stop()
        vendor.close()

    assert set(statuses) == {200}
    assert len((tmp_path / "service.log").read_text().splitlines()) == 1
    assert "database" not in (tmp_path / "workers.log").read_text()
    assert "queue" not in (tmp_path / "workers.log").read_text()
    assert vendor.faults == []
    assert faults(database) == []
    with database.read() as session:
        of_vendor = select(func.count()).select_from(Entry).join(Source)
        of_vendor = of_vendor.where(
            Source.slug.startswith("acme"), Source.slug.contains(".product")
        )
        assert session.scalar(of_vendor) >= SOURCES


async def many_requests(url, key, count):
    """Read pages of a key, many at a time; gives the statuses."""
    limits = httpx2.Limits(max_connections=40)
    address = f"{url}/api/v1/entries?limit=5&sources={','.join(SLUGS[:2])}"
    async with httpx2.AsyncClient(limits=limits, headers={"X-Api-Key": key}, timeout=30) as client:
        answers = await asyncio.gather(*(client.get(address) for _ in range(count)))
    return [answer.status_code for answer in answers]


def checked(database):
    """Return how many of the vendor's sources were read."""
    with database.read() as session:
        read = (
            select(func.count())
            .select_from(FetchFacts)
            .where(FetchFacts.host.startswith("127."), FetchFacts.last_success_at.is_not(None))
        )
        return session.scalar(read)
