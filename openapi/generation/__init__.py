"""Generation from the contract: shapes, query objects, the client's operations."""
