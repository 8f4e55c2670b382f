"""From a file to accepted answers: the spine, the cache, and processes that can be stopped.

May enter: files and options, or a question.
Must not know: formats of reports, and commands.
"""
