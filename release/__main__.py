"""python -m release: prepare, build and verify a release; ``./tests/run -e release`` calls it."""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from release import artifacts, checkout, provenance
from release.errors import NotReleasable

app = typer.Typer(
    help="Make a release: docs/releasing.md.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Root = Annotated[Path, typer.Option(help="The top of a checkout.")]
BY_HAND = "urn:changewire:builder:by-hand"


@app.command()
def prepare(
    version: Annotated[str, typer.Argument(help="The version, such as 1.2.0.")], root: Root = Path()
) -> None:
    """Date CHANGELOG.md, set the versions, keep the contract. Example: prepare 1.2.0"""
    for name in checkout.prepare(root, version, datetime.now(UTC).date()):
        typer.echo(f"Written: {name}")
    typer.echo(f'Next: git add --all, git commit --message "{version}", and git tag v{version}')


@app.command()
def build(
    root: Root = Path(),
    out: Annotated[Path | None, typer.Option(help="A new folder; dist/VERSION without it.")] = None,
    environment: Annotated[
        Path | None, typer.Option(help="A virtual environment to install into; else a new one.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="A private key of Ed25519 (PEM) that signs the provenance.")
    ] = None,
    builder: Annotated[str, typer.Option(help="The URI of who builds.")] = BY_HAND,
    source: Annotated[str | None, typer.Option(help="The public URI of the repository.")] = None,
) -> None:
    """Build all files of the release that is committed. Example: build --key release.pem"""
    version, commit = checkout.released_version(root), checkout.committed(root)
    signing = provenance.private_key(key) if key else None
    folder = out or root / "dist" / version
    if folder.exists() and any(folder.iterdir()):
        raise NotReleasable(f"{folder} is not empty")
    folder.mkdir(parents=True, exist_ok=True)
    name, seconds = f"changewire-{version}", checkout.seconds_of(root, commit)
    with tempfile.TemporaryDirectory(prefix="changewire-release-") as temporary:
        unpacked = Path(temporary, name)
        checkout.unpack(root, commit, unpacked)
        files = artifacts.build_packages(unpacked, folder, seconds=seconds)
        (wheel,) = folder.glob("changewire-*.whl")
        lock = artifacts.keep(unpacked / "requirements.lock", folder, f"{name}-requirements.lock")
        contract = artifacts.keep(unpacked / checkout.CONTRACT, folder, f"{name}-openapi.yaml")
        notes = folder / f"{name}-notes.md"
        notes.write_text(checkout.notes_of(unpacked, version), encoding="utf-8")
        installed, bill = environment or Path(temporary, "installed"), folder / f"{name}.cdx.json"
        artifacts.install(installed, lock, wheel)
        artifacts.write_bill(installed, unpacked, bill)
    origin = provenance.Origin(version, commit, seconds, lock, builder, source)
    statement = provenance.statement_of(origin, [*files, lock, contract, notes, bill])
    kind = "intoto.jsonl" if signing else "intoto.json"
    provenance.write_statement(statement, folder / f"{name}.{kind}", signing)
    artifacts.write_sums(folder)
    for file in sorted(folder.iterdir()):
        typer.echo(f"{file.stat().st_size:>12,}  {file}")


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="The folder with the files of a release.")],
    key: Annotated[
        Path | None, typer.Option(help="The public key (PEM) that has to have signed it.")
    ] = None,
) -> None:
    """Check sums, provenance and signature. Example: verify dist/1.2.0 --key release.pub"""
    names = artifacts.check_sums(folder)
    statements = [folder / name for name in names if ".intoto.json" in name]
    if len(statements) != 1:
        raise NotReleasable(f"{folder} has {len(statements)} statements of provenance")
    trusted = provenance.public_key(key) if key else None
    statement = provenance.read_statement(statements[0], trusted)
    provenance.check_subjects(statement, folder)
    signed = "signed with this key" if trusted else "no signature was asked for"
    typer.echo(f"{len(names)} files are as they were built; {signed}.")


def main() -> None:
    """Run a command; what cannot be released is one message on stderr and exit status 1."""
    try:
        app()
    except NotReleasable as error:
        sys.stderr.write(f"release: {error}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
