"""Assembly: settings, application, workers, command line."""
