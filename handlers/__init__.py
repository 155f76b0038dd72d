"""The HTTP edge: the operations of the contract and the pages."""
