"""One fault for each check of the suite: what the check has to find.

python -m pytest tests/conformance/test_faults.py
"""

from collections.abc import Mapping

from faults import access, contents, protocol
from faults.fault import Fault

FAULTS: Mapping[str, Fault] = {**access.FAULTS, **contents.FAULTS, **protocol.FAULTS}
"""Each fault by the name of the check that finds it."""
