"""An OpenAPI document with its local references followed."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar
from urllib.parse import unquote

Node: TypeAlias = Mapping[str, Any]
"""An object of a contract as it is written."""

T = TypeVar("T")


class Document:
    """A parsed OpenAPI 3.0 document.

    Follows `#/…` references only. One that leads elsewhere or nowhere is left as it is, so that
    two documents with the same foreign reference do not differ by it.
    """

    def __init__(self, root: Node) -> None:
        self.root = root
        self._remembered: dict[tuple[int, ...], Any] = {}

    def remember(
        self, nodes: tuple[Node, ...], read: Callable[["Document", tuple[Node, ...]], T]
    ) -> T:
        """Return `read(self, nodes)`, computed once for these schemas.

        The key is the identity of the nodes, which live as long as the document.
        """
        key = tuple(map(id, nodes))
        if key not in self._remembered:
            self._remembered[key] = read(self, nodes)
        result: T = self._remembered[key]
        return result

    def target(self, reference: str) -> Any:
        """Return the target of a local reference (RFC 6901); None if there is none."""
        if not reference.startswith("#/"):
            return None
        node: Any = self.root
        for step in reference[2:].split("/"):
            node = child(node, unquote(step).replace("~1", "/").replace("~0", "~"))
        return node

    def resolve(self, node: Any) -> Node:
        """Return the object of a node, with any number of references followed."""
        followed: set[str] = set()
        while isinstance(node, Mapping) and isinstance(node.get("$ref"), str):
            reference = node["$ref"]
            target = self.target(reference)
            if reference in followed or not isinstance(target, Mapping):
                return node
            followed.add(reference)
            node = target
        return node if isinstance(node, Mapping) else {}

    def members(self, node: Any) -> dict[str, Node]:
        """Return the members of a map, resolved; names as text (YAML reads 200 as a number)."""
        return {name: self.resolve(value) for name, value in named(node).items()}


def named(node: Any) -> dict[str, Any]:
    """Return the members of an object by their names as text; none where it is not an object."""
    return {str(name): value for name, value in as_mapping(node).items()}


def media_types(node: Node) -> dict[str, Node]:
    """Return media types in one spelling: no case, no spaces, no charset of JSON (RFC 8259)."""
    return {
        _one_spelling(name): as_mapping(value) for name, value in named(node.get("content")).items()
    }


def _one_spelling(media_type: str) -> str:
    name, *parameters = media_type.lower().replace(" ", "").split(";")
    if name.endswith(("/json", "+json")):
        parameters = [each for each in parameters if not each.startswith("charset=")]
    return ";".join([name, *parameters])


def as_mapping(node: Any) -> Node:
    """Return the node where it is an object, else an empty one."""
    return node if isinstance(node, Mapping) else {}


def as_list(node: Any) -> list[Any]:
    """Return the node where it is a list, else an empty one."""
    return list(node) if isinstance(node, list | tuple) else []


def child(node: Any, key: str) -> Any:
    """Follow one step of a JSON pointer; None if it does not exist."""
    if isinstance(node, Mapping):
        return node.get(key, node.get(int(key)) if key.isdecimal() else None)
    if isinstance(node, list) and key.isdecimal() and int(key) < len(node):
        return node[int(key)]
    return None
