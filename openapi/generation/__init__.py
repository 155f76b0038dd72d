"""What is written anew from the contract: shapes, query objects, the client's operations."""
