"""How far ahead of now an entry may be dated and still count as published."""

from datetime import timedelta
from typing import Final

FUTURE_TOLERANCE: Final = timedelta(minutes=10)  # vendors' clocks differ from ours
