"""The commands: one to a module, with its arguments; files, streams, statuses."""
