"""The disks that a deployment writes to, its newest backup, and the jail of its parsers."""

import math
import shutil
from datetime import datetime
from pathlib import Path

import structlog

from ingest.sandbox.jail import missing_protections
from service.settings import Settings, WrongSettings

log = structlog.get_logger(__name__)


def folders_of(settings: Settings) -> dict[str, Path]:
    """Return the folders that are written to, by what they hold."""
    folders = {"outbox": settings.outbox}
    if settings.sqlite_file is not None:
        folders["database"] = settings.sqlite_file.absolute().parent
    if settings.backups is not None:
        folders["backups"] = settings.backups
    return folders


def free_ratio(folder: Path) -> float:
    """Return the free part, between 0 and 1, of the disk of a folder, which may not exist yet."""
    whole = folder.absolute()
    usage = shutil.disk_usage(next(path for path in (whole, *whole.parents) if path.exists()))
    return usage.free / usage.total


def age_of_newest(folder: Path, now: datetime) -> float:
    """Return the seconds since the newest file of a folder was written; infinite without any."""
    written = [file.stat().st_mtime for file in folder.glob("*") if file.is_file()]
    return max(now.timestamp() - max(written), 0.0) if written else math.inf


def check_jail(settings: Settings) -> None:
    """Warn of a jail with holes; raise WrongSettings where the operator requires a whole one."""
    missing = " and ".join(missing_protections())
    if not missing:
        return
    if settings.require_jail:
        raise WrongSettings(
            f"CHANGEWIRE_REQUIRE_JAIL: this kernel or container does not offer {missing}; "
            "documents are not read without."
        )
    log.warning(
        "PARSERS RUN WITHOUT A WHOLE JAIL: a hostile document that takes over its parser could "
        "read files of this user; see docs/security.md",
        missing=missing,
    )
