"""What ``changewire stack`` finds, and how it is written."""
