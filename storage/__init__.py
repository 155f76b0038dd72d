"""What the service remembers."""
