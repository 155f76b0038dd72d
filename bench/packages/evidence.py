"""A document that names a package and its repository, and when that is enough. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from packageurl import PackageURL

from ingest.content.repositories import Repository, repository_of
from versions.package_urls import PackageUrl

_WORD: Final = re.compile(r"[a-z0-9]+")
_GENERAL: Final = """
    api app c cli client cpp core dev golang go java js kit lib libs library node nodejs org php
    plugin python python2 python3 py rb rs ruby rust sdk server src swift the ts tool tools web
"""
_SAY_NOTHING: Final = frozenset(_GENERAL.split())

_OTHER_VERSIONS: Final = re.compile(
    r"""pkg:(?:
    pypi/(?:protobuf|faiss|snowflake\.connector.*|pydantic-core|xstatic-.*|azure-cli-te.*|opentelemetry-(?:semantic|exporter-(?:http|otlp-common)).*)
    |npm/(?:%40bytecodealliance/wrpc|phoenix_live_dashboard|runtipi|%40usebruno/cli|%40webpack-cli/.*|webpack-cli|terser-webpack-plugin)
    |gem/(?:rails-assets-.*|aws-.*)
    |cargo/(?:alacritty_.*|cargo-.*)
    |maven/(?:org\.junit\.platform|com\.google\.protobuf|io\.confluent(?:\.ksql)?)/.*
    |deb/debian/(?:.*(?:rails-assets|xstatic|aws-(?:sdk|sig|part|event)|azure-cli-te|junit).*|librust-(?:alacritty|cargo)-.*
        |python.?-azure|python-azure-doc|python3-azure-storage|libjackson-json-java.*)
    |docker/amd64/.*
    )""",
    re.VERBOSE,
)
"""Packages that only wrap a repository, or whose versions are not those of its releases."""


class Evidence(NamedTuple):
    """A package, the repository it is published from, and the document that says so."""

    repository: str
    purl: str
    seen_in: str


def evidence(
    type_: str,
    name: str,
    address: str,
    seen_in: str,
    *,
    must_resemble: bool,
    place: str | None = None,
) -> Iterator[Evidence]:
    """Yield the evidence of a document, if the address that it gives is a repository on GitHub.

    ``name`` as in a package URL, with its namespace. ``must_resemble``: the address is a homepage
    and not said to be the repository, so the names of both have to have a word in common.
    ``place``: where an image or a chart is, for those whose names say something only with it.
    """
    repository = repository_of(address)
    purl = _purl(type_, name, place)
    if repository is None or purl is None or _OTHER_VERSIONS.fullmatch(purl):
        return
    if must_resemble and not resemble(name, repository):
        return
    yield Evidence(repository.slug.lower(), purl, seen_in)


def is_exactly(address: str) -> bool:
    """Tell whether an address is that of a whole repository."""
    repository = repository_of(address)
    if repository is None:
        return False
    path = re.sub(r"^https?://(?:www\.)?github\.com/", "", address.strip().rstrip("/"))
    return path.removesuffix(".git").lower() == repository.slug.lower()


def resemble(name: str, repository: Repository) -> bool:
    """Tell whether a package and a repository have a word in their names that says something."""
    package, of_repository = _words(name), _words(repository.name)
    joined, whole = "".join(_WORD.findall(name.lower())), _joined(repository.name)
    return bool(package & of_repository) or (len(whole) > 3 and whole in joined)


def unambiguous(found: Iterable[Evidence]) -> list[Evidence]:
    """Return evidence sorted, one of each package, without packages of several repositories.

    A repository's own manifest comes first, then metadata of the package, then a distribution,
    which may know where the project was before.
    """
    ranked: dict[str, dict[int, dict[str, Evidence]]] = {}
    for each in sorted(set(found)):
        of_package = ranked.setdefault(each.purl, {})
        of_package.setdefault(_rank(each), {}).setdefault(each.repository, each)
    best = [of_package[min(of_package)] for of_package in ranked.values()]
    return [next(iter(of_rank.values())) for of_rank in best if len(of_rank) == 1]


def _rank(found: Evidence) -> int:
    if found.seen_in.startswith("Debian"):
        return 2
    return 0 if found.seen_in.lower().startswith(found.repository) else 1


def _purl(type_: str, name: str, place: str | None) -> str | None:
    namespace, _, last = name.rpartition("/")
    try:
        qualifiers = {"repository_url": place} if place else None
        purl = PackageURL(type_, namespace or None, last, None, qualifiers).to_string()
        found = PackageUrl.parse(purl)
    except ValueError:
        return None
    return None if found is None else found.part


def _words(name: str) -> set[str]:
    return {word for word in _WORD.findall(name.lower()) if word not in _SAY_NOTHING}


def _joined(name: str) -> str:
    return "".join(word for word in _WORD.findall(name.lower()) if word not in _SAY_NOTHING)
