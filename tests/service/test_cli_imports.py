"""A command loads what it needs, and no more."""

import os
import subprocess
import sys

import pytest

from storage.engine.database import open_database, upgrade

VERSION = """
import sys
from service.cli import main
sys.argv = ["changewire", "--version"]
try:
    main()
except SystemExit as ended:
    loaded = {"sqlalchemy", "pydantic", "connexion", "flask"} & set(sys.modules)
    sys.exit(f"loaded {loaded}" if loaded or ended.code else 0)
"""


def test_the_version_is_printed_without_loading_any_command():
    done = subprocess.run(
        [sys.executable, "-c", VERSION], capture_output=True, text=True, timeout=60
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("changewire ")


SWEEP = """
import sys
from service.cli import main
sys.argv = ["changewire", "ingest", *sys.argv[1:]]
main()
print(*sys.modules)
"""
READING = {
    "feedparser",
    "nh3",
    "ingest.pipeline.process_document",
    "ingest.importance",
    "ingest.adapters.feed",
}
PAGES_AND_API = {"connexion", "flask", "starlette", "granian", "jsonschema", "jsonschema_rs", "mcp"}
OTHER_TABLES = {f"storage.models.{each}" for each in ("entries", "people", "requests", "webhooks")}
ELSEWHERE = {"typer", "pydantic", "yaml", "alembic", "rich", "procrastinate", "psycopg"}
WHOLE_CLIENTS = {"httpx2", "httpcore2", "h11", "http.client", "urllib.request"}


@pytest.mark.parametrize("arguments", [(), ("--all",)])
def test_a_sweep_loads_nothing_that_reads_answers_or_explains(tmp_path, arguments):
    """Until a document comes: most looks bring none, and timers begin one every few minutes."""
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/changewire.db",
    }
    upgrade(open_database(environment["CHANGEWIRE_DATABASE_URL"]))
    command = [sys.executable, "-c", SWEEP, *arguments]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )

    assert done.stderr.startswith("0 sources:"), done.stderr
    loaded = set(done.stdout.split())
    unwanted = READING | PAGES_AND_API | OTHER_TABLES | ELSEWHERE | WHOLE_CLIENTS
    assert "ingest.pipeline.store" in loaded
    assert unwanted & loaded == set()


def test_what_is_run_as_it_is_takes_what_the_command_line_takes(tmp_path):
    """The same words by the parser of arguments, made to parse by an option of no effect."""
    environment = {**os.environ, "HOME": str(tmp_path)}
    environment["CHANGEWIRE_DATABASE_URL"] = f"sqlite:///{tmp_path}/changewire.db"
    upgrade(open_database(environment["CHANGEWIRE_DATABASE_URL"]))
    program = "from service.cli import main; main()"
    said = []
    for arguments in (["--all"], ["--all", "--all"], [], ["--"]):
        done = subprocess.run(
            [sys.executable, "-c", program, "ingest", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        said.append((done.returncode, done.stdout, done.stderr))

    assert said[0] == said[1]
    assert said[2] == said[3]
