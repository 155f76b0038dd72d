"""What a source showed at one moment, and what changed between two moments.

Everything here is pure: no network, no database, no clock. ``snapshot`` is the normalised state,
``diff`` compares two of them, ``wire`` writes the changes as the contract shows them, ``retention``
says which snapshots may be dropped.
"""
