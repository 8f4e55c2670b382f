"""A spec file, read: its model, its checks with their options, and what is noticed on the way.

May enter: the text of a file, as nodes with places.
Must not know: how anything is decided.
"""
