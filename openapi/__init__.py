"""The contract and its mirror in Python."""
