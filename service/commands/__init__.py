"""The commands of ``changewire``, one module a noun."""
