"""What a source showed at one moment, and what changed between two moments.

Everything here is pure: no network, no database, no clock. ``snapshot`` holds the normalised
state, ``diff`` compares two of them, ``apply`` and ``compose`` calculate with the changes,
``wire`` writes them as the contract shows them, ``retention`` says what may be forgotten.
"""
