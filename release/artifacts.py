"""The files of a release: packages, lock, bill of materials, contract, notes, sums."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

from release.errors import NotReleasable

SUMS: Final = "SHA256SUMS"
"""The name of the file of checksums, as ``sha256sum --check`` reads it."""
_LONGEST: Final = 1800


def build_packages(source: Path, out: Path, *, seconds: int) -> list[Path]:
    """Build the sdist, the wheel out of it, and the wheel of the client; return these files.

    The same source and ``seconds`` (the time that the files in them get) give the same bytes.
    """
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(seconds), "PYTHONDONTWRITEBYTECODE": "1"}
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out)]
    for command in ([*build, str(source)], [*build, "--wheel", str(source / "clients" / "python")]):
        _run(command, environment)
    return sorted([*out.glob("*.whl"), *out.glob("*.tar.gz")])


def install(environment: Path, lock: Path, wheel: Path) -> None:
    """Install a wheel with all that a lock names into an environment, which is made if need be."""
    python = environment / "bin" / "python"
    if not python.exists():
        _run([sys.executable, "-m", "venv", "--without-pip", str(environment)])
    uv = [sys.executable, "-m", "uv", "pip"]
    into = [*uv, "install", "--quiet", "--python", str(python)]
    _run([*into, "--require-hashes", "-r", str(lock)])
    _run([*into, "--no-deps", "--reinstall", str(wheel)])
    _run([*uv, "check", "--quiet", "--python", str(python)])


def write_bill(environment: Path, source: Path, file: Path) -> None:
    """Write the bill of materials (CycloneDX) of what is installed in an environment."""
    command = [
        *(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"),
        *("--pyproject", str(source / "pyproject.toml"), "--output-file", str(file)),
        str(environment),
    ]
    _run(command)


def keep(file: Path, out: Path, name: str) -> Path:
    """Copy a file under another name; return the copy."""
    return Path(shutil.copyfile(file, out / name))


def digest(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(file.read_bytes()).hexdigest()


def write_sums(out: Path) -> None:
    """Write the checksums of all files of a folder."""
    files = sorted(file for file in out.iterdir() if file.name != SUMS)
    lines = (f"{digest(file)}  {file.name}\n" for file in files)
    (out / SUMS).write_text("".join(lines), encoding="ascii")


def check_sums(out: Path) -> list[str]:
    """Verify the checksums of the files of a folder; return the names of the files.

    Raises NotReleasable for a file that is missing, that differs, or that has no sum.
    """
    lines = (out / SUMS).read_text(encoding="ascii").splitlines()
    sums = {name: total for total, _, name in (line.partition("  ") for line in lines)}
    present = {file.name for file in out.iterdir()} - {SUMS}
    if odd := sorted(present ^ set(sums)):
        raise NotReleasable(f"{SUMS} and the folder do not name the same files: {', '.join(odd)}")
    if wrong := sorted(name for name, total in sums.items() if digest(out / name) != total):
        raise NotReleasable(f"Not the file that {SUMS} has: {', '.join(wrong)}")
    return sorted(sums)


def _run(command: list[str], environment: dict[str, str] | None = None) -> None:
    ended = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=_LONGEST,
    )
    if ended.returncode:
        last = ended.stdout.decode(errors="replace").strip().splitlines()[-8:]
        raise NotReleasable(f"{' '.join(command[1:4])} failed:\n" + "\n".join(last))
