"""Read changelogs: bytes in; entries, their importance, deadlines and changes out."""
