"""Two releases built out of the files of this checkout: its own version, and a made-up next one."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
MIGRATIONS = Path("storage", "migrations", "versions")
MADE_UP = '''"""A table of a test.

Revision ID: {revision}
Revises: {before}
"""

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"


def upgrade() -> None:
    """Go forward."""
    op.create_table("made_up", sa.Column("id", sa.Integer(), primary_key=True))


def downgrade() -> None:
    """Go back."""
    op.drop_table("made_up")
'''


class Releases:
    """Two releases, one after the other, built as .github/workflows/release.yml builds them."""

    def __init__(self, folder: Path) -> None:
        self._folder, checkout = folder, folder / "checkout"
        copy_checkout(checkout)
        project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
        self.first = str(project["project"]["version"])
        self.second = raised(self.first)
        build(checkout, self.folder(self.first))
        grow(checkout)
        change(checkout / "pyproject.toml", f'"{self.first}"', f'"{self.second}"')
        build(checkout, self.folder(self.second))

    def folder(self, version: str) -> Path:
        """Return the folder with the packages of a release."""
        return self._folder / version


def copy_checkout(folder: Path) -> None:
    """Copy the files of this checkout that git keeps, or would keep, into a new folder."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode()
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def build(checkout: Path, out: Path) -> None:
    """Build the sdist, and the wheel out of it."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(checkout)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]


def grow(checkout: Path) -> None:
    """Make what a later release would: a migration, and another version of the contract."""
    files = (checkout / MIGRATIONS).glob("v*.py")
    before = max(re.findall(r"^v(\d{4})", file.name)[0] for file in files)
    revision = f"{int(before) + 1:04}"
    file = checkout / MIGRATIONS / f"v{revision}_made_up.py"
    file.write_text(MADE_UP.format(revision=revision, before=before), encoding="utf-8")
    contract = checkout / "openapi" / "openapi.yaml"
    (version,) = re.findall(r"^  version: (\S+)$", contract.read_text("utf-8"), re.MULTILINE)
    change(contract, f"  version: {version}", f"  version: {raised(version)}")
    as_json = checkout / "openapi" / "openapi.json"
    change(as_json, f'"version":"{version}"', f'"version":"{raised(version)}"')


def change(file: Path, before: str, after: str) -> None:
    """Replace a text in a file, once."""
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")


def raised(version: str) -> str:
    """Return the next minor version."""
    major, minor, _ = version.split(".")
    return f"{major}.{int(minor) + 1}.0"
