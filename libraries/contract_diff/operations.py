"""Changes in the operations of a contract: added, removed, and different ones."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

from contract_diff.bodies import BodyComparison
from contract_diff.change import ContractChange, Severity, Side, Spot
from contract_diff.document import Document, as_list
from contract_diff.lifecycle import compare_lifecycles, removed
from contract_diff.parameters import ParameterComparison, parameters_of
from contract_diff.parse import METHODS
from contract_diff.schemas import SchemaComparison
from contract_diff.security import alternatives, compare_requirements, renamed_schemes
from contract_diff.servers import compare_servers, servers_of


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as it is written, with the path item it stands in."""

    path: str
    method: str
    item: Mapping[str, Any]
    body: Mapping[str, Any]

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


@dataclass(frozen=True, slots=True)
class OperationComparison:
    """The operations of two documents.

    In a callback the service asks and the consumer answers: `side` is then the response's, and the
    kinds begin with the prefix.
    """

    old: Document
    new: Document
    today: date | None
    side: Side = Side.REQUEST
    prefix: str = ""
    place: str = ""

    def compare(self, old_paths: Any, new_paths: Any) -> Iterator[ContractChange]:
        """Compare the operations of two paths objects."""
        old, new = operations_of(self.old, old_paths), operations_of(self.new, new_paths)
        for key in sorted(old.keys() | new.keys()):
            if key not in new:
                yield removed(old[key].body, self._spot(old[key]), today=self.today)
            elif key not in old:
                yield self._spot(new[key]).report("added", Severity.INFO, "is new")
            else:
                yield from self._changes(old[key], new[key])

    def _spot(self, operation: Operation) -> Spot:
        return Spot(
            side=self.side,
            subject=f"{self.prefix}operation",
            noun=f"the operation {operation.place}",
            place=f"{self.place}{operation.place}",
        )

    def _changes(self, old: Operation, new: Operation) -> Iterator[ContractChange]:
        spot = self._spot(old)
        yield from _names(old.body, new.body, spot)
        yield from compare_lifecycles(old.body, new.body, spot, today=self.today)
        yield from self._access(old, new, spot)
        yield from ParameterComparison(
            self._schemas,
            side=self.side,
            subject=f"{self.prefix}request-parameter",
            place=spot.place,
            today=self.today,
        ).compare(
            parameters_of(self.old, old.path, old.item, old.body),
            parameters_of(self.new, new.path, new.item, new.body),
        )
        bodies = BodyComparison(
            self.old,
            self.new,
            schemas=self._schemas,
            side=self.side,
            prefix=self.prefix,
            place=spot.place,
            today=self.today,
        )
        yield from bodies.compare_requests(old.body, new.body)
        yield from bodies.compare_responses(old.body, new.body)
        yield from self._callbacks(old.body, new.body, spot)

    def _schemas(self) -> SchemaComparison:
        return SchemaComparison(self.old, self.new, today=self.today)

    def _access(self, old: Operation, new: Operation, spot: Spot) -> Iterator[ContractChange]:
        """Who may call, and servers of the operation's own (those of the document come once)."""
        renamed = renamed_schemes(self.old, self.new)
        requirements = Spot(spot.side, f"{self.prefix}security", spot.noun, spot.place)
        yield from compare_requirements(
            alternatives(self.old, old.body, renamed),
            alternatives(self.new, new.body, {}),
            requirements,
        )
        if any("servers" in node for node in (old.item, old.body, new.item, new.body)):
            servers = Spot(
                Side.REQUEST, "server", f"the addresses of {old.place}", f"{spot.place} › servers"
            )
            yield from compare_servers(
                servers_of(old.body, old.item, self.old.root),
                servers_of(new.body, new.item, self.new.root),
                servers,
            )

    def _callbacks(
        self, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot
    ) -> Iterator[ContractChange]:
        before, after = (
            document.members(body.get("callbacks"))
            for document, body in ((self.old, old), (self.new, new))
        )
        for name in sorted(before.keys() | after.keys()):
            place = f"{spot.place} › callback {name}"
            here = Spot(self.side, "callback", f"the callback {name}", place)
            if name not in after:
                yield here.report("removed", Severity.BREAKING, "was removed")
            elif name not in before:
                yield here.report("added", Severity.WARNING, "is new")
            else:
                yield from OperationComparison(
                    self.old,
                    self.new,
                    today=self.today,
                    side=self.side.other,
                    prefix="callback-",
                    place=f"{place} › ",
                ).compare(before[name], after[name])


def _names(old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[ContractChange]:
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
