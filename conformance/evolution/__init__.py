"""What changes for consumers between two versions of a contract."""

from conformance.evolution.change import ContractChange, Severity
from conformance.evolution.contracts import compare
from conformance.evolution.readable import reasons_against, reasons_not_to_compare
from conformance.evolution.render import as_json, as_markdown, as_text

__all__ = [
    "ContractChange",
    "Severity",
    "as_json",
    "as_markdown",
    "as_text",
    "compare",
    "reasons_against",
    "reasons_not_to_compare",
]
