"""The checks: pytest tests of every sentence that can be seen from outside."""
