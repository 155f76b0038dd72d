"""What `changewire doctor` looks at: settings, this machine, the database, and the running site."""
