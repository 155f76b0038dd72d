"""Read lockfiles and SBOMs, compare versions, and plan upgrades. Pure functions."""
