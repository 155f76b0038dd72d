"""Snapshots of a source, and the changes between two of them.

Everything here is pure: no network, no database, no clock. ``snapshot`` is the normalised state,
and says which may be dropped; ``diff`` compares two, ``wire`` writes the changes as the contract
shows them.
"""
