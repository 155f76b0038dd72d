"""The local tool interface of the All plan: the Model Context Protocol over stdio (docs/mcp.md)."""
