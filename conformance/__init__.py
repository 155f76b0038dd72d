"""Checks any deployment against the contract and the specification."""
