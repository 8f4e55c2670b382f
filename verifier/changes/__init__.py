"""One check before and after a change: what it leaks, what it promises, and both mechanisms.

May enter: two files, or a file and its lock.
Must not know: arguments of commands, and formats of reports.
"""
