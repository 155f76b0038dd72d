"""The named checks: every sentence of the specification that can be seen from outside."""

from conformance.checks import (
    caching,
    catalog,
    concurrency,
    contract,
    deadlines,
    diffs,
    entries,
    entry_filters,
    feeds,
    fields,
    filter_combinations,
    following,
    formats,
    http,
    keys,
    parameters,
    requests,
    rss,
    sample,
    samples,
    spellings,
    stacks,
    upgrades,
    webhooks,
)
from conformance.checks.probe import Check

_MODULES = (
    contract, sample, catalog, fields, filter_combinations, parameters, keys, entries, following,
    feeds, entry_filters, samples, rss, formats, diffs, caching, http, requests, concurrency,
    spellings, deadlines, upgrades, stacks, webhooks,
)  # fmt: skip

CHECKS: tuple[Check, ...] = tuple(
    value for module in _MODULES for value in vars(module).values() if isinstance(value, Check)
)
"""Every named check."""
