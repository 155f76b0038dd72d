"""Services with one fault each, which the suite has to find."""
