"""Hooks that change pytest while it checks a site."""

import json
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import asdict
from typing import Any

import pytest

from conformance.callers import SLOTS, Caller
from conformance.site import Unusable
from conformance.suite import Suite
from contract_diff.render import escape_control

_AUDIENCES: dict[str, tuple[Callable[[Caller], bool], str]] = {
    "public": (lambda caller: caller.key is None, ""),
    "anybody": (lambda _: True, ""),
    "holder": (lambda caller: caller.key is not None, "no key was given (--api-key)"),
    "reader": (lambda caller: caller.reads_entries, "no key that may read entries was given"),
    "diff_reader": (lambda caller: caller.reads_diffs, "no key that may read diffs was given"),
    "limited": (lambda caller: caller.plan in SLOTS, "no key of a plan with slots was given"),
    "writer": (lambda caller: caller.key is None, "storing was not allowed (--allow-writes)"),
}
"""The callers of the checks that name each fixture, and why there may be none."""


def audience(name: str, callers: tuple[Caller, ...]) -> list[Caller]:
    """Return the callers that a check gets by the name of its fixture."""
    return [caller for caller in callers if _AUDIENCES[name][0](caller)]


def pytest_configure(config: pytest.Config) -> None:
    """Open the site; a worker of xdist takes the callers that its controller found."""
    given = getattr(config, "workerinput", {}).get("callers")
    try:
        callers = [Caller(**caller) for caller in json.loads(given)] if given else []
        Suite.current = suite = Suite(config.option, callers)
    except (Unusable, ValueError) as error:
        raise pytest.UsageError(escape_control(str(error)).replace("\n", " ")) from error
    config.pluginmanager.register(_Run(suite), "conformance-run")


class _Run:
    """The hooks of a run."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a worker of xdist the callers."""
        node.workerinput["callers"] = json.dumps([asdict(one) for one in self.suite.callers])

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what a worker of xdist has seen."""
        self.suite.evidence.merge(getattr(node, "workeroutput", {}).get("evidence", "[[], {}]"))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand what was seen to the controller of xdist."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["evidence"] = self.suite.evidence.dump()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a check for each caller that it is about."""
        for name in _AUDIENCES.keys() & set(metafunc.fixturenames):
            left_out = name == "writer" and not self.suite.option.allow_writes
            names = [] if left_out else [one.name for one in audience(name, self.suite.callers)]
            probes = [self.suite.probes[caller] for caller in names]
            nobody = [pytest.param(None, marks=pytest.mark.skip(reason=_AUDIENCES[name][1]))]
            metafunc.parametrize(name, probes or nobody, ids=names or ["nobody"])

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out decisions if asked to; put first what writes, before a limit is used."""
        if self.suite.option.only_specification:
            decided = [item for item in items if _origin(item).startswith("docs/")]
            config.hook.pytest_deselected(items=decided)
            items[:] = [item for item in items if item not in decided]
        for item in items:
            # Schemathesis' tests of one function share an id otherwise
            if item.parent and getattr(item, "operation_label", None):
                item._id = item.parent.id.child(item.name)
        items.sort(key=lambda item: "writer" not in getattr(item, "fixturenames", ()))

    def pytest_runtest_setup(self) -> None:
        """Skip what is left once the site is silent."""
        if self.suite.site.is_silent:
            pytest.skip("the site no longer answers")

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Make a check once more that fails: entries may come between two of its requests."""
        if "case" in pyfuncitem.fixturenames or pyfuncitem.get_closest_marker("once"):
            return None
        names = pyfuncitem._fixtureinfo.argnames
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        try:
            pyfuncitem.obj(**arguments)
        except Exception:  # noqa: BLE001 - whatever it is, it counts the second time
            for probe in self.suite.probes.values():
                probe.listings.clear()  # lists are read anew
            return None
        return True

    def pytest_runtest_teardown(self) -> None:
        """Report responses that broke a rule for all of them, whatever check they were for."""
        broken = self.suite.watch.take_untold()
        if broken:
            pytest.fail("\n\n".join(broken), pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report a fault by its sentence, the request and the response, without any key."""
        report = yield
        says = " ".join(str(getattr(getattr(item, "obj", None), "__doc__", "") or "").split())
        report.user_properties += [("says", says), ("origin", _origin(item))]
        if report.failed and call.excinfo is not None:
            words = f"{_words(call.excinfo.value)}\n\n    {says} ({_origin(item)})"
            report.longrepr = escape_control(self.suite.redacted(words))
            report.sections = []
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """List what was never seen, and why checks were skipped."""
        skipped = terminalreporter.stats.get("skipped", [])
        reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
        for line in (
            *(f"never seen, {line}" for line in self.unseen(terminalreporter.config)),
            *(f"skipped {count}: {reason}" for reason, count in reasons.items()),
        ):
            terminalreporter.write_line(line)

    def unseen(self, config: pytest.Config) -> list[str]:
        """Return the operations that a whole run never saw; none for a selection of checks."""
        return [] if config.option.keyword or config.option.markexpr else [*self.suite.unseen()]


def _origin(item: pytest.Item) -> str:
    marker = item.get_closest_marker("origin")
    return str(marker.args[0]) if marker else ""


def _words(error: BaseException) -> str:
    if isinstance(error, KeyError | AttributeError | IndexError | TypeError | ValueError):
        return f"met an answer of another shape, this one or one before: {error!r}"
    return str(error)
