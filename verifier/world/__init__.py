"""What is possible, released and compared: worlds, likelihood matrices, relations, expressions.

May enter: values, records and conditions that a file names.
Must not know: definitions, engines, the form of a file.
"""
