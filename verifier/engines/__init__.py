"""Untrusted engines: each finds a proof for a claim, which the checker accepts or rejects.

May enter: a claim, whole.
Must not know: files, options, reports; that anybody believes it.
"""
