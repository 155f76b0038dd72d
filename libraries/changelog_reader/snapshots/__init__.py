"""Snapshots of a source, and the changes between two of them.

Everything here is pure: no network, no database, no clock. ``snapshot`` is the normalised state,
``diff`` compares two of them, ``wire`` writes the changes as the contract shows them, ``retention``
says which snapshots may be dropped.
"""
