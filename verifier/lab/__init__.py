"""What is asked over many checks: repeated runs, curves, searches, sweeps, other libraries.

May enter: a file, and what is to be varied.
Must not know: arguments of commands, and formats of reports.
"""
