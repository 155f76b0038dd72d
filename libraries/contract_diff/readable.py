"""Finds out whether a document can be compared: an unreadable schema would allow anything."""

from collections.abc import Mapping

from contract_diff.document import Document, Node
from contract_diff.document_format import format_errors, version_error
from contract_diff.references import circular_references, references_of


def reasons_against(root: Node) -> list[str]:
    """Return sentences that say why a document cannot be used; none if it can."""
    other_version = version_error(root)
    if other_version:
        return [other_version]
    if not isinstance(root.get("paths"), Mapping):
        return ["Its paths are no object."]
    document, references = Document(root), references_of(root)
    lost = {ref for ref in references if document.target(ref) is None}
    circular = circular_references(root, references)
    return [f"{reference} leads back to itself." for reference in circular] + [
        f"{reference} leads nowhere."
        if reference.startswith("#")
        else f"{reference} leads out of the document; bundle it into one file first."
        for reference in sorted(lost)
    ]


def reasons_not_to_compare(root: Node) -> list[str]:
    """Return also what in a document is not OpenAPI: a comparison would pass over it."""
    return reasons_against(root) or format_errors(root)
