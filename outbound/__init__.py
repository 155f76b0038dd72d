"""HTTP to addresses that others have entered, on public hosts only; and the type of a mail."""
