"""Gauges of the machine that a server runs on: room on its disks, and the newest backup."""

import math
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily, Metric

from service.settings import Settings


@dataclass(frozen=True, slots=True)
class Machine:
    """The folders that are written to, by what they hold, and where backups are, if known."""

    folders: Mapping[str, Path]
    backups: Path | None


def machine_of(settings: Settings) -> Machine:
    """Return what the settings say of a machine."""
    folders = {"outbox": settings.outbox}
    if settings.sqlite_file is not None:
        folders["database"] = settings.sqlite_file.absolute().parent
    if settings.backups is not None:
        folders["backups"] = settings.backups
    return Machine(folders, settings.backups)


def machine_gauges(machine: Machine, *, now: datetime) -> Iterator[Metric]:
    """Yield what is free of each disk, between 0 and 1, and the age of the newest backup."""
    free = GaugeMetricFamily(
        "changewire_disk_free_ratio", "What is free of the disk of a folder.", labels=["folder"]
    )
    for name, folder in machine.folders.items():
        free.add_metric([name], free_ratio(folder))
    yield free
    if machine.backups is not None:
        yield GaugeMetricFamily(
            "changewire_backup_age_seconds",
            "Since the newest backup was written; infinite without any.",
            value=age_of_newest(machine.backups, now),
        )


def free_ratio(folder: Path) -> float:
    """Return the free part, between 0 and 1, of the disk of a folder, which may not exist yet."""
    existing = next(
        path for path in (folder.absolute(), *folder.absolute().parents) if path.exists()
    )
    usage = shutil.disk_usage(existing)
    return usage.free / usage.total


def age_of_newest(folder: Path, now: datetime) -> float:
    """Return the seconds since the newest file of a folder was written; infinite without any."""
    written = [file.stat().st_mtime for file in folder.glob("*") if file.is_file()]
    return max(now.timestamp() - max(written), 0.0) if written else math.inf
