"""Which sources are due, who has leased them, and where entries may be missing."""
