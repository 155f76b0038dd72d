"""HTTP around the operations: guard, authentication, errors, caching."""
