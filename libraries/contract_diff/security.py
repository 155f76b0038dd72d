"""Changes in authentication."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from contract_diff.change import ContractChange, Severity, Side, Spot
from contract_diff.document import Document, Node, as_list, as_mapping, named
from contract_diff.shape import meaning

Alternative: TypeAlias = Mapping[str, frozenset[str]]
"""Schemes that are needed together, each with its scopes; an empty one admits anybody."""

_FIELDS = ("type", "in", "name", "scheme", "openIdConnectUrl")


def renamed_schemes(old: Document, new: Document) -> dict[str, str]:
    """New names of schemes by their old ones, where only the name changed."""
    before, after = _schemes(old), _schemes(new)
    renamed: dict[str, str] = {}
    for name in sorted(before.keys() - after.keys()):
        same = [
            other
            for other in sorted(after.keys() - before.keys() - set(renamed.values()))
            if meaning(after[other]) == meaning(before[name])
        ]
        if same:
            renamed[name] = same[0]
    return renamed


def compare_schemes(old: Document, new: Document) -> Iterator[ContractChange]:
    """Compare the security schemes of two contracts."""
    before, after = _schemes(old), _schemes(new)
    renamed = renamed_schemes(old, new)
    for name in sorted(before.keys() | after.keys() - set(renamed.values())):
        spot = Spot(
            side=Side.REQUEST,
            subject="security-scheme",
            noun=f"the security scheme {name}",
            place=f"security scheme {name}",
        )
        if name in renamed:
            phrase = f"is called {renamed[name]} in the contract"
            yield spot.report("renamed", Severity.INFO, phrase)
        elif name not in after:
            yield spot.report("removed", Severity.WARNING, "is no longer declared")
        elif name not in before:
            yield spot.report("added", Severity.INFO, "is new")
        else:
            yield from _scheme_changes(before[name], after[name], spot)


def _schemes(document: Document) -> dict[str, Node]:
    return document.members(as_mapping(document.root.get("components")).get("securitySchemes"))


def _scheme_changes(old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    for field in _FIELDS:
        before, after = old.get(field), new.get(field)
        if _spelled(old, field) != _spelled(new, field):
            what = {"openIdConnectUrl": "openid-url", "in": "location"}.get(field, field)
            phrase = f"has the {what.replace('-', ' ')} {after} instead of {before}"
            yield spot.report(f"{what}-changed", Severity.BREAKING, phrase)
    if old.get("bearerFormat") != new.get("bearerFormat"):
        phrase = f"has the format {new.get('bearerFormat')} instead of {old.get('bearerFormat')}"
        yield spot.report("bearer-format-changed", Severity.INFO, phrase)
    flows = as_mapping(old.get("flows")), as_mapping(new.get("flows"))
    for name in sorted(flows[0].keys() | flows[1].keys()):
        if name not in flows[1]:
            yield spot.report("flow-removed", Severity.BREAKING, f"no longer has the flow {name}")
        elif name not in flows[0]:
            yield spot.report("flow-added", Severity.INFO, f"has the new flow {name}")
        else:
            yield from _flow_changes(
                name, as_mapping(flows[0][name]), as_mapping(flows[1][name]), spot
            )


def _spelled(scheme: Node, field: str) -> Any:
    """Return a field in one spelling; queries, cookies and addresses are case-sensitive."""
    value = scheme.get(field)
    exact = field == "openIdConnectUrl" or (field == "name" and scheme.get("in") != "header")
    return value.lower() if isinstance(value, str) and not exact else value


def _flow_changes(name: str, old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    for field in ("authorizationUrl", "tokenUrl", "refreshUrl"):
        if old.get(field) != new.get(field):
            phrase = f"has another {field} in the flow {name}"
            yield spot.report("flow-url-changed", Severity.BREAKING, phrase)
    before, after = named(old.get("scopes")), named(new.get("scopes"))
    for scope in sorted(before.keys() - after.keys()):
        phrase = f"no longer has the scope {scope} in the flow {name}"
        yield spot.report("scope-removed", Severity.BREAKING, phrase)
    for scope in sorted(after.keys() - before.keys()):
        phrase = f"has the new scope {scope} in the flow {name}"
        yield spot.report("scope-added", Severity.INFO, phrase)


def alternatives(
    document: Document, operation: Node, renamed: Mapping[str, str]
) -> list[Alternative]:
    """Return the security alternatives of an operation; without any, no credentials are needed."""
    written = operation.get("security", document.root.get("security"))
    requirements: list[Alternative] = [
        {renamed.get(str(name), str(name)): frozenset(map(str, as_list(scopes)))
         for name, scopes in as_mapping(requirement).items()}
        for requirement in as_list(written)
    ]  # fmt: skip
    return requirements or [{}]


def compare_requirements(
    old: list[Alternative], new: list[Alternative], spot: Spot
) -> Iterator[ContractChange]:
    """Compare the security requirements of an operation; a removed alternative is breaking."""
    gone = [each for each in old if each not in new]
    come = [each for each in new if each not in old]
    for before in list(gone):
        after = next((each for each in come if each and each.keys() == before.keys()), None)
        if after is not None:
            gone.remove(before)
            come.remove(after)
            yield from _scopes(before, after, spot)
    for requirement in gone:
        if any(_is_enough(requirement, other) for other in new):
            phrase = f"no longer needs all of {_words(requirement)}"
            yield spot.report("requirement-loosened", Severity.INFO, phrase)
        elif requirement:
            phrase = f"no longer accepts {_words(requirement)}"
            yield spot.report("requirement-removed", Severity.BREAKING, phrase)
        else:
            phrase = "can no longer be called without credentials"
            yield spot.report("anonymous-removed", Severity.BREAKING, phrase)
    for requirement in come:
        if requirement:
            phrase = f"also accepts {_words(requirement)}"
            yield spot.report("requirement-added", Severity.INFO, phrase)
        else:
            phrase = "can now be called without credentials"
            yield spot.report("anonymous-added", Severity.INFO, phrase)


def _is_enough(held: Alternative, needed: Alternative) -> bool:
    """Return whether the credentials of one alternative are enough for the other."""
    return all(name in held and scopes <= held[name] for name, scopes in needed.items())


def _scopes(old: Alternative, new: Alternative, spot: Spot) -> Iterator[ContractChange]:
    for scheme in sorted(old):
        for scope in sorted(new[scheme] - old[scheme]):
            phrase = f"now needs the scope {scope} with {scheme}"
            yield spot.report("scope-added", Severity.BREAKING, phrase)
        for scope in sorted(old[scheme] - new[scheme]):
            phrase = f"no longer needs the scope {scope} with {scheme}"
            yield spot.report("scope-removed", Severity.INFO, phrase)


def _words(alternative: Alternative) -> str:
    return " and ".join(
        f"{name} ({', '.join(sorted(scopes))})" if scopes else name
        for name, scopes in sorted(alternative.items())
    )
