"""The tests, as a package: a library in the environment brings one of that name (diffprivlib)."""
