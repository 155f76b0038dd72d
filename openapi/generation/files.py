"""Generate every file that is made from the contract."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from openapi.generation.formatter import formatted
from openapi.generation.queries import generated_queries
from openapi.generation.shapes import generated_shapes


def generated_files(
    root: Path, contract: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the path below ``root`` and the text of every generated file.

    Nothing in the checkout is changed. Raises GeneratorMissing and GeneratorFailed.
    """
    yield "openapi/shapes.py", generated_shapes(root / "openapi", environment)
    yield "openapi/queries.py", formatted(generated_queries(contract), environment)
