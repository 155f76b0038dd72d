"""The operations of the contract and how their responses are written."""
