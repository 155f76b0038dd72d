"""A command loads what it needs, and no more."""

import os
import subprocess
import sys

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
