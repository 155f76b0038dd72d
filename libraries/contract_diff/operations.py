"""Changes in the operations of a contract: added, removed, and different ones."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from contract_diff.bodies import compare_requests, compare_responses
from contract_diff.change import ContractChange, Severity, Side, Spot
from contract_diff.document import Document, Node, as_list
from contract_diff.lifecycle import compare_lifecycles, removed
from contract_diff.parameters import compare_parameters, parameters_of
from contract_diff.parse import METHODS
from contract_diff.schemas import Comparison
from contract_diff.security import alternatives, compare_requirements, renamed_schemes
from contract_diff.servers import compare_servers, servers_of


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as it is written, with the path item it is in."""

    path: str
    method: str
    item: Node
    body: Node

    @property
    def place(self) -> str:
        """How people call it: "GET /entries"."""
        return f"{self.method.upper()} {self.path}"


Operations: TypeAlias = dict[tuple[str, str], Operation]


def operations_of(document: Document, paths: Any) -> Operations:
    """Operations by method and path; what a path parameter is called makes no other path."""
    operations: Operations = {}
    for path, item in document.members(paths).items():
        template = re.sub(r"{[^}]*}", "{}", path)
        for method in METHODS:
            if isinstance(item.get(method), Mapping):
                operations[method, template] = Operation(path, method, item, item[method])
    return operations


def compare_operations(
    both: Comparison, old_paths: Any, new_paths: Any
) -> Iterator[ContractChange]:
    """Yield the changes of the operations of two paths objects.

    In a callback the service asks and the consumer answers: the side is then the response's, and
    the kinds begin with a prefix.
    """
    old, new = operations_of(both.old, old_paths), operations_of(both.new, new_paths)
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            yield removed(old[key].body, _spot(both, old[key]), today=both.today)
        elif key not in old:
            yield _spot(both, new[key]).report("added", Severity.INFO, "is new")
        else:
            yield from _changes(both, old[key], new[key])


def _spot(both: Comparison, operation: Operation) -> Spot:
    return Spot(
        side=both.side,
        subject=f"{both.prefix}operation",
        noun=f"the operation {operation.place}",
        place=f"{both.place}{operation.place}",
    )


def _changes(both: Comparison, old: Operation, new: Operation) -> Iterator[ContractChange]:
    spot = _spot(both, old)
    yield from _names(old.body, new.body, spot)
    yield from compare_lifecycles(old.body, new.body, spot, today=both.today)
    yield from _access(both, old, new, spot)
    here = replace(both, place=spot.place)
    yield from compare_parameters(
        here,
        parameters_of(both.old, old.path, old.item, old.body),
        parameters_of(both.new, new.path, new.item, new.body),
    )
    yield from compare_requests(here, old.body, new.body)
    yield from compare_responses(here, old.body, new.body)
    yield from _callbacks(both, old.body, new.body, spot)


def _access(
    both: Comparison, old: Operation, new: Operation, spot: Spot
) -> Iterator[ContractChange]:
    """Who may call, and servers of the operation's own (those of the document come once)."""
    renamed = renamed_schemes(both.old, both.new)
    requirements = Spot(spot.side, f"{both.prefix}security", spot.noun, spot.place)
    yield from compare_requirements(
        alternatives(both.old, old.body, renamed),
        alternatives(both.new, new.body, {}),
        requirements,
    )
    if any("servers" in node for node in (old.item, old.body, new.item, new.body)):
        servers = Spot(
            Side.REQUEST, "server", f"the addresses of {old.place}", f"{spot.place} › servers"
        )
        yield from compare_servers(
            servers_of(old.body, old.item, both.old.root),
            servers_of(new.body, new.item, both.new.root),
            servers,
        )


def _callbacks(both: Comparison, old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    before, after = (
        document.members(body.get("callbacks"))
        for document, body in ((both.old, old), (both.new, new))
    )
    for name in sorted(before.keys() | after.keys()):
        place = f"{spot.place} › callback {name}"
        here = Spot(both.side, "callback", f"the callback {name}", place)
        if name not in after:
            yield here.report("removed", Severity.BREAKING, "was removed")
        elif name not in before:
            yield here.report("added", Severity.WARNING, "is new")
        else:
            called = replace(both, side=both.side.other, prefix="callback-", place=f"{place} › ")
            yield from compare_operations(called, before[name], after[name])


def _names(old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    """operationId, by which generated clients call, and tags, by which pages are ordered."""
    before, after = old.get("operationId"), new.get("operationId")
    if before != after:
        if before is None:
            yield spot.report("id-added", Severity.INFO, f"is now called {after}")
        else:
            phrase = f"is called {after or 'nothing'} instead of {before} in generated clients"
            yield spot.report("id-changed" if after else "id-removed", Severity.WARNING, phrase)
    tags = [set(map(str, as_list(operation.get("tags")))) for operation in (old, new)]
    for tag in sorted(tags[0] - tags[1]):
        yield spot.report("tag-removed", Severity.INFO, f"no longer has the tag {tag}")
    for tag in sorted(tags[1] - tags[0]):
        yield spot.report("tag-added", Severity.INFO, f"has the new tag {tag}")
