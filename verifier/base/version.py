"""The version of this program, which reports, caches and tables of results name."""

VERSION = "0.1.0"
