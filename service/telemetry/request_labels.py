"""The names under which requests are counted and traced."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from openapi.contract import base_path_of, operations_of

PATH_LABELS: Final = (
    ("/static/", "static"),
    ("/rss/", "feeds"),
    ("/feeds/", "feeds"),
    ("/deadlines.ics", "feeds"),
    ("/private/", "feeds"),
    ("/healthz", "probes"),
    ("/readyz", "probes"),
    ("/metrics", "probes"),
    ("/mcp", "tools"),
    ("/bulk", "bulk"),
)


LabelOf: TypeAlias = Callable[[str], str]


def request_labels(*contracts: Mapping[str, Any]) -> LabelOf:
    """Return what gives the label of a path: one of a few, whatever is asked for.

    ``contracts``: one for each major version, the first of them plain: ``list_sources``. Labels of
    the others name their version: ``v2 list_sources``.
    """
    bases: dict[str, str] = {}
    labels: dict[str, str] = {}
    for number, contract in enumerate(contracts):
        base = base_path_of(contract)
        version = f"{base.rpartition('/')[2]} " if number else ""
        bases[f"{base}/"] = f"{version}unknown"
        for operation in operations_of(contract):
            labels.setdefault(base + operation.path, version + operation.operation_id)
    starts = (*bases.items(), *PATH_LABELS)

    def label(path: str) -> str:
        known = labels.get(path)
        return known or next((name for start, name in starts if path.startswith(start)), "pages")

    return label
