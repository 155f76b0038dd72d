"""The disks that a deployment writes to, and its newest backup."""

import math
import shutil
from datetime import datetime
from pathlib import Path

from service.settings import Settings


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
