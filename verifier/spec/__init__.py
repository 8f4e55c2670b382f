"""A spec file, read: its model, its checks with their options, and what is noticed on the way."""
