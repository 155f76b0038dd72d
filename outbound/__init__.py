"""The way out: connections to addresses that strangers chose, to public hosts only."""
