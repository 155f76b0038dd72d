"""Releases made in a repository of a test's own, out of the files of this checkout."""

import re
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
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table("made_up", sa.Column("id", sa.Integer(), primary_key=True))


def downgrade() -> None:
    """Go back."""
    op.drop_table("made_up")
'''


class Repository:
    """A repository whose first commit has the files of this checkout."""

    def __init__(self, folder: Path) -> None:
        """Take the one that is there."""
        self.root = folder

    @classmethod
    def new(cls, folder: Path) -> "Repository":
        """Make one in a new folder."""
        folder.mkdir()
        made = cls(folder)
        made.git("init", "--quiet")
        made.git(f"--work-tree={ROOT}", "add", "--all", str(ROOT))
        made.commit("The files of the checkout")
        made.git("reset", "--quiet", "--hard")
        return made

    @classmethod
    def clone(cls, other: Path, folder: Path) -> "Repository":
        """Copy one into a new folder."""
        cls(other).git("clone", "--quiet", str(other), str(folder))
        return cls(folder)

    def git(self, *arguments: str) -> str:
        """Run git; return what it prints."""
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@acme.example"]
        place = [f"--git-dir={self.root}/.git"] if arguments[0].startswith("--work-tree") else []
        command = ["git", *who, *place, *arguments]
        ended = subprocess.run(command, cwd=self.root, capture_output=True)
        assert ended.returncode == 0, ended.stderr.decode()
        return ended.stdout.decode()

    def commit(self, message: str) -> None:
        """Commit what is in the index."""
        self.git("commit", "--quiet", "--message", message)

    def release(self, *arguments: str) -> tuple[int, str]:
        """Run the command that makes releases, of this checkout on this repository."""
        command = [sys.executable, "-m", "release", *arguments]
        ended = subprocess.run(command, cwd=self.root, capture_output=True, timeout=900, text=True)
        return ended.returncode, ended.stdout + ended.stderr

    def prepared(self, version: str) -> None:
        """Prepare a version and commit it."""
        status, told = self.release("prepare", version)
        assert status == 0, told
        self.git("add", "--all")
        self.commit(version)
        self.git("tag", f"v{version}")

    def change(self, name: str, before: str, after: str) -> None:
        """Replace a text in a file, once."""
        file = self.root / name
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after, 1), encoding="utf-8")

    def begin(self, version: str, *lines: str) -> None:
        """Begin a version in the changelog, unless it is begun."""
        heading = f"## {version} (unreleased)"
        if heading not in (self.root / "CHANGELOG.md").read_text(encoding="utf-8"):
            text = "".join(f"- {line}\n" for line in lines)
            self.change("CHANGELOG.md", "\n## ", f"\n{heading}\n\n{text}\n## ")

    def next_version(self) -> str:
        """Return the version that comes next: the one that is begun, else the next number."""
        project = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        version = str(project["project"]["version"])
        begun = (self.root / "CHANGELOG.md").read_text(encoding="utf-8")
        return version if f"## {version} (unreleased)" in begun else raised(version)

    def grow(self) -> None:
        """Make what a later release would: a migration, and a sentence in the contract."""
        before = max(
            re.findall(r"^v(\d{4})", file.name)[0]
            for file in (self.root / MIGRATIONS).glob("v*.py")
        )
        revision = f"{int(before) + 1:04}"
        file = self.root / MIGRATIONS / f"v{revision}_made_up.py"
        file.write_text(MADE_UP.format(revision=revision, before=before), encoding="utf-8")
        text = (self.root / "openapi" / "openapi.yaml").read_text(encoding="utf-8")
        (version,) = re.findall(r"^  version: (\S+)$", text, re.MULTILINE)
        self.change(
            "openapi/openapi.yaml", f"  version: {version}", f"  version: {raised(version)}"
        )


def raised(version: str) -> str:
    """Return the next minor version."""
    major, minor, _ = version.split(".")
    return f"{major}.{int(minor) + 1}.0"


class Releases:
    """Two releases, one after the other, built."""

    def __init__(self, folder: Path, environment: Path) -> None:
        """Make and build both; ``environment`` has what the lock file names."""
        self._folder, self._environment = folder, environment
        made = self.repository = Repository.new(folder / "repository")
        self.first = made.next_version()
        made.begin(self.first, "All.")
        made.prepared(self.first)
        self.second = raised(self.first)
        made.grow()
        made.begin(self.second, "A table of a test.")
        made.prepared(self.second)
        for version in (self.first, self.second):
            made.git("checkout", "--quiet", f"v{version}")
            self._build(self.folder(version))

    def folder(self, version: str) -> Path:
        """Return the folder with the files of a release."""
        return self._folder / version

    def build(self, version: str, out: Path, *options: str) -> Path:
        """Build a release again, into another folder."""
        self.repository.git("checkout", "--quiet", f"v{version}")
        return self._build(out, *options)

    def _build(self, out: Path, *options: str) -> Path:
        where = ["--out", str(out), "--environment", str(self._environment)]
        status, told = self.repository.release("build", *where, *options)
        assert status == 0, told
        return out
