"""Changes for consumers between two versions of a contract."""

from contract_diff.change import ContractChange, Severity
from contract_diff.contracts import compare
from contract_diff.parse import parse_contract
from contract_diff.render import as_json, as_markdown, as_text

__all__ = [
    "ContractChange",
    "Severity",
    "as_json",
    "as_markdown",
    "as_text",
    "compare",
    "parse_contract",
]
