"""How deeply a document nests, which is known before it is parsed.

Apart from ``openapi.document_format``, since every command imports it and few need the validator of
OpenAPI documents, whose import takes as long as the rest of a command.
"""

import yaml

DEEPEST = 200
"""Levels of nesting; YAML's reader breaks off the program at tens of thousands."""


def nests_too_deeply(text: str) -> bool:
    """Return whether a text in YAML or JSON has more levels than any contract."""
    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            return True
    return False
