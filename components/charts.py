"""Helm's Chart.yaml and Chart.lock."""

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from components.component import LONGEST_NAME, Component, Unreadable, exact_version
from components.trees import dicts, members
from versions.package_urls import place_of

_PLACE: Final = re.compile(r"(?:https?|oci)://[\w.-]+(?::\d+)?(?:/[\w.~/-]*)?", re.ASCII)
_LONGEST_PLACE: Final = 200
_LARGEST: Final = 256 * 1024


class _WithoutAliases(yaml.SafeLoader):
    """YAML of plain values: an alias can make a small file large, and charts have none.

    The reader in C dies of deep nesting; this one raises RecursionError.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise Unreadable("Aliases of YAML are not taken in a Chart.yaml.")
        return super().compose_node(parent, index)


def is_chart(text: str) -> bool:
    """Tell whether a text is a Chart.yaml or a Chart.lock."""
    has_name = re.search(r"^name:\s*\S", text, re.MULTILINE) is not None
    is_one = re.search(r"^apiVersion:\s*['\"]?v[12]['\"]?\s*$", text, re.MULTILINE) is not None
    is_lock = re.search(r"^generated:\s*\S", text, re.MULTILINE) is not None
    return (has_name and is_one) or (is_lock and "\ndependencies:" in f"\n{text}")


def read_chart(text: str) -> Iterator[Component]:
    """Yield the charts that a chart depends on. Raises Unreadable."""
    if len(text) > _LARGEST:
        raise Unreadable("This Chart.yaml is larger than 256 KB.")
    try:
        document = members(_WithoutAliases(text).get_single_data())
    except (yaml.YAMLError, ValueError):
        raise Unreadable("This Chart.yaml is no YAML that can be read.") from None
    for dependency in dicts(document.get("dependencies")):
        name, repository = (
            str(dependency.get("name") or ""),
            str(dependency.get("repository") or ""),
        )
        if name and not repository.startswith("file:"):
            mark = f"- name: {name}"
            version = exact_version(str(dependency.get("version") or ""))
            place = _place(repository)
            yield Component("helm", name[:LONGEST_NAME], None, None, version, place, mark=mark)


def _place(repository: str) -> str | None:
    """Return where a chart comes from, None where only the reader's own settings say it."""
    if len(repository) > _LONGEST_PLACE or not _PLACE.fullmatch(repository):
        return None
    return place_of(repository)
