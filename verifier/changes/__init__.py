"""One check before and after a change: what it leaks, what it promises, and both mechanisms."""
