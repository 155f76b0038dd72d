"""A command loads what it needs, and no more."""

import subprocess
import sys

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
