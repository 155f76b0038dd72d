"""The entry point of the command (docs/decisions/0076, 0076)."""

import subprocess
import sys

from typer.testing import CliRunner

from service.command_line import app


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a new process has loaded after a statement."""
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_a_spawned_process_loads_no_command_with_its_main_module():
    assert {name for name in loaded_by("import service.cli") if name.startswith("service.")} == {
        "service.cli"
    }


def test_the_version_is_told_without_loading_any_command():
    loaded = loaded_by(
        "import sys; sys.argv = ['changewire', '--version']\n"
        "from service.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass"
    )

    assert {"connexion", "flask", "mcp", "schemathesis"}.isdisjoint(loaded)


def test_a_mistyped_command_is_told_the_one_that_was_meant():
    done = CliRunner().invoke(app, ["conformence"])

    assert done.exit_code == 2
    assert "conformance" in done.stderr
