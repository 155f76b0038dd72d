"""changewire deploy: the files of a deployment, and the manuals, out of the installed program."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from service.commands.output import (
    AsJson,
    CommandFailed,
    WrongInput,
    command_group,
    print_json,
    say,
)

deploy = command_group(
    "Files for systemd, nginx, pgbouncer, Prometheus and Grafana, and the operator's manuals."
)

_INSTALLED: Final = Path(__file__).parents[1] / "deployment"
_CHECKOUT: Final = Path(__file__).parents[2]
_MANUALS: Final = ("operating.md", "scaling.md", "security.md")
Name = Annotated[str, typer.Argument(help="A folder or file from `changewire deploy list`.")]


def deployment_files() -> dict[str, Path]:
    """Return the files by their names, such as ``nginx/changewire.conf``, in their order."""
    if _INSTALLED.is_dir():
        files = {_name(file, _INSTALLED): file for file in _INSTALLED.rglob("*") if file.is_file()}
    else:
        folder = _CHECKOUT / "deploy"
        files = {_name(file, folder): file for file in folder.rglob("*") if file.is_file()}
        files |= {f"docs/{name}": _CHECKOUT / "docs" / name for name in _MANUALS}
    return dict(sorted(files.items()))


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix()


def _named(name: str) -> dict[str, Path]:
    """Return the files that a name means: of a folder, one by its path, or by its last part."""
    files = deployment_files()
    named = {
        path: file
        for path, file in files.items()
        if name in {path, file.name, file.stem} or path.startswith(f"{name.rstrip('/')}/")
    }
    if not named:
        folders = dict.fromkeys(path.partition("/")[0] for path in files)
        raise WrongInput(f"There is no {name}; there are {', '.join(folders)}.")
    return named


@deploy.command("list")
def deploy_list(*, as_json: AsJson = False) -> None:
    """List the files. Example: changewire deploy list"""
    files = deployment_files()
    if as_json:
        print_json(list(files))
        return
    sys.stdout.writelines(f"{name}\n" for name in files)


@deploy.command("show")
def deploy_show(name: Name) -> None:
    """Print a file, or all files of a folder. Example: changewire deploy show nginx"""
    files = _named(name)
    for path, file in files.items():
        if len(files) > 1:
            sys.stdout.write(f"# {path}\n")
        sys.stdout.write(file.read_text(encoding="utf-8"))


@deploy.command("write")
def deploy_write(
    name: Name,
    folder: Annotated[Path, typer.Argument(help="An existing folder to write to.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace files that differ.")] = False,
) -> None:
    """Write files into a folder. Example: changewire deploy write systemd /etc/systemd/system"""
    files = _named(name)
    if not folder.is_dir():
        raise WrongInput(f"There is no folder {folder}.")
    texts = {folder / file.name: file.read_bytes() for file in files.values()}
    other = [file for file, text in texts.items() if file.exists() and file.read_bytes() != text]
    if other and not force:
        raise CommandFailed(f"{other[0]} is there and differs; --force replaces it.")
    for file, text in texts.items():
        try:
            file.write_bytes(text)
        except OSError as error:
            raise CommandFailed(f"{file} cannot be written: {error.strerror}.") from error
        say(f"Wrote {file}")
