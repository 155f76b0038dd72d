"""Sources, their lists, and requests for more of them."""
