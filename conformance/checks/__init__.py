"""The named checks: every sentence of the specification that can be seen from outside."""

from conformance.checks import (
    caching,
    catalog,
    combining,
    contract,
    diffs,
    entries,
    feeds,
    fields,
    following,
    formats,
    http,
    keys,
    mixing,
    parameters,
    requests,
    rss,
    sample,
)
from conformance.checks.probe import Check

_MODULES = (
    contract, sample, catalog, fields, combining, parameters, keys, entries, following, feeds, rss,
    formats, diffs, caching, http, requests, mixing,
)  # fmt: skip

CHECKS: tuple[Check, ...] = tuple(
    each for module in _MODULES for each in vars(module).values() if isinstance(each, Check)
)
"""Every named check."""
