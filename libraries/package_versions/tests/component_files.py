"""A small file of each format, with the type, name, version, repository and line of each part."""

import json
from pathlib import Path

FILES = Path(__file__).parent / "files"
FORMS = {
    name: ((FILES / name).read_bytes(), list(map(tuple, parts)))
    for name, parts in json.loads((FILES / "expected.json").read_text("utf-8")).items()
}
